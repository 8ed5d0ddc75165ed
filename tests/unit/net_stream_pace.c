#include "capacity.h"
#include "net/stream_pace.h"
#include "sys/clock.h"
#include "test.h"

/* What a sender of `unit` bytes sends by time_ns that wakes up late_ns late each time. */
static uint64_t sent_in(uint64_t rate_bit_per_s, uint32_t unit, unsigned burst, uint64_t time_ns, uint64_t late_ns, uint64_t *calls)
{
	struct pace pace;
	uint64_t now_ns = SECONDS(7), end_ns = now_ns + time_ns, bytes = 0, wait_ns;

	*calls = 0;
	pace_start(&pace, rate_bit_per_s, unit, burst, now_ns);
	while (now_ns < end_ns) {
		uint64_t due = pace_due_bytes(&pace, now_ns, &wait_ns);

		if (!due) {
			now_ns += wait_ns + late_ns;
			continue;
		}
		due = due > unit ? due / unit * unit : unit;
		pace_sent(&pace, due);
		bytes += due;
		++*calls;
	}
	return bytes;
}

static const struct { uint64_t rate_bit_per_s; uint32_t unit; uint64_t time_ns; } rates[] = {
	{ 1000, 12, SECONDS(100) }, { 1000, 125, SECONDS(200) }, { 64000, 400, SECONDS(10) }, { 1048576, 1460, SECONDS(10) }, { 100000000, 1460, SECONDS(1) },
	{ 10000000000, 1460, MS(200) }, { 10000000000, 128 * KIB, MS(200) }, { 100000000000, 128 * KIB, MS(50) },
};

test(a_rate_is_held_within_1_percent_whatever_the_sleep_adds)
{
	for (unsigned i = 0; i < COUNT_OF(rates); i++)
		for (uint64_t late_ns = 0; late_ns <= US(300); late_ns += US(100)) {
			uint64_t calls, bytes = sent_in(rates[i].rate_bit_per_s, rates[i].unit, 0, rates[i].time_ns, late_ns, &calls);
			uint64_t wanted = rates[i].rate_bit_per_s / 8 * (rates[i].time_ns / MS(1)) / 1000;

			check(bytes * 100 >= wanted * 99 && bytes * 100 <= wanted * 101);
			check(calls <= rates[i].time_ns / US(100) * 3 / 2 + 1);
		}
}

test(a_burst_goes_together)
{
	uint64_t calls, bytes = sent_in(8000000, 1000, 10, SECONDS(1), 0, &calls);

	check(bytes >= 990000 && bytes <= 1010000);
	check_equal(calls, 100);
}

test(a_datagram_longer_than_seconds_of_the_rate_waits_its_time)
{
	struct pace pace;
	uint64_t wait_ns;

	pace_start(&pace, 1000, 1460, 0, SECONDS(5));
	check(pace_due_bytes(&pace, SECONDS(5), &wait_ns) >= 1460);
	pace_sent(&pace, 1460);
	check_equal(pace_due_bytes(&pace, SECONDS(5), &wait_ns), 0);
	check_equal(wait_ns, MS(11680));
	check(pace_due_bytes(&pace, SECONDS(5) + MS(11680), &wait_ns) >= 1460);
}

test(who_was_held_up_for_long_catches_up_on_one_second)
{
	struct pace pace;
	uint64_t wait_ns, due;

	pace_start(&pace, 8000000, 1000, 0, 0);
	pace_sent(&pace, 1000);
	due = pace_due_bytes(&pace, SECONDS(60), &wait_ns);
	check(due >= 1000000 && due <= 1002000);
}

test(a_wait_ends_when_told_to_stop)
{
	atomic_bool stop = true;
	struct pace pace;

	pace_start(&pace, 1000, 1460, 0, clock_now_ns());
	pace_sent(&pace, 1460);
	check_equal(pace_wait(&pace, &stop), 0);
}
