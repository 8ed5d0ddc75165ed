/* net_account.c: see its header. */
#include <stddef.h>
#include <string.h>

#include "lib/text.h"
#include "step/net_account.h"
#include "sys/call.h"

#define MOST_TICKS (1ull << 50) /* of one CPU: a peer that says more does not tell */

static struct facts facts; /* too large for each of these functions to have one */

static void begin_facts(const struct account *before, const struct account *after)
{
	facts.count = facts.text_count = 0;
	fact_number(&facts, "window_ns", (int64_t)(after->at_ns - before->at_ns));
}

/* A peer may say anything: what is no number is no figure, and none of this board's faults. */
static void put(struct ctx *ctx, const char *metric, const char *unit, const struct point *points, int64_t value_milli)
{
	if (value_milli != VALUE_NONE)
		emit_figure(ctx, metric, unit, points, value_milli, &facts);
}

static const char *name_of(const char *side, const char *what, char name[64])
{
	text_format(name, 64, "%s.%s", side, what);
	return name;
}

static void tell_cpu(struct ctx *ctx, const char *metric, const char *direction, const struct account *before, const struct account *after, unsigned cpu)
{
	for (enum cpu_kind kind = CPU_USER; kind <= CPU_SOFTIRQ; kind++) {
		const struct point points[] = { point_text("dir", direction), point_number("cpu", cpu), point_text("kind", cpu_use_kind(kind)), POINT_LIST_END };
		uint64_t ticks;
		int64_t ppm_milli = cpu_use_ppm_milli(&before->cpu, &after->cpu, cpu, kind, &ticks);

		begin_facts(before, after);
		fact_number(&facts, "n", (int64_t)ticks);
		fact_number(&facts, "tick_ns", (int64_t)MS(10));
		if (ppm_milli == VALUE_NONE || ticks > MOST_TICKS)
			emit_skip(ctx, metric, points, "no tick of this CPU's time was counted in /proc/stat");
		else
			emit_figure(ctx, metric, "ppm", points, ppm_milli, &facts);
	}
}

static void tell_cpus(struct ctx *ctx, const char *side, const char *direction, const struct account *before, const struct account *after)
{
	char metric[64];

	name_of(side, "cpu", metric);
	if (before->cpu_error || after->cpu_error)
		emit_skip(ctx, metric, NULL, "/proc/stat: %s", sys_error(before->cpu_error ? before->cpu_error : after->cpu_error));
	else
		for (unsigned i = 0; i < after->cpu.count; i++)
			tell_cpu(ctx, metric, direction, before, after, after->cpu.cpus[i]);
}

/* Under a name that may be longer than a key: what stands behind @ is the bus's, and its end tells lines apart better than its start.  Two of one key are added up. */
static void add_named(const char *name, uint64_t count)
{
	char key[sizeof facts.numbers[0].key];
	size_t length = strcspn(name, "@");
	struct text text = TEXT(key);
	const struct fact *fact;

	text_add_bytes(&text, name + (length < sizeof key ? 0 : length - sizeof key + 1), length < sizeof key ? length : sizeof key - 1);
	fact = fact_find(&facts, key);
	fact_number(&facts, key, (int64_t)count + (fact ? fact->milli / 1000 : 0));
}

static void tell_interrupts(struct ctx *ctx, const char *side, const char *port, const char *direction, const struct account *before, const struct account *after)
{
	char metric[64];

	name_of(side, "interrupts", metric);
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++) {
		uint64_t count = after->interrupts.by_cpu[cpu] - before->interrupts.by_cpu[cpu];
		const struct point points[] = { point_text("port", port), point_text("dir", direction), point_number("cpu", cpu), POINT_LIST_END };

		if (after->interrupts.by_cpu[cpu] <= before->interrupts.by_cpu[cpu])
			continue;
		begin_facts(before, after);
		fact_number(&facts, "n", (int64_t)count);
		for (unsigned line = 0; line < after->interrupts.lines && line < before->interrupts.lines; line++)
			if (after->interrupts.total[line] > before->interrupts.total[line])
				add_named(after->interrupts.names[line], after->interrupts.total[line] - before->interrupts.total[line]);
		put(ctx, metric, "1/s", points, milli_per_second(count, after->at_ns - before->at_ns));
	}
}

static uint64_t of_cpu(const struct softnet *softnet, const uint64_t *counts, unsigned cpu)
{
	for (unsigned i = 0; i < softnet->count; i++)
		if (softnet->cpus[i] == cpu)
			return counts[i];
	return 0;
}

static void tell_softnet(struct ctx *ctx, const char *side, const char *direction, const struct account *before, const struct account *after)
{
	static const struct { const char *name; size_t at; } kinds[] = {
		{ "softnet.dropped", offsetof(struct softnet, dropped) }, { "softnet.squeezed", offsetof(struct softnet, squeezed) },
	};
	char metric[64];

	for (unsigned i = 0; i < after->softnet.count; i++)
		for (unsigned k = 0; k < COUNT_OF(kinds); k++) {
			const uint64_t *now = (const uint64_t *)(const void *)((const char *)&after->softnet + kinds[k].at);
			const uint64_t *then = (const uint64_t *)(const void *)((const char *)&before->softnet + kinds[k].at);
			uint64_t old = of_cpu(&before->softnet, then, after->softnet.cpus[i]);
			const struct point points[] = { point_text("dir", direction), point_number("cpu", after->softnet.cpus[i]), POINT_LIST_END };

			if (now[i] <= old)
				continue;
			begin_facts(before, after);
			put(ctx, name_of(side, kinds[k].name, metric), "1", points, milli_whole(now[i] - old));
		}
}

/* The driver's own statistics that moved most, as evidence of the port's. */
static void add_statistics(const struct nic_counters *before, const struct nic_counters *after)
{
	for (unsigned i = 0; i < after->count; i++) {
		uint64_t old = 0;

		for (unsigned k = 0; k < before->count; k++)
			if (!strcmp(before->names[k], after->names[i]))
				old = before->values[k];
		if (after->values[i] > old && (text_find(after->names[i], "err") || text_find(after->names[i], "drop") || text_find(after->names[i], "pause") ||
		                               text_find(after->names[i], "miss") || text_find(after->names[i], "crc")))
			add_named(after->names[i], after->values[i] - old);
	}
}

static void tell_port(struct ctx *ctx, const char *side, const char *port, const char *direction, const struct account *before, const struct account *after)
{
#define COUNTER(member) { "port." #member, offsetof(struct account, counters.member) }
	static const struct { const char *name; size_t at; } counters[] = {
		COUNTER(rx_errors), COUNTER(tx_errors), COUNTER(rx_dropped), COUNTER(tx_dropped), COUNTER(rx_missed), COUNTER(rx_crc_errors),
		COUNTER(pause_rx), COUNTER(pause_tx), { "port.receive_buffer", offsetof(struct account, udp_receive_errors) },
	};
#undef COUNTER
	const struct point points[] = { point_text("port", port), point_text("dir", direction), POINT_LIST_END };
	char metric[64];

	for (unsigned i = 0; i < COUNT_OF(counters); i++) {
		uint64_t now = *(const uint64_t *)(const void *)((const char *)after + counters[i].at);
		uint64_t old = *(const uint64_t *)(const void *)((const char *)before + counters[i].at);

		if (now <= old)
			continue;
		begin_facts(before, after);
		add_statistics(&before->counters, &after->counters);
		put(ctx, name_of(side, counters[i].name, metric), "1", points, milli_whole(now - old));
	}
}

void net_account_tell(struct ctx *ctx, const char *side, const char *port, const char *direction, const struct account *before, const struct account *after)
{
	tell_cpus(ctx, side, direction, before, after);
	tell_interrupts(ctx, side, port, direction, before, after);
	tell_softnet(ctx, side, direction, before, after);
	tell_port(ctx, side, port, direction, before, after);
}

int64_t net_account_busiest(const struct account *before, const struct account *after, unsigned *cpu)
{
	int64_t most = VALUE_NONE;

	for (unsigned i = 0; i < after->cpu.count; i++) {
		int64_t idle = cpu_use_ppm_milli(&before->cpu, &after->cpu, after->cpu.cpus[i], CPU_REST, NULL);

		if (idle != VALUE_NONE && 1000000000 - idle > most) {
			most = 1000000000 - idle;
			*cpu = after->cpu.cpus[i];
		}
	}
	return most;
}
