/*
 * spans.h: which places of a device a verification covers, in the order of writing.
 *
 * Through: from the start on, and the last of the device in any case.  Spread: pieces of equal size, the first, the last, those
 * at every power of two (an address bit that does nothing shows between them), and one at a random place of each of equal
 * parts.  There is no list: the same seed gives the same places again.
 */
#ifndef BLOCK_SPANS_H
#define BLOCK_SPANS_H

#include <stdbool.h>
#include <stdint.h>

struct spans {
	uint64_t device_bytes;  /* the last of them: whole sectors */
	uint64_t wanted_bytes;  /* the most that is covered, whole granules (below device_bytes) */
	uint64_t granule_bytes; /* every span begins at a multiple of it */
	uint64_t seed;
	uint64_t span_bytes;    /* of one piece; 0: through */
	uint64_t count;         /* of indices */
};

/* wanted_bytes: what is to be covered; at least one granule.  granule_bytes: a power of two. */
void spans_plan(struct spans *spans, uint64_t device_bytes, uint64_t wanted_bytes, uint64_t granule_bytes, bool spread, uint64_t seed);

/* Where span number index (below spans->count) lies.  *bytes is 0 for one that was covered by another. */
void spans_get(const struct spans *spans, uint64_t index, uint64_t *offset_bytes, uint64_t *bytes);

#endif
