#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mem/buffer.h"
#include "mem/reader.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "test.h"

enum { BUFFER_BYTES = 8 << 20 };

static struct reader_told told;

static unsigned last_cpu(void)
{
	static struct cpu_list cpus;

	cpu_allowed(&cpus);
	return cpus.cpus[cpus.count - 1];
}

/* Does a thread of this process have that name? */
static bool has_thread(const char *name)
{
	char command[128];

	snprintf(command, sizeof command, "cat /proc/%d/task/*/comm 2>/dev/null | grep -qxF '%s'", getpid(), name);
	return !system(command);
}

static void read_for(uint64_t rate_bytes_per_s, uint64_t time_ns)
{
	check_equal(reader_start(rate_bytes_per_s, last_cpu()), 0);
	sys_sleep_ns(time_ns);
	reader_stop(&told);
}

test(it_reads_at_the_rate_it_was_given_and_never_faster)
{
	uint64_t rates[] = { 1000000, 20000000, 100000000 };

	check_equal(reader_open(BUFFER_BYTES), 0);
	check_equal(reader_buffer_bytes(), BUFFER_BYTES);
	for (unsigned i = 0; i < 3; i++) {
		uint64_t asked_bytes;

		read_for(rates[i], MS(150));
		asked_bytes = rates[i] / 1000 * (told.elapsed_ns / 1000) / 1000;
		check(told.elapsed_ns >= MS(150) - US(75)); /* the sleep is by a clock that may be slewed by 500 ppm against this one */
		check(told.bytes <= asked_bytes + asked_bytes / 100 + 65536);
		check(told.bytes >= asked_bytes / 3); /* others may have the CPU */
		check_equal(told.wrong_chunks, 0);
	}
	reader_close();
}

test(a_rate_beyond_the_machine_is_told_as_what_was_reached)
{
	check_equal(reader_open(BUFFER_BYTES), 0);
	read_for(UINT64_C(100000000000000), MS(50));
	check(told.bytes > 0);
	check(told.bytes < told.elapsed_ns * 100000);
	check(told.cpu_ns > 0 && told.cpu_ns <= told.elapsed_ns + MS(10));
	reader_close();
}

test(a_slow_one_leaves_the_cpu_to_others)
{
	check_equal(reader_open(BUFFER_BYTES), 0);
	read_for(10000000, MS(200));
	check(told.cpu_ns < told.elapsed_ns / 2);
	reader_close();
}

test(its_thread_is_named_for_its_rate_and_gone_behind_it)
{
	check_equal(reader_open(BUFFER_BYTES), 0);
	check_equal(reader_start(50000000, last_cpu()), 0);
	check(has_thread("load 0.05 GB/s"));
	reader_stop(&told);
	check(!has_thread("load 0.05 GB/s"));
	reader_close();
}

test(what_cannot_be_is_refused)
{
	check_equal(reader_start(1000000, last_cpu()), -ENXIO);
	check_equal(reader_open(BUFFER_BYTES), 0);
	check_equal(reader_start(0, last_cpu()), -EINVAL);
	check(reader_start(1000000, MAX_CPUS - 1) < 0);
	reader_close();
	reader_close();
}

test(the_usual_buffer_is_beyond_the_caches_or_says_so)
{
	check_equal(reader_open(0), 0);
	check(reader_buffer_bytes() >= 16 << 20);
	check(!reader_may_fit_cache() || reader_buffer_bytes() < 4 * buffer_last_cache_bytes());
	reader_close();
}
