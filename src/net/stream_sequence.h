/*
 * stream_sequence.h: which datagrams came, by their numbers: lost, reordered and duplicated ones told apart.  Pure.
 */
#ifndef STREAM_SEQUENCE_H
#define STREAM_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { SEQUENCE_WINDOW = 65536 };

struct sequence {
	uint64_t highest;                     /* 0: none came yet */
	uint64_t seen[SEQUENCE_WINDOW / 64];  /* of the last SEQUENCE_WINDOW numbers up to highest, each at its remainder */
	/* jitter, RFC 3550 (1889), 6.4.1: in sixteenths of a ns */
	uint64_t jitter_16th_ns;
	int64_t transit_ns;
	bool has_transit;
};

enum sequence_kind { SEQUENCE_NEW, SEQUENCE_REORDERED, SEQUENCE_DUPLICATE, SEQUENCE_STALE, SEQUENCE_FOREIGN };

/* most: the greatest number that can have been sent by now; above it, and 0, is foreign. */
enum sequence_kind sequence_add(struct sequence *sequence, uint64_t number, uint64_t most);
/* A counter of 32 bits, made whole: the number nearest to the highest one; 0: it would lie before the first. */
uint64_t sequence_whole(const struct sequence *sequence, uint32_t number);
/* Of two machines' clocks: only differences count.  Returns the jitter in ns. */
uint64_t sequence_jitter(struct sequence *sequence, uint64_t sent_ns, uint64_t came_ns);

#endif
