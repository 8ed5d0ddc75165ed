/* net_figures.c: what a test brought, as figures. */
#include <string.h>

#include "lib/text.h"
#include "step/net_account.h"
#include "step/net_point.h"

static const char *protocol(const struct net_ask *ask)
{
	return ask->job.test.protocol == NET_TCP ? "tcp" : "udp";
}

static const char *name_of(const struct net_ask *ask, const char *quantity, char name[64])
{
	text_format(name, 64, "net.%s.%s", protocol(ask), quantity);
	return name;
}

/* ---- rates ---- */

/*
 * Behind a warm-up the peer's count begins at a moment of its own.  TCP loses nothing: where so many bytes end the test, those that were sent are those
 * that came, and by time no more can have come than was sent.
 */
static bool is_counted_there(const struct net_ask *ask, const struct net_stream_result *stream)
{
	const struct net_test *test = &ask->job.test;
	bool apart = test->omit_ns && test->protocol == NET_TCP && !ask->loopback;

	return stream->sends && stream->there.told && !(apart && (test->bytes || test->blocks || stream->there.bytes > stream->here.bytes));
}

static const struct net_end *counted(const struct net_ask *ask, const struct net_stream_result *stream)
{
	return is_counted_there(ask, stream) ? &stream->there : &stream->here;
}

static uint64_t arrived(const struct net_ask *ask, const struct net_result *result, bool sends, bool *by_receiver)
{
	uint64_t bytes = 0;

	*by_receiver = true;
	for (unsigned i = 0; i < result->stream_count; i++) {
		const struct net_stream_result *stream = &result->streams[i];

		if (stream->sends != sends)
			continue;
		bytes += counted(ask, stream)->bytes;
		*by_receiver &= !sends || is_counted_there(ask, stream);
	}
	return bytes;
}

int64_t net_point_rate_milli(const struct net_ask *ask, const struct net_measured *measured, bool sends, bool *by_receiver)
{
	bool receiver;
	uint64_t bytes = arrived(ask, &measured->result, sends, &receiver);

	if (by_receiver)
		*by_receiver = receiver;
	return bytes ? milli_per_second(bytes * 8, measured->result.elapsed_ns) : VALUE_NONE;
}

/* A sender's intervals tell of what it sent: they are of what arrived only where that is the same, but for one in twenty. */
static bool intervals_tell(const struct net_ask *ask, const struct net_result *result, bool sends)
{
	uint64_t sent = 0, came;
	bool by_receiver;

	if (!sends || ask->loopback)
		return true;
	for (unsigned i = 0; i < result->interval_count; i++)
		sent += result->intervals[i].omitted ? 0 : result->intervals[i].bytes[1];
	came = arrived(ask, result, sends, &by_receiver);
	return sent <= came + came / 20 && came <= sent + sent / 20;
}

/* Over loopback both directions are counted where they arrive. */
void net_point_rates(const struct net_ask *ask, const struct net_measured *measured, bool sends, struct samples *rates)
{
	samples_clear(rates);
	if (!intervals_tell(ask, &measured->result, sends))
		return;
	for (unsigned i = 0; i < measured->result.interval_count; i++) {
		const struct net_interval *interval = &measured->result.intervals[i];

		/* One so short that chance makes its rate is none. */
		if (!interval->omitted && interval->end_ns - interval->start_ns >= MS(10))
			samples_add(rates, milli_per_second(interval->bytes[sends && !ask->loopback] * 8, interval->end_ns - interval->start_ns));
	}
}

static unsigned omitted_intervals(const struct net_result *result)
{
	unsigned count = 0;

	for (unsigned i = 0; i < result->interval_count; i++)
		count += result->intervals[i].omitted;
	return count;
}

/* ---- evidence ---- */

static const struct net_stream_result *first_stream(const struct net_result *result, bool sends)
{
	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends == sends)
			return &result->streams[i];
	return NULL;
}

static void add_connection(const struct net_ask *ask, const struct net_stream_result *stream, struct facts *facts)
{
	const struct socket_state *state = &stream->state;

	fact_number(facts, "sndbuf", state->send_buffer_bytes);
	fact_number(facts, "rcvbuf", state->receive_buffer_bytes);
	if (state->mss) {
		if (stream->sends || ask->loopback)
			fact_number(facts, "retransmits", state->retransmits);
		fact_number(facts, "cwnd", state->cwnd_bytes);
		fact_number(facts, "mss", state->mss);
		fact_number(facts, "path_mtu", state->path_mtu);
		fact_number(facts, "rtt_us", state->rtt_us);
		fact_number(facts, "busy_us", (int64_t)state->busy_us);
		fact_number(facts, "rwnd_limited_us", (int64_t)state->rwnd_limited_us);
		fact_number(facts, "sndbuf_limited_us", (int64_t)state->sndbuf_limited_us);
		fact_text(facts, "congestion", state->congestion);
	}
	fact_number(facts, stream->sends ? "sender_cpu" : "receiver_cpu", stream->cpu);
	if (ask->loopback)
		fact_number(facts, stream->sends ? "receiver_cpu" : "sender_cpu", stream->far_cpu);
	fact_text(facts, "engine", stream->engine);
}

/* The kernel's own word on MSG_ZEROCOPY, over all streams of the direction. */
static void add_copies(const struct net_result *result, bool sends, struct facts *facts)
{
	uint64_t copied = 0, drops = 0;

	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends == sends) {
			copied += result->streams[i].counts.copied_calls;
			drops += result->streams[i].counts.kernel_drops;
		}
	if (copied)
		fact_number(facts, "copied_after_all", (int64_t)copied);
	if (drops)
		fact_number(facts, "kernel_drops", (int64_t)drops);
}

static void add_evidence(const struct net_ask *ask, const struct net_measured *measured, bool sends, struct facts *facts)
{
	static struct samples rates;
	const struct net_result *result = &measured->result;
	const struct net_stream_result *stream = first_stream(result, sends);
	struct summary summary;
	struct net_sum sum;
	bool by_receiver;

	net_sum(result, sends, &sum);
	net_point_rates(ask, measured, sends, &rates);
	summary_of(&rates, &summary);
	summary_facts(&summary, facts);
	fact_number(facts, "bytes", (int64_t)arrived(ask, result, sends, &by_receiver));
	fact_number(facts, "bytes_sent", (int64_t)sum.bytes_sent);
	fact_number(facts, "elapsed_ns", (int64_t)result->elapsed_ns);
	fact_number(facts, "discarded", omitted_intervals(result));
	fact_number(facts, "discarded_ns", (int64_t)result->omitted_ns);
	fact_number(facts, "mtu", measured->after.nic.mtu_bytes);
	if (measured->after.nic.has_speed && !measured->after.nic.loopback)
		fact_number(facts, "bound", (int64_t)measured->after.nic.speed_mbit_per_s * 1000000);
	if (stream)
		add_connection(ask, stream, facts);
	add_copies(result, sends, facts);
	fact_text(facts, "counted_at", by_receiver ? "receiver" : sum.peer_told ? "sender: the ends' warm-ups differ" : "sender: the peer does not tell");
	fact_text(facts, "peer", ask->loopback ? "this machine" : measured->peer_known ? measured->peer_after.version : "unknown");
}

static void add_ratio(struct facts *facts, int64_t rate_milli)
{
	const struct fact *bound = fact_find(facts, "bound");

	if (bound && rate_milli != VALUE_NONE)
		fact_milli(facts, "ratio", milli_ratio((uint64_t)rate_milli, (uint64_t)bound->milli));
}

/* ---- the test itself ---- */

static void add_asked(const struct net_test *test, struct facts *facts)
{
	const struct { const char *key; uint64_t number; } asked[] = {
		{ "asked_ns", test->time_ns }, { "asked_omit_ns", test->omit_ns }, { "asked_bytes", test->bytes }, { "asked_blocks", test->blocks },
		{ "asked_bit_per_s", test->rate_bit_per_s }, { "burst", test->burst }, { "asked_fq_bit_per_s", test->fq_rate_bit_per_s },
		{ "asked_window", test->window_bytes }, { "asked_mss", test->mss_bytes }, { "tos", test->tos },
	};

	for (unsigned i = 0; i < COUNT_OF(asked); i++)
		if (asked[i].number)
			fact_number(facts, asked[i].key, (int64_t)asked[i].number);
}

/* How long it took, and beside it what was asked for and what both ends' processes took. */
static void tell_test(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, const char *direction)
{
	const struct net_result *result = &measured->result;
	struct point points[NET_POINTS + 1];
	struct facts facts = { .count = 0 };
	char name[64];

	net_point_points(ask, true, points);
	points[1] = point_text("dir", direction);
	add_asked(&ask->job.test, &facts);
	fact_number(&facts, "omitted_ns", (int64_t)result->omitted_ns);
	fact_number(&facts, "user_ns", (int64_t)result->user_ns);
	fact_number(&facts, "system_ns", (int64_t)result->system_ns);
	if (!ask->loopback) {
		fact_number(&facts, "peer_port", address_port(&ask->job.peer));
		fact_number(&facts, "mss_default", result->mss_default);
		fact_text(&facts, "cookie", result->cookie);
	}
	if (result->peer_told) {
		fact_number(&facts, "peer_cpu_ppm", result->peer_cpu_total_ppm);
		fact_number(&facts, "peer_user_ppm", result->peer_cpu_user_ppm);
		fact_number(&facts, "peer_system_ppm", result->peer_cpu_system_ppm);
		fact_text(&facts, "peer_congestion", result->peer_congestion);
	}
	emit_figure(ctx, name_of(ask, "time", name), "ns", points, milli_whole(result->elapsed_ns), &facts);
}

/* ---- figures ---- */

static void tell_streams(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends)
{
	const struct net_result *result = &measured->result;
	char name[64];

	for (unsigned i = 0; i < result->stream_count; i++) {
		const struct net_stream_result *stream = &result->streams[i];
		const struct net_end *to = counted(ask, stream);
		const struct net_end *from = stream->sends ? &stream->here : &stream->there;
		struct point points[NET_POINTS + 1];
		struct facts facts = { .count = 0 };
		char address[ADDRESS_TEXT];

		if (stream->sends != sends)
			continue;
		net_point_points(ask, sends, points);
		points[4] = point_number("stream", (uint64_t)stream->id);
		fact_number(&facts, "bytes", (int64_t)to->bytes);
		fact_number(&facts, "bytes_sent", (int64_t)from->bytes);
		if (ask->job.test.protocol == NET_UDP) {
			fact_number(&facts, "datagrams", (int64_t)to->datagrams);
			fact_number(&facts, "datagrams_sent", (int64_t)from->datagrams);
			fact_number(&facts, "jitter_ns", (int64_t)to->jitter_ns);
			if (stream->there.told)
				fact_number(&facts, "lost", (int64_t)net_stream_lost(stream));
		}
		fact_number(&facts, "elapsed_ns", (int64_t)result->elapsed_ns);
		if (stream->state.mss && stream->sends) {
			fact_number(&facts, "rtt_max_us", stream->rtt_max_us);
			fact_number(&facts, "cwnd_max", stream->cwnd_max_bytes);
		}
		add_connection(ask, stream, &facts);
		if (from->has_retransmits)
			fact_number(&facts, "retransmits", (int64_t)from->retransmits);
		if (stream->local.length) {
			address_text(&stream->local, address);
			fact_text(&facts, "local", address);
			fact_number(&facts, "local_port", address_port(&stream->local));
			address_text(&stream->peer, address);
			fact_text(&facts, "remote", address);
			fact_number(&facts, "remote_port", address_port(&stream->peer));
		}
		emit_figure(ctx, name_of(ask, "stream.throughput", name), "bit/s", points, milli_per_second(to->bytes * 8, result->elapsed_ns), &facts);
	}
}

static void tell_tcp(struct ctx *ctx, const struct net_measured *measured, const struct point *points, const struct net_sum *sum, bool sends)
{
	const struct net_stream_result *stream = first_stream(&measured->result, sends);
	struct facts facts = { .count = 0 };

	fact_number(&facts, "bytes_retransmitted", (int64_t)stream->state.bytes_retransmitted);
	if (!sends && (!sum->peer_told || milli_whole(sum->retransmits) == VALUE_NONE)) /* only the sender knows */
		return emit_skip(ctx, "net.tcp.retransmits", points, "the peer does not tell");
	if (!sends)
		return emit_figure(ctx, "net.tcp.retransmits", "1", points, milli_whole(sum->retransmits), &facts);
	emit_figure(ctx, "net.tcp.retransmits", "1", points, milli_whole(sum->retransmits), &facts);
	facts.count = 0;
	fact_number(&facts, "min_ns", (int64_t)stream->state.rtt_min_us * 1000);
	fact_number(&facts, "variation_ns", (int64_t)stream->state.rttvar_us * 1000);
	emit_figure(ctx, "net.tcp.rtt", "ns", points, milli_whole(stream->state.rtt_us * 1000ull), &facts);
	facts.count = 0;
	fact_number(&facts, "max", stream->cwnd_max_bytes);
	emit_figure(ctx, "net.tcp.cwnd", "B", points, milli_whole(stream->state.cwnd_bytes), &facts);
}

static void tell_udp(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, const struct point *points, const struct net_sum *sum, bool sends)
{
	bool told = sum->peer_told, here = !sends || ask->loopback; /* who received knows what came twice, and late */
	struct facts facts = { .count = 0 };

	fact_number(&facts, "datagrams_sent", (int64_t)sum->datagrams_sent);
	fact_number(&facts, "datagrams", (int64_t)sum->datagrams_received);
	fact_number(&facts, "lost", (int64_t)sum->datagrams_lost);
	add_copies(&measured->result, sends, &facts);
	if (told)
		emit_figure(ctx, "net.udp.loss", "ppm", points, net_loss_ppm_milli(sum), &facts);
	else
		emit_skip(ctx, "net.udp.loss", points, "the peer does not tell what it %s", sends ? "received" : "sent");
	if (here || told)
		emit_figure(ctx, "net.udp.rate", "1/s", points, milli_per_second(sum->datagrams_received, measured->result.elapsed_ns), &facts);
	if (!sum->datagrams_received)
		return; /* nothing came that could be late */
	if (here || told)
		emit_figure(ctx, "net.udp.jitter", "ns", points, milli_whole(sum->jitter_ns), &facts);
	if (!here)
		return emit_skip(ctx, "net.udp.reordered", points, "iperf3's results do not tell it apart from loss");
	emit_figure(ctx, "net.udp.reordered", "ppm", points, milli_ratio(sum->reordered * 1000000, sum->datagrams_received), &facts);
	emit_figure(ctx, "net.udp.duplicates", "ppm", points, milli_ratio(sum->duplicates * 1000000, sum->datagrams_received), &facts);
}

static void tell_direction(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends)
{
	static struct facts facts;
	struct point points[NET_POINTS + 1];
	struct net_sum sum;
	char name[64];
	int64_t rate_milli = net_point_rate_milli(ask, measured, sends, NULL);

	net_sum(&measured->result, sends, &sum);
	if (!sum.streams)
		return;
	facts.count = facts.text_count = 0;
	net_point_points(ask, sends, points);
	add_evidence(ask, measured, sends, &facts);
	add_ratio(&facts, rate_milli);
	if (rate_milli != VALUE_NONE && measured->result.elapsed_ns < MS(1))
		emit_skip(ctx, name_of(ask, "throughput", name), points, "all of it took %llu us, which is no rate: ask for more", (unsigned long long)(measured->result.elapsed_ns / 1000));
	else if (rate_milli == VALUE_NONE)
		emit_error(ctx, name_of(ask, "throughput", name), points, "no byte arrived%s", ask->job.test.protocol == NET_UDP ? ": is there a firewall that lets only TCP through?" : "");
	else
		emit_figure(ctx, name_of(ask, "throughput", name), "bit/s", points, rate_milli, &facts);
	tell_streams(ctx, ask, measured, sends);
	if (ask->job.test.protocol == NET_TCP)
		tell_tcp(ctx, measured, points, &sum, sends);
	else
		tell_udp(ctx, ask, measured, points, &sum, sends);
	net_steady_tell(ctx, ask, measured, sends);
	if (ask->series)
		net_series_tell(ctx, ask, measured, sends);
}

void net_point_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured)
{
	const char *direction = ask->job.test.bidirectional ? "both" : ask->job.test.reverse ? "rx" : "tx";

	if (!measured->result.elapsed_ns)
		return;
	tell_test(ctx, ask, measured, direction);
	tell_direction(ctx, ask, measured, true);
	tell_direction(ctx, ask, measured, false);
	net_account_tell(ctx, "net", ask->port, direction, &measured->before.account, &measured->after.account);
	if (measured->peer_known)
		net_account_tell(ctx, "net.peer", ask->port, direction, &measured->peer_before.account, &measured->peer_after.account);
	net_diagnosis_tell(ctx, ask, measured);
}
