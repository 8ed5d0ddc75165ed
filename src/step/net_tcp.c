/*
 * net.tcp: TCP throughput both ways over the loopback interface, and what it costs each CPU.
 *
 * tx: the side that connected sends; rx: it receives.  Bytes are counted at the receiver.
 * FAIL   an established connection broke or was reset
 * SKIP   declared ports: they need a peer
 * ERROR  no connection came about (lo is down, sockets are not permitted), or an end was silent, or got no memory
 */
#include <errno.h>
#include <string.h>

#include "net/tcp.h"
#include "step.h"
#include "sys/call.h"
#include "sys/cpu.h"

enum { RUNTIME, OMIT, LENGTH, DIRECTION };

static const struct param params[] = {
	[RUNTIME]   = { "runtime", PARAM_DURATION, .def = "2s", .def_medium = "30s", .min = MS(100), .max = SECONDS(86400),
	                .help = "time for each direction" },
	[OMIT]      = { "omit", PARAM_DURATION, .def = "200ms", .def_medium = "1s", .max = SECONDS(600),
	                .help = "thrown away before it" },
	[LENGTH]    = { "len", PARAM_SIZE, .def = "128k", .min = 1, .max = MIB, .help = "bytes of one send or receive call" },
	[DIRECTION] = { "dir", PARAM_WORDS, .def = "tx,rx", .words = "tx|rx", .help = "directions, seen from the side that connects" },
	PARAM_END
};

static const char throughput[] = "net.tcp.throughput";

static const char *why(int err)
{
	if (err == -ENETDOWN || err == -ENETUNREACH || err == -EADDRNOTAVAIL)
		return "lo is down: bring it up";
	if (err == -ENODEV)
		return "there is no interface lo";
	return err == -EAGAIN ? "no data within the time allowed" : sys_error(err);
}

static void add_evidence(const struct tcp_job *job, const struct tcp_result *result, struct facts *facts)
{
	struct summary summary;
	int mtu = socket_link_mtu("lo");

	summary_of(&result->intervals, &summary);
	summary_facts(&summary, facts);
	fact_number(facts, "bytes", (int64_t)result->bytes);
	fact_number(facts, "elapsed_ns", (int64_t)result->elapsed_ns);
	fact_number(facts, "discarded", result->omitted_intervals);
	fact_number(facts, "discarded_ns", (int64_t)job->omit_ns);
	fact_number(facts, "discarded_bytes", (int64_t)result->omitted_bytes);
	fact_number(facts, "sender_cpu", result->sender_cpu);
	fact_number(facts, "receiver_cpu", result->receiver_cpu);
	fact_number(facts, "retransmits", result->sender.retransmits);
	fact_number(facts, "cwnd", result->sender.cwnd_bytes);
	fact_number(facts, "mss", result->sender.mss);
	fact_number(facts, "path_mtu", result->sender.path_mtu);
	if (mtu > 0)
		fact_number(facts, "mtu", mtu);
	fact_number(facts, "sndbuf", result->sender.send_buffer_bytes);
	fact_number(facts, "rcvbuf", result->receiver.receive_buffer_bytes);
	fact_text(facts, "engine", "send/recv");
	fact_text(facts, "clock", "monotonic_raw");
}

static void tell_cpu_use(struct ctx *ctx, const char *direction, const struct tcp_result *result, unsigned cpu)
{
	for (enum cpu_kind kind = CPU_USER; kind <= CPU_SOFTIRQ; kind++) {
		const struct point points[] = { point_text("dir", direction), point_number("cpu", cpu),
		                                point_text("kind", cpu_use_kind(kind)), POINT_LIST_END };
		struct facts facts = { .count = 0 };
		uint64_t ticks;
		int64_t ppm_milli = cpu_use_ppm_milli(&result->before, &result->after, cpu, kind, &ticks);

		fact_number(&facts, "n", (int64_t)ticks);
		fact_number(&facts, "window_ns", (int64_t)result->elapsed_ns);
		fact_number(&facts, "tick_ns", (int64_t)MS(10));
		fact_text(&facts, "clock", "monotonic_raw");
		if (ppm_milli == VALUE_NONE)
			emit_skip(ctx, "net.cpu", points, "no tick of this CPU's time was counted in /proc/stat");
		else
			emit_figure(ctx, "net.cpu", "ppm", points, ppm_milli, &facts);
	}
}

static void tell_cpus(struct ctx *ctx, const char *direction, const struct tcp_result *result)
{
	static struct cpu_list list;

	if (result->cpu_error) {
		emit_skip(ctx, "net.cpu", NULL, "/proc/stat: %s", sys_error(result->cpu_error));
		return;
	}
	cpu_allowed(&list);
	for (unsigned i = 0; i < list.count; i++)
		tell_cpu_use(ctx, direction, result, list.cpus[i]);
}

/*
 * A connection that breaks with nothing but this kernel between its ends is the machine's fault; silence may be load's, and
 * memory or permission is ours to get.
 */
static void tell_broken(struct ctx *ctx, const struct point *points, const struct tcp_result *result)
{
	int ends[] = { result->send_error, result->receive_error };
	int err = tcp_is_broken(ends[1]) || !ends[0] ? ends[1] : ends[0];
	const char *name = err == ends[0] ? "sender" : "receiver";

	if (tcp_is_broken(err))
		emit_fail(ctx, throughput, points, "the connection broke at the %s after %llu bytes: %s", name,
		          (unsigned long long)result->bytes, sys_error(err));
	else if (err)
		emit_error(ctx, throughput, points, "the %s ended early: %s", name, why(err));
}

static void measure(struct ctx *ctx, const char *direction)
{
	static struct tcp_result result;
	const struct tcp_job job = { .omit_ns = param_number(ctx, OMIT), .runtime_ns = param_number(ctx, RUNTIME), .timeout_ns = SECONDS(3),
	                             .length_bytes = param_number(ctx, LENGTH), .accepter_sends = !strcmp(direction, "rx") };
	const struct point points[] = { point_text("port", "lo"), point_text("dir", direction), point_number("streams", 1),
	                                point_size("len", job.length_bytes), POINT_LIST_END };
	struct facts facts = { .count = 0 };
	int err;

	if (planned(ctx, job.runtime_ns + job.omit_ns + MS(300), 0))
		return;
	err = socket_link_up("lo");
	if (!err)
		err = tcp_loopback(&job, &result);
	if (err) {
		emit_error(ctx, throughput, points, "%s", why(err));
		return;
	}
	tell_broken(ctx, points, &result);
	if (!result.bytes) {
		emit_error(ctx, throughput, points, "no byte arrived");
		return;
	}
	add_evidence(&job, &result, &facts);
	emit_figure(ctx, throughput, "bit/s", points, milli_per_second(result.bytes * 8, result.elapsed_ns), &facts);
	tell_cpus(ctx, direction, &result);
}

static void run(struct ctx *ctx)
{
	const struct board *board = ctx_board(ctx);
	char direction[8];

	for (unsigned i = 0; i < param_values(ctx, DIRECTION)->count; i++)
		measure(ctx, param_text(ctx, DIRECTION, i, direction, sizeof direction));
	for (unsigned i = 0; i < board->network_count; i++) {
		const struct point points[] = { point_text("port", board->network[i].port), POINT_LIST_END };

		emit_skip(ctx, throughput, points, "no peer was given for this declared port");
	}
}

const struct step step_net_tcp = {
	.name = "net.tcp", .summary = "TCP throughput both ways over loopback, and its cost to each CPU",
	.needs = NEEDS_NETWORK, .params = params, .run = run,
};
