/* server_limits.c: what the server gives at most, and how long it waits. */
#include <errno.h>

#include "capacity.h"
#include "net/server_inside.h"

enum { E_STREAMS = 6, E_LONG = 5 };

static uint64_t times(uint64_t a, uint64_t b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

uint64_t limits_asked_bytes(const struct net_test *test)
{
	uint64_t blocks = times(test->blocks, test->length_bytes);

	return test->bytes > blocks ? test->bytes : blocks;
}

static uint64_t asked_rate(const struct net_test *test)
{
	uint64_t rate = test->rate_bit_per_s > test->fq_rate_bit_per_s ? test->rate_bit_per_s : test->fq_rate_bit_per_s;

	return times(rate, test->streams << test->bidirectional);
}

/* By bytes or blocks there is no time, and the server's own timer ends what takes too long. */
static bool is_too_long(const struct server_job *job, const struct net_test *test)
{
	bool endless = !test->time_ns && !test->bytes && !test->blocks;

	return job->max_time_ns && (endless || test->time_ns + test->omit_ns > job->max_time_ns);
}

unsigned limits_refuse(const struct server_job *job, const struct net_test *test, char *why, size_t size)
{
	unsigned streams = test->streams << test->bidirectional;

	if (job->max_streams && streams > job->max_streams) {
		text_format(why, size, "it asks for %u streams, and --max-streams is %u", streams, job->max_streams);
		return E_STREAMS;
	}
	if (is_too_long(job, test)) {
		text_format(why, size, "it asks for %llu s, and --max-time is %llu s", (unsigned long long)((test->time_ns + test->omit_ns) / SECONDS(1)),
		            (unsigned long long)(job->max_time_ns / SECONDS(1)));
		return IPERF_E_DURATION;
	}
	if (job->max_bytes && limits_asked_bytes(test) > job->max_bytes) {
		text_format(why, size, "it asks for %llu B, and --max-bytes is %llu B", (unsigned long long)limits_asked_bytes(test), (unsigned long long)job->max_bytes);
		return IPERF_E_DURATION;
	}
	if (job->max_rate_bit_per_s && asked_rate(test) > job->max_rate_bit_per_s) {
		text_format(why, size, "it asks for %llu bit/s, and --max-rate is %llu bit/s", (unsigned long long)asked_rate(test),
		            (unsigned long long)job->max_rate_bit_per_s);
		return IPERF_E_RATE;
	}
	return 0;
}

unsigned limits_number(unsigned number, unsigned client_minor)
{
	if (number == IPERF_E_DURATION && client_minor < 20)
		return E_LONG;
	return number == IPERF_E_EXPIRED && client_minor < 21 ? E_LONG : number;
}

uint64_t limits_longest_ns(const struct server_job *job, const struct net_test *test)
{
	uint64_t asked_ns = test->time_ns ? test->time_ns + test->omit_ns : job->max_time_ns ? job->max_time_ns : SECONDS(86400);

	return asked_ns + SECONDS(20);
}

/* A slow pace may need longer for a single block. */
uint64_t limits_silence_ns(const struct net_test *test)
{
	uint64_t block_ns = test->rate_bit_per_s ? times(test->length_bytes * 8ull, SECONDS(1)) / test->rate_bit_per_s : 0;

	return SECONDS(20) + (block_ns > SECONDS(3600) ? SECONDS(10800) : 3 * block_ns);
}
