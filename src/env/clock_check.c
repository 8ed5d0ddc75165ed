/* clock_check.c: see its header. */
#include "env/clock_check.h"
#include "event.h"
#include "lib/wide.h"
#include "sys/clock.h"

enum { BRACKETS = 32, READINGS_PER_HOP = 16 };

const struct clock_pair clock_pair = { clock_ticks, clock_ticks_to_ns, clock_now_ns };

/* One moment by both clocks. */
struct moment {
	uint64_t ticks, raw_ns, error_ns;
};

/* The quick clock is read between two readings of raw; the narrowest of several brackets tells best. */
static struct moment moment_of(const struct clock_pair *pair)
{
	struct moment best = { .error_ns = UINT64_MAX };

	for (unsigned i = 0; i < BRACKETS; i++) {
		uint64_t before_ns = pair->raw_ns(), ticks = pair->ticks(), after_ns = pair->raw_ns();
		uint64_t half_ns = (after_ns - before_ns) / 2;

		if (half_ns < best.error_ns)
			best = (struct moment){ ticks, before_ns + half_ns, half_ns };
	}
	return best;
}

static void note_back(struct clock_check *check, uint64_t *count, uint64_t back_ns)
{
	(*count)++;
	if (back_ns > check->worst_back_ns)
		check->worst_back_ns = back_ns;
}

struct last { uint64_t ticks, raw_ns; };

static void read_both(const struct clock_pair *pair, struct last *last, struct clock_check *check)
{
	for (unsigned i = 0; i < READINGS_PER_HOP; i++) {
		uint64_t ticks = pair->ticks(), raw_ns = pair->raw_ns();

		if (ticks < last->ticks)
			note_back(check, &check->ticks_backwards, pair->ticks_to_ns(last->ticks - ticks));
		if (raw_ns < last->raw_ns)
			note_back(check, &check->raw_backwards, last->raw_ns - raw_ns);
		*last = (struct last){ ticks, raw_ns };
		check->readings++;
	}
}

static void compare(const struct clock_pair *pair, const struct moment *from, const struct moment *to, struct clock_check *check)
{
	int64_t quick_ns = (int64_t)pair->ticks_to_ns(to->ticks - from->ticks);

	check->span_ns = to->raw_ns - from->raw_ns;
	check->drift_error_ns = from->error_ns + to->error_ns;
	check->drift_ppm_milli = VALUE_NONE;
	if (check->span_ns)
		check->drift_ppm_milli = (int64_t)wide_divide_signed((__int128)(quick_ns - (int64_t)check->span_ns) * 1000000000, check->span_ns);
}

void clock_check(const struct clock_pair *pair, const struct cpu_list *list, uint64_t duration_ns, struct clock_check *check)
{
	struct moment from = moment_of(pair), to;
	struct last last = { from.ticks, from.raw_ns };

	*check = (struct clock_check){ .hops = 0 };
	do {
		for (unsigned i = 0; i < list->count; i++) {
			if (cpu_pin(list->cpus[i]))
				check->pin_failures++;
			else
				check->hops++;
			read_both(pair, &last, check);
		}
	} while (last.raw_ns - from.raw_ns < duration_ns && check->readings < UINT32_MAX);
	to = moment_of(pair);
	cpu_pin_all(list);
	compare(pair, &from, &to, check);
}

void clock_grain(uint64_t (*read_ns)(void), unsigned count, uint64_t *resolution_ps, uint64_t *overhead_ps)
{
	uint64_t start_ns = read_ns(), last_ns = start_ns, step_ns = UINT64_MAX;

	for (unsigned i = 0; i < count; i++) {
		uint64_t now_ns = read_ns();

		if (now_ns > last_ns && now_ns - last_ns < step_ns)
			step_ns = now_ns - last_ns;
		last_ns = now_ns;
	}
	*resolution_ps = step_ns == UINT64_MAX ? 0 : step_ns * 1000;
	*overhead_ps = (last_ns - start_ns) * 1000 / count;
}
