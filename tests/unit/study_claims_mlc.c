/* study_claims_mlc.c: both claims of mlc, each way they can be judged: by curves made for it, and by the study's own. */
#include "step/mem_point.h"
#include "study/claims.h"

#include "test.h"

static struct loaded_told small, large;

static bool has(const struct finding *finding, const char *part)
{
	if (!text_find(finding->text, part))
		printf("# %s\n", finding->text);
	return text_find(finding->text, part);
}

static struct mem_told told(int64_t value_milli, int64_t half_percent)
{
	int64_t half = value_milli / 200 * half_percent;

	return (struct mem_told){ .is_told = true, .median_milli = value_milli, .low_milli = value_milli - half, .high_milli = value_milli + half };
}

/* A tenth of a ns at a MB/s, each with an interval of one per cent to either side. */
static void add(struct loaded_told *curve, int64_t mb_per_s, int64_t ns_tenths)
{
	curve->latency[curve->count] = told(ns_tenths * 100, 2);
	curve->bandwidth[curve->count++] = told(mb_per_s * 1000000000, 2);
}

static const int64_t rising[][2] = { { 1700, 407 }, { 4000, 410 }, { 7400, 420 }, { 12400, 440 }, { 17400, 620 }, { 25000, 810 }, { 28000, 900 } };

/* The curve, its latency times percent; what is missing beyond the ends of the other is not compared. */
static void make(struct loaded_told *curve, int64_t percent)
{
	curve->count = 0;
	for (unsigned i = 0; i < COUNT_OF(rising); i++)
		add(curve, rising[i][0], rising[i][1] * percent / 100);
}

test(a_larger_buffer_that_is_quicker_everywhere_supports_it)
{
	struct finding finding;

	make(&small, 100);
	make(&large, 85);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_SUPPORTED);
	check(has(&finding, "of 5 equal bandwidths its latency is lower at 5, higher at 0, not apart at 0; at "));
	check(has(&finding, "one run each"));
}

test(one_that_is_slower_everywhere_refutes_it)
{
	struct finding finding;

	make(&small, 100);
	make(&large, 115);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_REFUTED);
	check(has(&finding, "lower at 0, higher at 5, not apart at 0"));
}

test(where_intervals_overlap_it_cannot_be_told)
{
	struct finding finding;

	make(&small, 100);
	make(&large, 99);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "lower at 0, higher at 0, not apart at 5"));
	/* Apart, but by wide intervals of the one or the other. */
	make(&large, 85);
	for (unsigned i = 0; i < large.count; i++)
		large.latency[i].high_milli = large.latency[i].median_milli / 4 * 5;
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	make(&large, 85);
	for (unsigned i = 0; i < small.count; i++)
		small.latency[i].low_milli = small.latency[i].median_milli / 4 * 3;
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
}

test(lower_here_and_higher_there_cannot_be_told)
{
	struct finding finding;

	make(&small, 100);
	make(&large, 85);
	large.latency[1] = told(60000, 2);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "lower at 4, higher at 1"));
}

/* The same curve, told at other delays: row by row 41.5 stands against 40.7, at equal bandwidth nothing is apart. */
test(curves_are_compared_at_equal_bandwidth_and_not_row_by_row)
{
	struct finding finding;

	make(&small, 100);
	large.count = 0;
	add(&large, 5700, 415);
	add(&large, 9900, 430);
	add(&large, 14900, 530);
	add(&large, 21200, 715);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "of 4 equal bandwidths its latency is lower at 0, higher at 0"));
	check(has(&finding, "at 5.7 GB/s 41.5 ns (41.1 to 41.9) against "));
	/* 5 % off the line between the points is found. */
	large.latency[0] = told(39000, 2);
	large.latency[1] = told(40500, 2);
	large.latency[2] = told(45000, 2);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_SUPPORTED);
}

/* At 17.4 GB/s, where the curve is steep, 52.7 ns are apart from 62; but not where it might as well be 12.2. */
test(bandwidths_that_are_uncertain_make_the_steep_part_so)
{
	struct finding finding;

	make(&small, 100);
	large.count = 0;
	add(&large, 17400, 527);
	add(&large, 17400, 527);
	add(&large, 17400, 527);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_SUPPORTED);
	for (unsigned i = 0; i < large.count; i++)
		large.bandwidth[i] = told(17400000000000, 60);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "lower at 0, higher at 0, not apart at 3"));
}

/* At the maximum, delays differ in latency and not in bandwidth: a point among them is not apart. */
test(points_above_one_another_are_a_band)
{
	struct finding finding;

	make(&small, 100);
	add(&small, 28100, 1200);
	add(&small, 27900, 1050);
	large.count = 0;
	add(&large, 27000, 880);
	add(&large, 27400, 1000);
	add(&large, 27500, 900);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "lower at 0, higher at 0"));
}

test(beyond_the_other_curve_and_without_intervals_nothing_is_compared)
{
	struct finding finding;

	make(&small, 100);
	large.count = 0;
	for (unsigned i = 0; i < 6; i++)
		add(&large, 40000 + i * 1000, 300);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "at 0 equal bandwidths only"));
	make(&large, 50);
	for (unsigned i = 0; i < large.count; i++)
		large.latency[i].low_milli = large.latency[i].high_milli = VALUE_NONE;
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "at 0 equal bandwidths only"));
	large.count = 0;
	finding = claim_larger_buffer_is_lower(&small, &large);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
}

/* ---- latency falls as bandwidth rises ---- */

/* Their own table of 100000 KiB, in part. */
static const int64_t theirs[][2] = {
	{ 79980, 27920300000000 }, { 104690, 25622700000000 }, { 81130, 24513200000000 }, { 61980, 17376700000000 }, { 43770, 12359400000000 },
	{ 42470, 9150700000000 }, { 41270, 6329700000000 }, { 40730, 4036600000000 }, { 40740, 1698900000000 },
};

test(latency_that_rises_with_bandwidth_refutes_it_and_so_does_their_own_table)
{
	struct finding finding;

	make(&large, 100);
	finding = claim_latency_falls(&large, theirs, COUNT_OF(theirs));
	check_equal(finding.claim, CLAIM_REFUTED);
	check(has(&finding, "over 7 delays of ours: 1; over 9 delays of their own table: 0.9"));
	check(has(&finding, "the reverse of the claim"));
}

test(latency_that_falls_supports_it)
{
	static const int64_t falling[][2] = { { 90, 1000 }, { 80, 2000 }, { 70, 3000 }, { 60, 4000 }, { 50, 5000 } };
	struct finding finding;

	large.count = 0;
	for (unsigned i = 0; i < 8; i++)
		add(&large, 1000 + i * 1000, 900 - i * 50);
	finding = claim_latency_falls(&large, falling, COUNT_OF(falling));
	check_equal(finding.claim, CLAIM_SUPPORTED);
	check(has(&finding, "of ours: -1; over 5 delays of their own table: -1"));
	check(!text_find(finding.text, "reverse"));
}

test(no_trend_and_too_few_delays_tell_nothing)
{
	static const int64_t up_and_down[] = { 400, 500, 420, 480, 410, 490, 405 };
	struct finding finding;

	large.count = 0;
	for (unsigned i = 0; i < COUNT_OF(up_and_down); i++)
		add(&large, 1000 + i * 1000, up_and_down[i]);
	finding = claim_latency_falls(&large, theirs, COUNT_OF(theirs));
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	make(&large, 100);
	large.count = 4;
	finding = claim_latency_falls(&large, theirs, COUNT_OF(theirs));
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "4 delays of ours are too few"));
	make(&large, 100);
	for (unsigned i = 0; i < large.count; i++)
		large.latency[i].low_milli = VALUE_NONE;
	finding = claim_latency_falls(&large, theirs, COUNT_OF(theirs));
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "0 delays of ours are too few"));
}

test(the_longest_sentences_are_not_cut)
{
	struct finding finding;

	make(&small, 100);
	make(&large, 115);
	finding = claim_larger_buffer_is_lower(&small, &large);
	check(strlen(finding.text) < sizeof finding.text - 40);
	finding = claim_latency_falls(&large, theirs, COUNT_OF(theirs));
	check(strlen(finding.text) < sizeof finding.text - 20);
}
