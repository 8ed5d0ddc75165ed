/*
 * stream_pace.h: holding a rate.  Exact over any time: what is sent is compared with what was due since the start, no error adds up.
 *
 * A sender that was held up catches up on at most a second.  Waiting is sleeping; bursts are what falls due in a quantum of time, or the test's `burst`.
 */
#ifndef STREAM_PACE_H
#define STREAM_PACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t rate_bit_per_s;  /* 0: as fast as it goes */
	uint64_t start_ns, sent_bits; /* since start_ns, which moves on with each whole second's bits */
	uint64_t least_bytes;     /* that are let through together */
};

/* unit: bytes that cannot be divided; burst: of them, at least, in a row; 0: as many as fall due in a quantum. */
void pace_start(struct pace *pace, uint64_t rate_bit_per_s, uint32_t unit_bytes, unsigned burst, uint64_t now_ns);
/* Pure: how many bytes may go at now_ns; 0: none before *wait_ns have passed. */
uint64_t pace_due_bytes(struct pace *pace, uint64_t now_ns, uint64_t *wait_ns);
/* Sleeps until some may go: how many; 0 when *stop was set meanwhile. */
uint64_t pace_wait(struct pace *pace, const atomic_bool *stop);
void pace_sent(struct pace *pace, uint64_t bytes);

#endif
