/* study_reading.c: what a study keeps of a result. */
#include "test.h"

#include "study/reading.h"

static struct readings readings;
static struct block_result result;

/* One second, of which its thread was on a CPU for most. */
static const struct reading *take(const char *engine)
{
	const struct block_job job = { .rw = BLOCK_READ, .bs_bytes = 4096, .iodepth = 1, .numjobs = 1 };

	result.engine = engine;
	result.numjobs = 1;
	result.time_ns = SECONDS(1);
	result.user_ns = MS(150);
	result.system_ns = MS(800);
	result.bandwidth_milli = 1000000000;
	return readings_add(&readings, &job, &result);
}

test(time_of_a_thread_that_polls_tells_nothing_of_the_cpu)
{
	readings.count = 0;
	check_equal(take("io_uring")->cpu_ppm, 950000);
	check_equal(take("io_uring polled")->cpu_ppm, 0);
}

test(what_there_is_no_room_for_is_counted)
{
	readings = (struct readings){ .count = MAX_READINGS - 1 };
	check(take("psync") != NULL);
	check_equal(readings.left_out, 0);
	check(take("psync") == NULL);
	check(take("psync") == NULL);
	check_equal(readings.left_out, 2);
	check_equal(readings.count, MAX_READINGS);
	result.bandwidth_milli = VALUE_NONE;
}
