/* mem_c2c.c: lines pass between two CPUs, what cannot be is refused, and pairs show the groups behind them. */
#include <errno.h>

#include "mem/c2c.h"
#include "sys/cpu.h"
#include "test.h"

static struct c2c_result result;
static struct cpu_list cpus;

/* Of a machine with one CPU there is nothing to test. */
static bool two_cpus(struct c2c_job *job, enum c2c_kind kind)
{
	cpu_allowed(&cpus);
	*job = (struct c2c_job){ .kind = kind, .from = cpus.cpus[0], .to = cpus.cpus[1], .bytes = 65536, .time_ns = MS(1), .seed = 1 };
	return cpus.count > 1;
}

static void measure(enum c2c_kind kind)
{
	struct c2c_job job;

	if (!two_cpus(&job, kind))
		return;
	check_equal(c2c_run(&job, &result), 0);
	check(result.samples.count >= 3);
	for (unsigned i = 0; i < result.samples.count; i++)
		check(result.samples.values[i] > 100); /* a tenth of a ns: no cache is that quick */
	check(result.discarded > 0);
}

test(lines_held_clean_are_loaded_once_a_round)
{
	measure(C2C_HIT);
	if (cpus.count > 1) {
		check_equal(result.lines, 512);
		check_equal(result.transfers, 512ull * result.samples.count);
	}
}

test(lines_held_modified_are_loaded_once_a_round)
{
	measure(C2C_HITM);
	if (cpus.count > 1)
		check_equal(result.transfers, 512ull * result.samples.count);
}

test(one_line_goes_to_and_fro)
{
	measure(C2C_PINGPONG);
	if (cpus.count > 1) {
		check_equal(result.lines, 1);
		check(result.transfers >= 128ull * result.samples.count);
	}
}

test(the_set_is_128_kib_whatever_the_caches_are_said_to_be)
{
	struct c2c_job job;

	if (!two_cpus(&job, C2C_HIT))
		return;
	job.bytes = 0;
	check_equal(c2c_run(&job, &result), 0);
	check_equal(result.lines, 1024);
	check_equal(result.set_bytes, 128 * KIB);
}

test(a_cpu_with_itself_is_refused)
{
	struct c2c_job job = { .kind = C2C_PINGPONG, .time_ns = MS(1) };

	check_equal(c2c_run(&job, &result), -EINVAL);
	check_equal(result.samples.count, 0);
}

test(a_set_without_a_line_is_refused)
{
	struct c2c_job job = { .kind = C2C_HIT, .from = 0, .to = 1, .bytes = 127, .time_ns = MS(1) };

	check_equal(c2c_run(&job, &result), -EINVAL);
}

test(a_cpu_that_is_not_there_is_named)
{
	struct c2c_job job;

	two_cpus(&job, C2C_PINGPONG);
	job.to = MAX_CPUS - 1;
	check(c2c_run(&job, &result) < 0);
	check_equal(result.error_cpu, MAX_CPUS - 1);
	check_equal(result.samples.count, 0);
}

/* ---- groups ---- */

enum { MOST = 12 };
static int64_t pairs[MOST * MOST];
static unsigned group[MOST];

static void set(unsigned count, unsigned a, unsigned b, int64_t ps)
{
	pairs[a * count + b] = pairs[b * count + a] = ps;
}

/* count CPUs in clusters of `size`, with a spread of a few per cent. */
static void make(unsigned count, unsigned size, int64_t near_ps, int64_t far_ps)
{
	for (unsigned a = 0; a < count; a++)
		for (unsigned b = 0; b < count; b++)
			pairs[a * count + b] = a == b ? 0 : a / size == b / size ? near_ps + (a * b) % 7 * near_ps / 100 : far_ps + (a + b) % 5 * far_ps / 50;
	for (unsigned a = 0; a < count; a++)
		for (unsigned b = 0; b < a; b++)
			set(count, a, b, pairs[a * count + b]);
}

static void check_clusters(unsigned count, unsigned size)
{
	check_equal(c2c_groups(pairs, count, group), count / size);
	for (unsigned i = 0; i < count; i++)
		check_equal(group[i], i / size);
}

test(an_orin_has_three_clusters_of_four)
{
	make(12, 4, 38000, 80000);
	check_clusters(12, 4);
}

test(one_far_pair_that_seems_near_joins_no_clusters)
{
	make(12, 4, 38000, 80000);
	set(12, 0, 7, 39000);
	check_clusters(12, 4);
}

test(one_near_pair_that_seems_far_splits_no_cluster)
{
	make(12, 4, 38000, 80000);
	set(12, 0, 1, 85000);
	check_clusters(12, 4);
}

test(members_need_not_be_neighbours)
{
	static const unsigned wanted[8] = { 0, 1, 0, 1, 0, 1, 0, 1 };

	make(8, 8, 100000, 100000);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++)
			set(8, a, b, a % 2 == b % 2 ? 30000 : 61000);
	check_equal(c2c_groups(pairs, 8, group), 2);
	for (unsigned i = 0; i < 8; i++)
		check_equal(group[i], wanted[i]);
}

test(a_flat_machine_is_one_group)
{
	make(8, 8, 50000, 50000);
	check_clusters(8, 8);
}

test(noise_below_a_quarter_is_no_gap_and_a_quarter_is_one)
{
	make(8, 4, 40000, 40000);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++)
			set(8, a, b, a / 4 == b / 4 ? 40000 : 49999);
	check_equal(c2c_groups(pairs, 8, group), 1);
	for (unsigned a = 0; a < 8; a++)
		for (unsigned b = 0; b < a; b++)
			set(8, a, b, a / 4 == b / 4 ? 40000 : 50000);
	check_equal(c2c_groups(pairs, 8, group), 2);
}

test(values_that_spread_evenly_are_one_group)
{
	unsigned n = 0;

	for (unsigned a = 0; a < 12; a++)
		for (unsigned b = 0; b < a; b++)
			set(12, a, b, 30000 + 1500 * n++);
	check_equal(c2c_groups(pairs, 12, group), 1);
}

test(two_cpus_are_one_group_and_one_too)
{
	make(2, 2, 30000, 30000);
	check_clusters(2, 2);
	make(1, 1, 0, 0);
	check_clusters(1, 1);
	check_equal(c2c_groups(pairs, 0, group), 0);
}
