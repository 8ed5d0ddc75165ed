/* reading.c: see reading.h. */
#include <string.h>

#include "lib/number.h"
#include "lib/wide.h"
#include "study/reading.h"

enum { MILLION = 1000000 };

/* A thread that polls is always busy: that tells nothing. */
static uint32_t cpu_ppm_of(const struct block_job *job, const struct block_result *result)
{
	uint64_t whole_ns = (result->time_ns + job->ramp_ns) * (result->numjobs ? result->numjobs : 1);
	uint64_t busy_ns = result->user_ns + result->system_ns;

	if (!strcmp(result->engine, "io_uring polled"))
		return 0;
	if (busy_ns >= whole_ns)
		return whole_ns ? MILLION : 0;
	return (uint32_t)wide_divide((unsigned __int128)busy_ns * MILLION, whole_ns).whole;
}

/* Both sides together, interval by interval, as far as they were taken over the same ones. */
static bool whole_samples(const struct block_result *result, struct samples *whole)
{
	const struct block_flow *reads = &result->flows[BLOCK_SIDE_READ], *writes = &result->flows[BLOCK_SIDE_WRITE];

	*whole = reads->ios ? reads->bandwidth : writes->bandwidth;
	if (!reads->ios || !writes->ios)
		return true;
	for (unsigned i = 0; i < whole->count && i < writes->bandwidth.count; i++)
		whole->values[i] += writes->bandwidth.values[i];
	return whole->count == writes->bandwidth.count;
}

static void add_interval(struct reading *reading, const struct block_result *result)
{
	static struct samples whole;
	static struct summary summary;

	reading->low_milli = reading->high_milli = VALUE_NONE;
	if (!whole_samples(result, &whole))
		return;
	summary_of(&whole, &summary);
	reading->n = summary.count;
	if (!summary.has_interval)
		return;
	reading->low_milli = summary.low;
	reading->high_milli = summary.high;
}

const struct reading *readings_add(struct readings *readings, const struct block_job *job, const struct block_result *result)
{
	struct reading *reading = &readings->at[readings->count];

	if (result->bandwidth_milli == VALUE_NONE)
		return NULL;
	if (readings->count == MAX_READINGS) {
		readings->left_out++;
		return NULL;
	}
	*reading = (struct reading){
		.rw = job->rw, .bs_bytes = job->bs_bytes, .size_bytes = job->size_bytes, .iodepth = job->iodepth, .numjobs = job->numjobs,
		.bandwidth_milli = result->bandwidth_milli, .iops_milli = result->iops_milli, .inflight_milli = result->inflight_milli,
		.whole = result->ios + result->discarded >= job->limit_ios, .cpu_ppm = cpu_ppm_of(job, result),
	};
	add_interval(reading, result);
	readings->count++;
	return reading;
}

uint64_t reading_inflight_bytes(const struct reading *reading)
{
	return reading->bs_bytes * reading->iodepth * reading->numjobs;
}

bool reading_has_interval(const struct reading *reading)
{
	return reading->low_milli != VALUE_NONE;
}

enum order reading_compare(const struct reading *a, uint32_t ppm, const struct reading *b)
{
	if (!reading_has_interval(a) || !reading_has_interval(b))
		return ORDER_UNCLEAR;
	if ((__int128)a->low_milli * MILLION >= (__int128)b->high_milli * ppm)
		return ORDER_ABOVE;
	return (__int128)a->high_milli * MILLION < (__int128)b->low_milli * ppm ? ORDER_BELOW : ORDER_UNCLEAR;
}

/* A few digits are enough for a sentence. */
static int64_t rounded(int64_t value, int64_t to)
{
	return (value + to / 2) / to * to;
}

static void add_number(struct text *text, int64_t bandwidth_milli, bool giga)
{
	if (giga)
		number_add_milli(text, rounded(bandwidth_milli / 1000000000, 10));
	else
		number_add_milli(text, rounded(bandwidth_milli / 1000000, bandwidth_milli >= 100000000000 ? 1000 : 100));
}

static bool is_giga(int64_t bandwidth_milli)
{
	return bandwidth_milli >= 1000000000000;
}

void reading_add_rate(struct text *text, int64_t bandwidth_milli)
{
	add_number(text, bandwidth_milli, is_giga(bandwidth_milli));
	text_add(text, is_giga(bandwidth_milli) ? " GB/s" : " MB/s");
}

void reading_add(struct text *text, const struct reading *reading)
{
	bool giga = is_giga(reading->bandwidth_milli);

	reading_add_rate(text, reading->bandwidth_milli);
	if (!reading_has_interval(reading))
		return;
	text_add(text, " (");
	add_number(text, reading->low_milli, giga);
	text_add(text, " to ");
	add_number(text, reading->high_milli, giga);
	text_add(text, ")");
}

void reading_add_shape(struct text *text, const struct reading *reading)
{
	number_add_size(text, reading->bs_bytes);
	if (reading->iodepth > 1 || reading->numjobs > 1)
		text_add_format(text, " x %u", reading->iodepth);
	if (reading->numjobs > 1)
		text_add_format(text, " x %u", reading->numjobs);
}
