/*
 * env.noise: the share of each CPU's time that others take away: interrupts, other programs, firmware, a hypervisor.
 *
 * Gaps in a counter loop on all allowed CPUs at once (env/noise.h has the method).
 * ERROR  a CPU that could not be pinned, or got no thread
 */
#include "env/noise.h"
#include "step.h"
#include "sys/call.h"

enum { DURATION };

static const struct param params[] = {
	[DURATION] = { "duration", PARAM_DURATION, .def = "1s", .def_medium = "10s", .min = MS(10), .max = SECONDS(3600),
	               .help = "time on every CPU, all at once" },
	PARAM_END
};

static struct noise noise[MAX_CPUS];

static void tell(struct ctx *ctx, unsigned cpu, const struct noise *found)
{
	const struct point points[] = { point_number("cpu", cpu), POINT_LIST_END };
	struct facts facts = { .count = 0 };

	if (found->error) {
		emit_error(ctx, "env.noise", points, "%s", sys_error(found->error));
		return;
	}
	fact_number(&facts, "n", (int64_t)found->readings);
	fact_text(&facts, "engine", "counter loop");
	fact_number(&facts, "gaps", (int64_t)found->gaps);
	fact_number(&facts, "run_ns", (int64_t)found->run_ns);
	fact_number(&facts, "lost_ns", (int64_t)found->lost_ns);
	fact_number(&facts, "threshold_ns", (int64_t)found->threshold_ns);
	fact_milli(&facts, "turn_ns", (int64_t)found->turn_ps);
	emit_figure(ctx, "env.noise", "ppm", points, milli_ratio(found->lost_ns * 1000000, found->run_ns), &facts);
	emit_figure(ctx, "env.noise.max", "ns", points, milli_whole(found->max_ns), &facts);
}

static void run(struct ctx *ctx)
{
	static struct cpu_list list;

	if (planned(ctx, param_number(ctx, DURATION) + MS(50), 0))
		return;
	cpu_allowed(&list);
	noise_measure(&list, param_number(ctx, DURATION), noise);
	for (unsigned i = 0; i < list.count; i++)
		tell(ctx, list.cpus[i], &noise[i]);
}

const struct step step_env_noise = {
	.name = "env.noise", .summary = "time taken from each CPU: gaps in a counter loop", .params = params, .run = run,
};
