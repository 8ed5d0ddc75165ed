/*
 * scratch_content.h: is what lies on a scratch nobody's?  A typo must not cost anybody a file.
 *
 * Sampled, by blocks of SCRATCH_BLOCK_BYTES: the first and the last MiB, where headers and signatures are, and 64 places
 * between.  Each must be all zeros or begin with SCRATCH_MAGIC.
 */
#ifndef SCRATCH_CONTENT_H
#define SCRATCH_CONTENT_H

#include <stdint.h>

/* size_bytes: at least 2 MiB, whole blocks.  0; -EEXIST for somebody's data, or -errno of reading: both at *at_bytes. */
int scratch_content(int fd, uint64_t size_bytes, uint64_t *at_bytes);

/* The same in a child, so that a drive that does not answer cannot hold up the caller: then -ETIMEDOUT. */
int scratch_content_in_time(int fd, uint64_t size_bytes, int time_ms, uint64_t *at_bytes);

#endif
