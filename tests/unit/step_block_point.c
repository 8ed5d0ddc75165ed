/* step_block_point.c: what a point is planned to take and to write, which its deadline and the cap on wear come from. */
#include "test.h"

#include "step/block_point.h"
#include "step/context.h"

static struct ctx ctx;
static struct block_ask ask;
static struct device device;

static void set_up(enum block_rw rw, uint64_t count)
{
	ctx = (struct ctx){ .event_fd = -1, .dry = true, .write_left_bytes = UINT64_MAX };
	device = (struct device){ .role = "file", .fd = -1, .size_bytes = GIB, .logical_block_bytes = 512, .writable = true };
	ask = (struct block_ask){ .job = { .rw = rw, .engine = BLOCK_PSYNC, .iodepth = 1, .numjobs = 1, .bs_bytes = 4096, .limit_ios = count },
	                          .buffers_bytes = GIB };
}

static void plan(void)
{
	check_equal(block_point_run(&ctx, &device, &ask, NULL), POINT_PLANNED);
}

test(count_at_a_rate_is_planned_for_the_time_that_it_takes)
{
	set_up(BLOCK_READ, 600);
	ask.job.rate_iops = 10;
	plan();
	check(ctx.plan_ns >= SECONDS(60) && ctx.plan_ns < SECONDS(70));
	set_up(BLOCK_READ, 600);
	ask.job.rate_iops = 10;
	ask.job.numjobs = 2;
	plan();
	check(ctx.plan_ns >= SECONDS(30) && ctx.plan_ns < SECONDS(35));
}

test(random_blocks_are_planned_for_a_hard_disk)
{
	set_up(BLOCK_RANDREAD, 10000);
	plan();
	check(ctx.plan_ns >= SECONDS(100) && ctx.plan_ns < SECONDS(110));
	set_up(BLOCK_READ, 10000);
	plan();
	check(ctx.plan_ns < SECONDS(10));
}

test(count_beyond_the_region_writes_the_region)
{
	set_up(BLOCK_WRITE, 1ull << 52);
	plan();
	check_equal(ctx.plan_write_bytes, GIB);
	check(ctx.plan_ns < SECONDS(1000));
	set_up(BLOCK_WRITE, 1000);
	plan();
	check_equal(ctx.plan_write_bytes, 4096000);
}

test(timed_job_with_a_limit_may_go_round)
{
	set_up(BLOCK_WRITE, 1 << 20);
	ask.job.runtime_ns = SECONDS(1);
	plan();
	check_equal(ctx.plan_write_bytes, 4 * GIB);
}

test(no_count_is_planned_beyond_a_year_or_so)
{
	set_up(BLOCK_RANDREAD, UINT64_MAX);
	device.size_bytes = 1ull << 60;
	ask.job.bs_bytes = 512;
	ask.job.rate_iops = 1;
	plan();
	check(ctx.plan_ns > SECONDS(86400ull * 365) && ctx.plan_ns < SECONDS(86400ull * 366 * 2 + 1));
}
