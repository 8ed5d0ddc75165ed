/* net_point.c: a test from its asking to what was measured, and what is said when it did not come about. */
#include <errno.h>
#include <string.h>

#include "env/sensor.h"
#include "lib/text.h"
#include "net/loopback.h"
#include "step/net_point.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/watch.h"

enum { STATE_TIMEOUT_MS = 1500 };

static const char *metric_of(const struct net_ask *ask)
{
	return ask->job.test.protocol == NET_TCP ? "net.tcp.throughput" : "net.udp.throughput";
}

void net_point_points(const struct net_ask *ask, bool sends, struct point points[NET_POINTS + 1])
{
	points[0] = point_text("port", ask->port);
	points[1] = point_text("dir", sends ? "tx" : "rx");
	points[2] = point_number("streams", ask->job.test.streams);
	points[3] = point_size("len", ask->job.test.length_bytes);
	points[4] = points[5] = (struct point)POINT_LIST_END;
}

bool net_point_peer(struct ctx *ctx, uint16_t port, struct net_address *peer)
{
	char fault[200];

	/* It is numeric by now. */
	return *ctx_peer(ctx) && !address_resolve(ctx_peer(ctx), port, NET_ANY, peer, fault, sizeof fault);
}

/* ---- meanwhile ---- */

struct meanwhile {
	struct net_measured *measured;
	const struct net_ask *ask;
	const struct stack *stack;
	const struct sensor *emc;
	uint64_t first_ns;     /* of the measured time; 0: it has not begun */
	bool ended;            /* the reading behind it is there */
};

static const struct sensor *find_emc(const struct stack *stack, uint64_t *max_hz)
{
	for (unsigned i = 0; stack && i < stack->clock_count; i++)
		if (!strcmp(stack->clocks[i].name, "emc")) {
			struct sensor limit = { .name = "max" };
			int64_t value;

			text_copy(limit.path, sizeof limit.path, stack->clocks[i].max_path);
			*max_hz = *limit.path && !sensor_read(&limit, &value) && value > 0 ? (uint64_t)value * stack->clocks[i].unit_hz : 0;
			return &stack->clocks[i];
		}
	return NULL;
}

static void read_moment(const struct meanwhile *meanwhile, uint64_t at_ns, struct net_moment *moment)
{
	const struct stack *stack = meanwhile->stack;
	struct conditions conditions;
	int64_t value;

	watch_read(&conditions);
	*moment = (struct net_moment){ .at_ns = at_ns, .cpu_hz = conditions.cpu_hz_max };
	if (meanwhile->emc && !sensor_read(meanwhile->emc, &value) && value > 0)
		moment->emc_hz = (uint64_t)value * meanwhile->emc->unit_hz;
	for (unsigned i = 0; stack && i < stack->temperature_count; i++)
		if (!sensor_read(&stack->temperatures[i], &value) && (!moment->has_temperature || value > moment->temperature_milli)) {
			moment->temperature_milli = value;
			moment->has_temperature = true;
		}
}

/* Every other one goes. */
static void thin_out(struct net_measured *measured)
{
	for (unsigned i = 0; 2 * i < measured->moment_count; i++)
		measured->moments[i] = measured->moments[2 * i];
	measured->moment_count = (measured->moment_count + 1) / 2;
	measured->moment_ns *= 2;
}

static void note_moment(struct meanwhile *meanwhile, uint64_t at_ns)
{
	struct net_measured *measured = meanwhile->measured;

	if (measured->moment_count && at_ns - measured->moments[measured->moment_count - 1].at_ns < measured->moment_ns)
		return;
	if (measured->moment_count == NET_MOMENTS)
		thin_out(measured);
	read_moment(meanwhile, at_ns, &measured->moments[measured->moment_count++]);
}

/* The account's window is the measured time: from the last note of the warm-up to the one at the end, as far as the end is known before. */
static void note(void *context, uint64_t at_ns, bool omitted)
{
	struct meanwhile *meanwhile = context;
	struct net_measured *measured = meanwhile->measured;
	uint64_t time_ns = meanwhile->ask->job.test.time_ns;

	if (omitted) {
		account_read_quick(meanwhile->ask->nic, &measured->before.account);
		return;
	}
	if (!meanwhile->first_ns)
		meanwhile->first_ns = at_ns;
	note_moment(meanwhile, at_ns);
	if (time_ns && at_ns - meanwhile->first_ns + MS(150) >= time_ns) {
		account_read_quick(meanwhile->ask->nic, &measured->after.account);
		meanwhile->ended = true;
	}
}

/* What is read quickly within the window stays; the rest is of the whole test. */
static void read_after(const struct meanwhile *meanwhile, const struct net_ask *ask, struct net_measured *measured)
{
	static struct account window;

	window = measured->after.account;
	state_read(&ask->job.peer, ask->nic, &measured->after);
	if (!meanwhile->ended)
		return;
	measured->after.account.at_ns = window.at_ns;
	measured->after.account.cpu_error = window.cpu_error;
	measured->after.account.cpu = window.cpu;
	measured->after.account.softnet = window.softnet;
	measured->after.account.interrupts = window.interrupts;
}

/* ---- both ends' states ---- */

static int ask_peer(const struct net_ask *ask, struct net_state *state)
{
	char fault[200];

	return state_ask(&ask->job.peer, ask->job.device, MS(STATE_TIMEOUT_MS), state, NULL, fault, sizeof fault);
}

/* Nobody else is asked: on the port behind a stock iperf3's may be another one, in the middle of its own test. */
static void met(void *context)
{
	struct meanwhile *meanwhile = context;

	meanwhile->measured->peer_known = !ask_peer(meanwhile->ask, &meanwhile->measured->peer_before);
}

/* ---- the test ---- */

/* Both ends are ours: the connecting one tells, the other is its peer. */
static void fold(struct net_result *result, bool sends)
{
	struct net_stream_result *near = &result->streams[sends ? 0 : 1], *far = &result->streams[sends ? 1 : 0];

	near->there = far->here;
	near->there.told = true;
	near->far_cpu = far->cpu;
	if (sends) { /* what only a receiver knows */
		near->counts.reordered = far->counts.reordered;
		near->counts.duplicates = far->counts.duplicates;
		near->counts.kernel_drops = far->counts.kernel_drops;
		near->state.receive_buffer_bytes = far->state.receive_buffer_bytes;
	} else {
		near->state.send_buffer_bytes = far->state.send_buffer_bytes;
		near->state.retransmits = far->state.retransmits;
	}
	near->error = near->error ? near->error : far->error;
	if (!sends)
		result->streams[0] = *near;
	result->stream_count = 1;
}

static int run_test(const struct net_ask *ask, struct meanwhile *meanwhile, struct net_result *result)
{
	struct loopback_job loopback = { .test = ask->job.test, .timeout_ns = SECONDS(3), .interval_ns = ask->job.interval_ns, .note = note, .note_context = meanwhile };
	struct client_job job = ask->job;
	int err;

	if (!ask->loopback) {
		job.note = note;
		job.met = met;
		job.note_context = meanwhile;
		return client_run(&job, result);
	}
	err = loopback_run(&loopback, result);
	if (!err)
		fold(result, !ask->job.test.reverse);
	return err;
}

static void tell_loopback_fault(struct ctx *ctx, const struct net_ask *ask, const struct point *points, int err)
{
	if (err == -ENETDOWN || err == -ENETUNREACH || err == -EADDRNOTAVAIL)
		emit_error(ctx, metric_of(ask), points, "lo is down: bring it up");
	else
		emit_error(ctx, metric_of(ask), points, "no connection of this machine with itself: %s", sys_error(err));
}

/* A connection that breaks with nothing but this kernel between its ends is the machine's fault; silence may be load's. */
static bool loopback_held(struct ctx *ctx, const struct net_ask *ask, const struct point *points, const struct net_result *result)
{
	int err = result->streams[0].error;

	if (!err)
		return true;
	if (stream_is_broken(err))
		emit_fail(ctx, metric_of(ask), points, "the connection broke after %llu bytes: %s", (unsigned long long)result->streams[0].here.bytes, sys_error(err));
	else
		emit_error(ctx, metric_of(ask), points, "%s", err == -EAGAIN ? "no data within the time allowed" : sys_error(err));
	return false;
}

bool net_point_run(struct ctx *ctx, const struct net_ask *ask, struct net_measured *measured)
{
	struct meanwhile meanwhile = { .measured = measured, .ask = ask, .stack = board_stack(ctx_board(ctx), ctx_identity(ctx)) };
	struct point points[NET_POINTS + 1];
	int err;

	net_point_points(ask, !ask->job.test.reverse, points);
	measured->moment_count = 0;
	measured->moment_ns = SECONDS(1);
	measured->emc_max_hz = 0;
	meanwhile.emc = find_emc(meanwhile.stack, &measured->emc_max_hz);
	measured->peer_known = false;
	state_read(&ask->job.peer, ask->nic, &measured->before);
	err = run_test(ask, &meanwhile, &measured->result);
	read_after(&meanwhile, ask, measured);
	if (measured->peer_known)
		measured->peer_known = !err && !ask_peer(ask, &measured->peer_after);
	if (ask->loopback && err)
		return tell_loopback_fault(ctx, ask, points, err), false;
	if (ask->loopback)
		return loopback_held(ctx, ask, points, &measured->result);
	if (err && measured->result.blame == NET_LINK)
		emit_fail(ctx, metric_of(ask), points, "%s", measured->result.fault);
	else if (err)
		emit_error(ctx, metric_of(ask), points, "%s", measured->result.fault);
	return !err;
}

uint64_t net_point_plan_ns(const struct net_ask *ask)
{
	const struct net_test *test = &ask->job.test;

	return test->time_ns + (ask->loopback ? test->omit_ns + MS(300) : client_omit_ns(test) + MS(600));
}
