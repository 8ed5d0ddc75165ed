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

#include "net/cpu_use.h"
#include "net/loopback.h"
#include "stat/summary.h"
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

/* CPU time at the end of the warm-up and behind the last interval. */
struct use { int error; struct cpu_use before, after; };

static void read_use(void *context, uint64_t at_ns, bool omitted)
{
	struct use *use = context;
	int err = cpu_use_read(omitted ? &use->before : &use->after);

	(void)at_ns;
	use->error = err ? err : use->error;
}

/* The intervals' rates; one so short that chance makes its rate is none.  Returns how many were warm-up. */
static unsigned rates_of(const struct net_result *result, struct samples *rates)
{
	unsigned omitted = 0;

	samples_clear(rates);
	for (unsigned i = 0; i < result->interval_count; i++) {
		const struct net_interval *interval = &result->intervals[i];

		omitted += interval->omitted;
		if (!interval->omitted && interval->end_ns - interval->start_ns >= MS(10))
			samples_add(rates, milli_per_second(interval->bytes[0] * 8, interval->end_ns - interval->start_ns));
	}
	return omitted;
}

static void add_evidence(const struct net_result *result, struct facts *facts)
{
	static struct samples rates;
	const struct net_stream_result *sender = &result->streams[0], *receiver = &result->streams[1];
	unsigned omitted = rates_of(result, &rates);
	struct summary summary;
	int mtu = socket_link_mtu("lo");

	summary_of(&rates, &summary);
	summary_facts(&summary, facts);
	fact_number(facts, "bytes", (int64_t)receiver->here.bytes);
	fact_number(facts, "elapsed_ns", (int64_t)result->elapsed_ns);
	fact_number(facts, "discarded", omitted);
	fact_number(facts, "discarded_ns", (int64_t)result->omitted_ns);
	fact_number(facts, "discarded_bytes", (int64_t)receiver->here.omitted_bytes);
	fact_number(facts, "sender_cpu", sender->cpu);
	fact_number(facts, "receiver_cpu", receiver->cpu);
	fact_number(facts, "retransmits", sender->state.retransmits);
	fact_number(facts, "cwnd", sender->state.cwnd_bytes);
	fact_number(facts, "mss", sender->state.mss);
	fact_number(facts, "path_mtu", sender->state.path_mtu);
	if (mtu > 0)
		fact_number(facts, "mtu", mtu);
	fact_number(facts, "sndbuf", sender->state.send_buffer_bytes);
	fact_number(facts, "rcvbuf", receiver->state.receive_buffer_bytes);
	fact_text(facts, "engine", sender->engine);
	fact_text(facts, "receiver_engine", receiver->engine);
	fact_text(facts, "congestion", sender->state.congestion);
	fact_text(facts, "clock", "monotonic_raw");
}

static void tell_cpu_use(struct ctx *ctx, const char *direction, const struct use *use, uint64_t elapsed_ns, unsigned cpu)
{
	for (enum cpu_kind kind = CPU_USER; kind <= CPU_SOFTIRQ; kind++) {
		const struct point points[] = { point_text("dir", direction), point_number("cpu", cpu),
		                                point_text("kind", cpu_use_kind(kind)), POINT_LIST_END };
		struct facts facts = { .count = 0 };
		uint64_t ticks;
		int64_t ppm_milli = cpu_use_ppm_milli(&use->before, &use->after, cpu, kind, &ticks);

		fact_number(&facts, "n", (int64_t)ticks);
		fact_number(&facts, "window_ns", (int64_t)elapsed_ns);
		fact_number(&facts, "tick_ns", (int64_t)MS(10));
		fact_text(&facts, "clock", "monotonic_raw");
		if (ppm_milli == VALUE_NONE)
			emit_skip(ctx, "net.cpu", points, "no tick of this CPU's time was counted in /proc/stat");
		else
			emit_figure(ctx, "net.cpu", "ppm", points, ppm_milli, &facts);
	}
}

static void tell_cpus(struct ctx *ctx, const char *direction, const struct use *use, uint64_t elapsed_ns)
{
	static struct cpu_list list;

	if (use->error) {
		emit_skip(ctx, "net.cpu", NULL, "/proc/stat: %s", sys_error(use->error));
		return;
	}
	cpu_allowed(&list);
	for (unsigned i = 0; i < list.count; i++)
		tell_cpu_use(ctx, direction, use, elapsed_ns, list.cpus[i]);
}

/*
 * A connection that breaks with nothing but this kernel between its ends is the machine's fault; silence may be load's, and
 * memory or permission is ours to get.
 */
static void tell_broken(struct ctx *ctx, const struct point *points, const struct net_result *result)
{
	int ends[] = { result->streams[0].error, result->streams[1].error };
	int err = stream_is_broken(ends[1]) || !ends[0] ? ends[1] : ends[0];
	const char *name = err == ends[0] ? "sender" : "receiver";

	if (stream_is_broken(err))
		emit_fail(ctx, throughput, points, "the connection broke at the %s after %llu bytes: %s", name,
		          (unsigned long long)result->streams[1].here.bytes, sys_error(err));
	else if (err)
		emit_error(ctx, throughput, points, "the %s ended early: %s", name, why(err));
}

static void measure(struct ctx *ctx, const char *direction)
{
	static struct net_result result;
	static struct use use;
	const struct loopback_job job = {
		.test = { .protocol = NET_TCP, .reverse = !strcmp(direction, "rx"), .streams = 1, .length_bytes = (uint32_t)param_number(ctx, LENGTH),
		          .time_ns = param_number(ctx, RUNTIME), .omit_ns = param_number(ctx, OMIT) },
		.timeout_ns = SECONDS(3), .note = read_use, .note_context = &use,
	};
	const struct point points[] = { point_text("port", "lo"), point_text("dir", direction), point_number("streams", 1),
	                                point_size("len", job.test.length_bytes), POINT_LIST_END };
	struct facts facts = { .count = 0 };
	int err;

	if (planned(ctx, job.test.time_ns + job.test.omit_ns + MS(300), 0))
		return;
	use.error = 0;
	read_use(&use, 0, true);
	err = socket_link_up("lo");
	if (!err)
		err = loopback_run(&job, &result);
	if (err) {
		emit_error(ctx, throughput, points, "%s", why(err));
		return;
	}
	tell_broken(ctx, points, &result);
	if (!result.streams[1].here.bytes) {
		emit_error(ctx, throughput, points, "no byte arrived");
		return;
	}
	add_evidence(&result, &facts);
	emit_figure(ctx, throughput, "bit/s", points, milli_per_second(result.streams[1].here.bytes * 8, result.elapsed_ns), &facts);
	tell_cpus(ctx, direction, &use, result.elapsed_ns);
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
