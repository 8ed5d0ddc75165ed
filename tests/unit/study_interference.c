/* study_interference.c: what one load loses beside another, the two claims, and loads that fail, hang or die in their processes. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/text.h"
#include "step/context.h"
#include "study/beside.h"
#include "study/interference.h"
#include "test.h"

#define PERCENT 10000000ll /* in thousandths of ppm */

test(a_loss_is_what_is_missing_of_the_rate_alone)
{
	check_equal(interference_loss_milli(1000, 750), 25 * PERCENT);
	check_equal(interference_loss_milli(3000000000000000, 3000000000000000), 0);
	check_equal(interference_loss_milli(3000000000000000, 1), 100 * PERCENT - 1);
	check_equal(interference_loss_milli(9000000000000000000, 0), 100 * PERCENT);
	check_equal(interference_loss_milli(1000, 1500), -50 * PERCENT);
}

test(without_one_of_the_rates_there_is_no_loss)
{
	check_equal(interference_loss_milli(VALUE_NONE, 5), VALUE_NONE);
	check_equal(interference_loss_milli(5, VALUE_NONE), VALUE_NONE);
	check_equal(interference_loss_milli(0, 5), VALUE_NONE);
}

static struct summary losses(int64_t median, int64_t low, int64_t high)
{
	return (struct summary){ .count = 9, .median = median * PERCENT, .low = low * PERCENT, .high = high * PERCENT, .has_interval = true };
}

static const struct summary none = { .count = 0 };

static bool has(const struct finding *finding, const char *part)
{
	if (!text_find(finding->text, part))
		printf("# %s\n", finding->text);
	return text_find(finding->text, part);
}

test(a_loss_clear_of_one_per_cent_supports_that_ssd_and_dram_interact)
{
	struct summary clear = losses(12, 2, 20), unclear = losses(3, -1, 9);
	struct finding finding = claim_ssd_and_dram(&unclear, &clear, NULL);

	check_equal(finding.claim, CLAIM_SUPPORTED);
	check(has(&finding, "storage loses 3 % (-1 to 9) beside memory, memory loses 12 % (2 to 20) beside storage"));
	check_equal(claim_ssd_and_dram(&clear, &unclear, NULL).claim, CLAIM_SUPPORTED);
	check_equal(claim_ssd_and_dram(&clear, &none, NULL).claim, CLAIM_SUPPORTED);
	clear.low = PERCENT / 5;
	check_equal(claim_ssd_and_dram(&clear, &clear, NULL).claim, CLAIM_CANNOT_TELL); /* CPUs that all work are slower by that much */
}

test(but_not_where_it_may_be_cpu_time)
{
	struct summary clear = losses(50, 40, 60);
	struct finding finding = claim_ssd_and_dram(&clear, &clear, "they share the one CPU");

	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "this may be CPU time: they share the one CPU"));
}

test(an_interval_over_nought_tells_nothing)
{
	struct summary unclear = losses(30, 0, 60), little = losses(0, -1, 0);

	check_equal(claim_ssd_and_dram(&unclear, &little, NULL).claim, CLAIM_CANNOT_TELL);
	check_equal(claim_ssd_and_dram(&none, &none, NULL).claim, CLAIM_CANNOT_TELL);
	check_equal(claim_ssd_and_dram(&little, &none, NULL).claim, CLAIM_CANNOT_TELL);
}

test(nor_do_too_few_rounds)
{
	struct summary few = losses(30, 20, 40);
	struct finding finding;

	few.has_interval = false;
	few.count = 5;
	finding = claim_ssd_and_dram(&few, &few, NULL);
	check_equal(finding.claim, CLAIM_CANNOT_TELL);
	check(has(&finding, "n=5, too few for an interval"));
}

test(no_loss_that_counts_refutes_it)
{
	struct summary little = losses(0, -1, 0);

	check_equal(claim_ssd_and_dram(&little, &little, NULL).claim, CLAIM_REFUTED);
	check_equal(claim_ssd_and_dram(&little, &little, "they share the one CPU").claim, CLAIM_REFUTED);
}

test(loopback_is_never_compared_with_10gbe)
{
	struct summary clear = losses(12, 10, 20);
	struct finding finding = claim_10gbe(&clear, NULL);

	check_equal(finding.claim, CLAIM_NOT_COMPARABLE);
	check(has(&finding, "network loses 12 % (10 to 20) beside memory"));
	check(!text_find(finding.text, "CPU time"));
	finding = claim_10gbe(&none, NULL);
	check_equal(finding.claim, CLAIM_NOT_COMPARABLE);
	check(has(&finding, "not measured"));
}

test(overlap_is_the_part_of_the_own_window)
{
	const struct load_result a = { .end_ns = 1000, .window_ns = 400 }, b = { .end_ns = 1100, .window_ns = 400 };
	const struct load_result within = { .end_ns = 900, .window_ns = 200 }, apart = { .end_ns = 600, .window_ns = 100 };

	check_equal(beside_overlap_milli(&a, &b), 750);
	check_equal(beside_overlap_milli(&b, &a), 750);
	check_equal(beside_overlap_milli(&a, &within), 500);
	check_equal(beside_overlap_milli(&within, &a), 1000);
	check_equal(beside_overlap_milli(&a, &apart), 0);
}

/* ---- real loads ---- */

static struct cpu_list cpus;
static struct load_result results[BESIDE_MAX];
static enum beside_end ends[BESIDE_MAX];
static unsigned events;
static char said[MAX_MESSAGE]; /* of the first event */

static struct load_job job(enum load load)
{
	cpu_allowed(&cpus);
	cpus.count = 1;
	return (struct load_job){ .load = load, .cpus = &cpus, .runtime_ns = MS(20), .ramp_ns = MS(1), .buffer_bytes = MIB };
}

/* What the loads say goes into a pipe, and is read behind them. */
static void run(const struct load_job *jobs, unsigned count, uint64_t patience_ns)
{
	static const struct board board;
	static const struct step step = { .name = "study.interference" };
	static struct event event;
	static struct ctx ctx;
	int fds[2];

	check_equal(pipe2(fds, O_NONBLOCK), 0);
	ctx = (struct ctx){ .step = &step, .board = &board, .event_fd = fds[1], .noise_milli = VALUE_NONE };
	beside_run(&ctx, jobs, count, patience_ns, results, ends);
	for (events = 0, said[0] = 0; read(fds[0], &event, sizeof event) == sizeof event; events++)
		if (!events)
			text_copy(said, sizeof said, event.message);
	close(fds[0]);
	close(fds[1]);
	check_equal(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
}

test(two_loads_run_beside_one_another)
{
	const struct load_job jobs[] = { job(LOAD_MEMORY), job(LOAD_MESSAGES) };

	run(jobs, 2, SECONDS(20));
	check_equal(events, 0);
	for (unsigned i = 0; i < 2; i++) {
		check_equal(ends[i], BESIDE_MEASURED);
		check(results[i].rate_milli > 1000 * (int64_t)MIB);
		check(results[i].window_ns > 0);
		check(results[i].cpu_ns > 0);
		check(results[i].engine[0]);
	}
	check(strstr(results[0].engine, " x 1"));
}

test(streaming_reads_by_the_kernel_that_was_found)
{
	struct load_job memory = job(LOAD_MEMORY);

	run(&memory, 1, SECONDS(20));
	check_equal(ends[0], BESIDE_MEASURED);
	check(results[0].kernel);
	memory.kernel = results[0].kernel;
	run(&memory, 1, SECONDS(20));
	check_equal(ends[0], BESIDE_MEASURED);
	check(results[0].kernel == memory.kernel);
	check(results[0].rate_milli > 1000 * (int64_t)MIB);
	check(results[0].window_ns >= memory.runtime_ns);
	check(results[0].call_ns >= memory.runtime_ns + memory.ramp_ns);
}

test(the_network_runs_alone)
{
	const struct load_job network = job(LOAD_NETWORK);

	run(&network, 1, SECONDS(20));
	check_equal(ends[0], BESIDE_MEASURED);
	check(results[0].rate_milli > 1000 * (int64_t)MIB);
}

static struct device device_of(const char *path)
{
	struct device device = { .fd = open(path, O_RDONLY), .size_bytes = 4 * MIB, .logical_block_bytes = 512 };

	text_copy(device.node, sizeof device.node, path);
	return device;
}

/* A device that ends before its size: reading behind it is short. */
test(a_load_that_fails_voids_the_other)
{
	char path[] = "/tmp/assay-beside.XXXXXX";
	int fd = mkstemp(path);
	struct device device = device_of(path);
	struct load_job jobs[] = { job(LOAD_STORAGE), job(LOAD_MEMORY) };

	unlink(path);
	jobs[0].device = &device;
	run(jobs, 2, SECONDS(20));
	check_equal(ends[0], BESIDE_FAILED);
	check_equal(ends[1], BESIDE_VOID);
	check_equal(events, 1);
	check(text_find(said, "reads failed"));
	close(device.fd);
	close(fd);
}

test(a_load_that_comes_to_no_end_is_ended)
{
	struct load_job jobs[] = { job(LOAD_MEMORY), job(LOAD_MESSAGES) };

	jobs[1].runtime_ns = SECONDS(60);
	run(jobs, 2, MS(1500));
	/* It has a rate, but of no time that was shared whole; on a machine that is busy it may be as late. */
	check(ends[0] == BESIDE_VOID || ends[0] == BESIDE_LATE);
	check_equal(ends[1], BESIDE_LATE);
	check_equal(events, 1 + (ends[0] == BESIDE_LATE));
	check(text_find(said, "did not come to an end"));
}

test(cpus_that_are_not_there_are_an_error)
{
	struct cpu_list absent = { .count = 1, .cpus = { MAX_CPUS - 1 } };
	struct load_job memory = job(LOAD_MEMORY);

	memory.cpus = &absent;
	run(&memory, 1, SECONDS(20));
	check_equal(ends[0], BESIDE_FAILED);
	check_equal(events, 1);
}
