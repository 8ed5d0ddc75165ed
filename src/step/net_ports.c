/* net_ports.c: see its header. */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "step/net_point.h"
#include "step/net_ports.h"
#include "sys/call.h"

static const char *throughput(const struct net_test *test)
{
	return test->protocol == NET_TCP ? "net.tcp.throughput" : "net.udp.throughput";
}

static void measure(struct ctx *ctx, const struct net_ask *ask)
{
	static struct net_measured measured;

	if (planned(ctx, net_point_plan_ns(ask), 0))
		return;
	net_point_run(ctx, ask, &measured);
	net_point_tell(ctx, ask, &measured);
}

static void both_ways(struct ctx *ctx, struct net_ask *ask, bool tx, bool rx)
{
	ask->job.test.reverse = false;
	if (tx)
		measure(ctx, ask);
	ask->job.test.reverse = true;
	if (rx)
		measure(ctx, ask);
}

static void by_loopback(struct ctx *ctx, struct net_ask *ask, bool tx, bool rx)
{
	int err = socket_link_up("lo");
	struct point points[NET_POINTS + 1];

	ask->loopback = true;
	text_copy(ask->port, sizeof ask->port, "lo");
	text_copy(ask->nic, sizeof ask->nic, "lo");
	net_point_points(ask, true, points);
	if (err)
		emit_error(ctx, throughput(&ask->job.test), points, "%s", err == -ENETDOWN ? "lo is down: bring it up" : err == -ENODEV ? "there is no interface lo" : sys_error(err));
	else
		both_ways(ctx, ask, tx, rx);
}

static void by_port(struct ctx *ctx, struct net_ask *ask, const struct network_port *port, bool tx, bool rx)
{
	const struct identity *identity = ctx_identity(ctx);
	int found = board_find_port(port, identity);
	const struct point points[] = { point_text("port", port->port), POINT_LIST_END };

	if (found == -EEXIST)
		emit_error(ctx, throughput(&ask->job.test), points, "several interfaces are %s: the board file must tell which", port->device);
	else if (found < 0 && port->required)
		emit_fail(ctx, throughput(&ask->job.test), points, "there is no interface %s", port->device);
	else if (found < 0)
		emit_skip(ctx, throughput(&ask->job.test), points, "there is no interface %s here", port->device);
	if (found < 0)
		return;
	text_copy(ask->port, sizeof ask->port, port->port);
	text_copy(ask->nic, sizeof ask->nic, identity->ports[found].name);
	text_copy(ask->job.device, sizeof ask->job.device, identity->ports[found].name);
	both_ways(ctx, ask, tx, rx);
}

static void by_route(struct ctx *ctx, struct net_ask *ask, bool tx, bool rx)
{
	int err = address_interface(&ask->job.peer, ask->nic);

	if (err)
		emit_error(ctx, throughput(&ask->job.test), NULL, "no interface leads to %s: %s", ctx_peer(ctx), sys_error(err));
	if (err)
		return;
	text_copy(ask->port, sizeof ask->port, ask->nic);
	both_ways(ctx, ask, tx, rx);
}

static bool goes(const struct ctx *ctx, unsigned direction, uint64_t way)
{
	for_each_param(ctx, direction, wanted)
		if (wanted == way)
			return true;
	return false;
}

void net_ports_measure(struct ctx *ctx, const struct net_test *test, unsigned direction, unsigned port)
{
	static struct net_ask ask;
	const struct board *board = ctx_board(ctx);
	bool tx = goes(ctx, direction, 0), rx = goes(ctx, direction, 1), with_peer;

	memset(&ask, 0, sizeof ask);
	ask.job.test = *test;
	ask.job.title = "";
	with_peer = net_point_peer(ctx, (uint16_t)param_number(ctx, port), &ask.job.peer);
	if (!with_peer)
		by_loopback(ctx, &ask, tx, rx);
	for (unsigned i = 0; i < board->network_count; i++) {
		const struct point points[] = { point_text("port", board->network[i].port), POINT_LIST_END };

		if (with_peer)
			by_port(ctx, &ask, &board->network[i], tx, rx);
		else
			emit_skip(ctx, throughput(test), points, "no peer was given for this declared port: --peer HOST");
	}
	if (with_peer && !board->network_count)
		by_route(ctx, &ask, tx, rx);
}
