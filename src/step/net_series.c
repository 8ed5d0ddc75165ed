/*
 * net_series.c: a test's intervals one by one: a series for each stream and quantity, its elements at the end of each interval.
 *
 * net.<tcp|udp>.interval.{bytes, retransmits, cwnd, rtt, rttvar, pmtu, window | datagrams, lost, reordered, jitter}[port,dir,streams,len,stream], as far
 * as this end knows them; `discarded` tells how many of the first ones were warm-up.
 */
#include <stddef.h>

#include "lib/text.h"
#include "step/net_point.h"

enum width { WIDE, NARROW };

enum whose { OF_BOTH, OF_SENDERS, OF_RECEIVERS };

struct quantity { const char *name, *unit; enum whose whose; enum width width; size_t at; uint64_t factor; };

#define CELL(member) offsetof(struct net_cell, member)

static const struct quantity of_tcp[] = {
	{ "bytes", "B", OF_BOTH, WIDE, CELL(bytes), 1 }, { "retransmits", "1", OF_SENDERS, NARROW, CELL(retransmits), 1 },
	{ "cwnd", "B", OF_SENDERS, NARROW, CELL(cwnd_bytes), 1 }, { "rtt", "ns", OF_SENDERS, NARROW, CELL(rtt_us), 1000 },
	{ "rttvar", "ns", OF_SENDERS, NARROW, CELL(rttvar_us), 1000 }, { "pmtu", "B", OF_SENDERS, NARROW, CELL(path_mtu), 1 },
	{ "window", "B", OF_SENDERS, NARROW, CELL(send_window_bytes), 1 }, { 0 },
};

static const struct quantity of_udp[] = {
	{ "bytes", "B", OF_BOTH, WIDE, CELL(bytes), 1 }, { "datagrams", "1", OF_BOTH, WIDE, CELL(datagrams), 1 },
	{ "lost", "1", OF_RECEIVERS, WIDE, CELL(lost), 1 }, { "reordered", "1", OF_RECEIVERS, WIDE, CELL(reordered), 1 },
	{ "jitter", "ns", OF_RECEIVERS, WIDE, CELL(jitter_ns), 1 }, { 0 },
};

static uint64_t value_of(const struct net_cell *cell, const struct quantity *quantity)
{
	const void *at = (const char *)cell + quantity->at;

	return (quantity->width == WIDE ? *(const uint64_t *)at : *(const uint32_t *)at) * quantity->factor;
}

static void tell_series(struct ctx *ctx, const struct net_ask *ask, const struct net_result *result, unsigned stream, const struct quantity *quantity)
{
	struct point points[NET_POINTS + 1];
	struct facts facts = { .count = 0 };
	unsigned omitted = 0;
	char name[64];

	net_point_points(ask, result->streams[stream].sends, points);
	points[4] = point_number("stream", (uint64_t)result->streams[stream].id);
	for (unsigned i = 0; i < result->cell_intervals; i++)
		omitted += result->intervals[i].omitted;
	fact_number(&facts, "n", result->cell_intervals);
	fact_number(&facts, "discarded", omitted);
	text_format(name, sizeof name, "net.%s.interval.%s", ask->job.test.protocol == NET_TCP ? "tcp" : "udp", quantity->name);
	emit_series(ctx, name, quantity->unit, points, &facts);
	for (unsigned i = 0; i < result->cell_intervals; i++)
		emit_element(ctx, result->intervals[i].end_ns, milli_whole(value_of(net_cell(i, stream), quantity)));
	emit_series_end(ctx);
}

void net_series_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends)
{
	const struct net_result *result = &measured->result;

	for (unsigned stream = 0; stream < result->stream_count; stream++)
		if (result->streams[stream].sends == sends)
			for (const struct quantity *quantity = ask->job.test.protocol == NET_TCP ? of_tcp : of_udp; quantity->name; quantity++)
				if (quantity->whose == OF_BOTH || (quantity->whose == OF_SENDERS) == sends)
					tell_series(ctx, ask, result, stream, quantity);
}
