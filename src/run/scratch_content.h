/*
 * scratch_content.h: is what lies on a scratch nobody's?  A typo must not cost anybody a file.
 *
 * By blocks of SCRATCH_BLOCK_BYTES: all of a file; of a partition (whose name already says what it is for) the first GiB, and
 * of what lies behind it 4096 places and the last MiB.  Each must be
 * all zeros (two bits of a drive's own making are let pass) or begin with SCRATCH_MAGIC, or consist of sectors of 512 B that do
 * either.  What cannot be read is let pass, too; where
 * more than 64 blocks cannot, one of each MiB that fails is looked at.
 */
#ifndef SCRATCH_CONTENT_H
#define SCRATCH_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

/* size_bytes: at least 1 MiB, whole blocks.  0; -EEXIST for somebody's data, or -errno of reading: both at *at_bytes. */
int scratch_content(int fd, bool is_file, uint64_t size_bytes, uint64_t *at_bytes);

/* The same in a child, so that a drive that does not answer for time_ms cannot hold up the caller: then -ETIMEDOUT.  -EINTR when the run is asked to end. */
int scratch_content_in_time(int fd, bool is_file, uint64_t size_bytes, int time_ms, uint64_t *at_bytes);

#endif
