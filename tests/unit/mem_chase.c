/* mem_chase.c: the chase goes through every line once a lap, and its samples are what they say. */
#include "mem/chase.h"

#include "capacity.h"
#include "test.h"

enum { LINES = 1024, LINE_BYTES = 64 };

static _Alignas(256) char buffer[LINES * LINE_BYTES];
static struct chase_result result;

static uint64_t next_of(const struct chase *chase, uint64_t line)
{
	const char *next = *(const char *const *)((const char *)chase->at + line * chase->line_bytes);

	return (uint64_t)(next - (const char *)chase->at) / chase->line_bytes;
}

static uint64_t cycle_length(const struct chase *chase)
{
	uint64_t line = 0, length = 0;

	do {
		line = next_of(chase, line);
		length++;
	} while (line && length <= chase->lines);
	return length;
}

test(all_lines_form_one_cycle)
{
	struct chase chase;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		chase_link(&chase, buffer, sizeof(buffer), seed);
		check_equal(cycle_length(&chase), chase.lines);
	}
}

test(lines_are_at_least_64_bytes)
{
	struct chase chase;

	chase_link(&chase, buffer, sizeof(buffer), 1);
	check(chase.line_bytes >= 64);
	check_equal(chase.lines, sizeof(buffer) / chase.line_bytes);
}

test(a_rest_smaller_than_a_line_is_left_alone)
{
	struct chase chase;

	memset(buffer, 0x5a, sizeof(buffer));
	chase_link(&chase, buffer, sizeof(buffer) - 1, 1);
	check_equal(cycle_length(&chase), chase.lines);
	check_equal(buffer[sizeof(buffer) - 1], 0x5a);
	check_equal(buffer[sizeof(buffer) - chase.line_bytes], 0x5a);
}

test(the_cycle_has_no_stride_that_a_prefetcher_could_learn)
{
	static unsigned seen[2 * LINES];
	struct chase chase;
	unsigned most = 0;

	chase_link(&chase, buffer, sizeof(buffer), 7);
	memset(seen, 0, sizeof(seen));
	for (uint64_t line = 0; line < chase.lines; line++) {
		unsigned *count = &seen[LINES + next_of(&chase, line) - line];

		if (++*count > most)
			most = *count;
	}
	check(most <= 12);
}

test(another_seed_gives_another_cycle)
{
	struct chase chase;
	uint64_t first[4], differ = 0;

	chase_link(&chase, buffer, sizeof(buffer), 1);
	for (unsigned i = 0; i < 4; i++)
		first[i] = next_of(&chase, i);
	chase_link(&chase, buffer, sizeof(buffer), 2);
	for (unsigned i = 0; i < 4; i++)
		differ += next_of(&chase, i) != first[i];
	check(differ > 0);
}

test(samples_are_batches_of_at_least_a_thousand_loads)
{
	struct chase chase;

	chase_link(&chase, buffer, sizeof(buffer), 1);
	chase_measure(&chase, MS(20), &result);
	check(result.batch_loads >= CHASE_BATCH_MIN);
	check(result.samples.count >= 6);
	check_equal(result.loads, result.samples.count * result.batch_loads);
	check(result.discarded >= 1);
}

test(a_load_takes_more_than_a_tenth_of_a_nanosecond_and_less_than_ten_microseconds)
{
	struct summary summary;
	struct chase chase;

	chase_link(&chase, buffer, sizeof(buffer), 1);
	chase_measure(&chase, MS(20), &result);
	summary_of(&result.samples, &summary);
	check(summary.min > 100);
	check(summary.min < 10000000);
}
