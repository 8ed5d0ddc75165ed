/* mem_chase.c: the chase goes through every line once a lap, and its samples are what they say. */
#include "mem/chase.h"

#include "capacity.h"
#include "test.h"

enum { LINES = 4096, LINE_BYTES = 64, PAGE_BYTES = 4096 };

static _Alignas(256) char buffer[LINES * LINE_BYTES];
static struct chase_result result;

static uint64_t next_of(const struct chase *chase, uint64_t line)
{
	const char *next = *(const char *const *)((const char *)chase->at + line * chase->line_bytes);

	return (uint64_t)(next - (const char *)chase->at) / chase->line_bytes;
}

static uint64_t index_of(const struct chase *chase, const void *place)
{
	return (uint64_t)((const char *)place - (const char *)chase->at) / chase->line_bytes;
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

/* By how much the next line lies off, the most frequent distance: how often. */
static unsigned most_alike(const struct chase *chase)
{
	static unsigned seen[2 * LINES];
	unsigned most = 0;

	memset(seen, 0, sizeof(seen));
	for (uint64_t line = 0; line < chase->lines; line++) {
		unsigned *count = &seen[LINES + next_of(chase, line) - line];

		if (++*count > most)
			most = *count;
	}
	return most;
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
	struct chase chase;

	for (uint64_t seed = 1; seed <= 20; seed++) { /* of a hundred, two at most are alike */
		chase_link(&chase, buffer, sizeof(buffer), seed);
		check(most_alike(&chase) <= LINES / 128);
		chase_link(&chase, buffer, 1000 * LINE_BYTES, seed); /* no power of two */
		check(most_alike(&chase) <= 25);
	}
}

test(the_walk_begins_where_the_order_does)
{
	struct chase chase;
	uint64_t line;

	chase_link(&chase, buffer, sizeof(buffer), 3);
	line = index_of(&chase, chase.place);
	for (uint64_t i = 0; i < chase.lines; i++, line = next_of(&chase, line))
		check_equal(line, random_order_at(&chase.order, i));
}

test(within_pages_all_lines_form_one_cycle)
{
	struct chase chase;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		chase_link_within(&chase, buffer, sizeof(buffer), PAGE_BYTES, seed);
		check_equal(cycle_length(&chase), chase.lines);
	}
}

/* 64 pages: eight lines of a page in a row, no two of them in the same eighth; and each page once before any comes again. */
test(within_pages_a_visit_takes_a_line_of_each_eighth_of_a_page)
{
	uint64_t line, pages_seen = 0;
	struct chase chase;

	chase_link_within(&chase, buffer, sizeof(buffer), PAGE_BYTES, 5);
	line = index_of(&chase, chase.place);
	for (unsigned visit = 0; visit < 64; visit++) {
		uint64_t page = line / 64;
		unsigned eighths = 0;

		check(!(pages_seen >> page & 1));
		pages_seen |= 1ull << page;
		for (unsigned n = 0; n < 8; n++, line = next_of(&chase, line)) {
			check_equal(line / 64, page);
			eighths |= 1u << line % 64 / 8;
		}
		check_equal(eighths, 0xff);
	}
}

test(within_pages_there_is_no_stride_either)
{
	struct chase chase;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		chase_link_within(&chase, buffer, sizeof(buffer), PAGE_BYTES, seed);
		check(most_alike(&chase) <= LINES / 16); /* within a page of 64 lines there are but 126 distances */
	}
}

test(a_single_page_is_linked_as_without_pages)
{
	struct chase chase;
	uint64_t first[LINES];

	chase_link(&chase, buffer, sizeof(buffer), 1);
	for (unsigned i = 0; i < LINES; i++)
		first[i] = next_of(&chase, i);
	chase_link_within(&chase, buffer, sizeof(buffer), sizeof(buffer), 1);
	for (unsigned i = 0; i < LINES; i++)
		check_equal(next_of(&chase, i), first[i]);
}

test(the_proof_goes_through_flushed_lines_and_changes_none)
{
	static struct chase_proof proof;
	struct chase chase;

	chase_link(&chase, buffer, sizeof(buffer), 1);
	chase_prove(&chase, &proof);
	check_equal(proof.ordinary.count, LINES / (2 * 1008));
	check_equal(proof.flushed.count, proof.ordinary.count);
	check_equal(cycle_length(&chase), chase.lines);
	check_equal(index_of(&chase, chase.place), random_order_at(&chase.order, chase.walked % chase.lines));
	chase_link(&chase, buffer, 2000 * LINE_BYTES, 1);
	chase_prove(&chase, &proof);
	check_equal(proof.flushed.count, 0);
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
