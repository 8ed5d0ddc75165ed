/* stream_pace.c: bits and nanoseconds since the start; each whole second's bits move the start on, so that all numbers stay small. */
#include "capacity.h"
#include "lib/wide.h"
#include "net/stream_pace.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { QUANTA_PER_S = 10000, NAP_MS = 50 };

void pace_start(struct pace *pace, uint64_t rate_bit_per_s, uint32_t unit_bytes, unsigned burst, uint64_t now_ns)
{
	uint64_t quantum_bytes = rate_bit_per_s / 8 / QUANTA_PER_S, least_bytes = (uint64_t)(burst ? burst : 1) * unit_bytes;

	*pace = (struct pace){ .rate_bit_per_s = rate_bit_per_s, .start_ns = now_ns,
	                       .least_bytes = least_bytes > quantum_bytes ? least_bytes : quantum_bytes };
}

static uint64_t scale(uint64_t number, uint64_t by, uint64_t over)
{
	return (uint64_t)wide_divide((unsigned __int128)number * by, over).whole;
}

uint64_t pace_due_bytes(struct pace *pace, uint64_t now_ns, uint64_t *wait_ns)
{
	uint64_t sent_ns = pace->start_ns + scale(pace->sent_bits, SECONDS(1), pace->rate_bit_per_s); /* by when it was due */

	if (sent_ns > now_ns) {
		*wait_ns = sent_ns - now_ns;
		return 0;
	}
	if (now_ns - sent_ns > SECONDS(1))
		pace->start_ns += now_ns - sent_ns - SECONDS(1);
	return pace->least_bytes + scale(now_ns - pace->start_ns, pace->rate_bit_per_s, SECONDS(1)) / 8 - pace->sent_bits / 8;
}

uint64_t pace_wait(struct pace *pace, const atomic_bool *stop)
{
	uint64_t due_bytes, wait_ns;

	while (!atomic_load_explicit(stop, memory_order_relaxed)) {
		due_bytes = pace_due_bytes(pace, clock_now_ns(), &wait_ns);
		if (due_bytes)
			return due_bytes;
		sys_sleep_ns(wait_ns < MS(NAP_MS) ? wait_ns : MS(NAP_MS));
	}
	return 0;
}

void pace_sent(struct pace *pace, uint64_t bytes)
{
	pace->sent_bits += 8 * bytes;
	while (pace->sent_bits >= pace->rate_bit_per_s) {
		pace->sent_bits -= pace->rate_bit_per_s;
		pace->start_ns += SECONDS(1);
	}
}
