/*
 * net.link: speed, duplex and state of the declared ports, of the one that leads to the peer, or of loopback where there is neither; with everything that is
 * set on them as evidence.
 *
 *     net.link.{speed bit/s, speed_max bit/s, full_duplex 1, mtu B, carrier_changes 1} [port]; what the driver does not tell is left out
 *
 * FAIL   a declared port that is missing, down, without carrier, at half duplex, or slower than the board file declares
 */
#include <errno.h>
#include <string.h>

#include "net/address.h"
#include "net/socket.h"
#include "step/net_point.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/nic.h"

static void add_settings(const struct nic *nic, struct facts *facts)
{
	fact_text(facts, "interface", nic->name);
	fact_text(facts, "driver", nic->driver);
	fact_text(facts, "driver_version", nic->version);
	fact_text(facts, "bus", nic->bus);
	fact_text(facts, "duplex", *nic->duplex ? nic->duplex : "not told");
	fact_text(facts, "kind", nic->port_kind);
	fact_text(facts, "offloads", nic->offloads);
	fact_text(facts, "irq_cpus", *nic->irq_cpus ? nic->irq_cpus : "not told");
	fact_number(facts, "autonegotiation", nic->autonegotiation);
	fact_number(facts, "queues_rx", nic->queues_rx);
	fact_number(facts, "queues_tx", nic->queues_tx);
	fact_number(facts, "rps_queues", nic->rps_queues);
	fact_number(facts, "xps_queues", nic->xps_queues);
	fact_number(facts, "irqs", nic->irqs);
	if (nic->has_rings) {
		fact_number(facts, "ring_rx", nic->ring_rx);
		fact_number(facts, "ring_rx_max", nic->ring_rx_max);
		fact_number(facts, "ring_tx", nic->ring_tx);
		fact_number(facts, "ring_tx_max", nic->ring_tx_max);
	}
	if (nic->has_channels) {
		fact_number(facts, "channels", nic->channels);
		fact_number(facts, "channels_max", nic->channels_max);
	}
	if (nic->has_coalesce) {
		fact_number(facts, "coalesce_rx_us", nic->coalesce_rx_us);
		fact_number(facts, "coalesce_rx_frames", nic->coalesce_rx_frames);
		fact_number(facts, "coalesce_tx_us", nic->coalesce_tx_us);
		fact_number(facts, "coalesce_adaptive", nic->coalesce_adaptive);
	}
	if (nic->has_pause) {
		fact_number(facts, "pause_rx", nic->pause_rx);
		fact_number(facts, "pause_tx", nic->pause_tx);
	}
}

/* False: it was said what is wrong with it. */
static bool has_link(struct ctx *ctx, const struct nic *nic, const struct point *points)
{
	if (!nic->is_up)
		emit_fail(ctx, "net.link.speed", points, "%s is down: bring it up", nic->name);
	else if (!nic->carrier)
		emit_fail(ctx, "net.link.speed", points, "%s has no carrier: look at the cable and at the other end", nic->name);
	return nic->is_up && nic->carrier;
}

static void judge(struct ctx *ctx, const struct nic *nic, const struct network_port *declared, const struct point *points)
{
	if (!strcmp(nic->duplex, "half"))
		emit_fail(ctx, "net.link.full_duplex", points, "%s runs at half duplex", nic->name);
	if (declared && nic->has_speed && nic->speed_mbit_per_s < declared->speed_mbit_per_s)
		emit_fail(ctx, "net.link.speed", points, "%s negotiated %u Mbit/s, and the board file declares %u", nic->name, nic->speed_mbit_per_s, declared->speed_mbit_per_s);
}

static void tell_speed(struct ctx *ctx, const struct nic *nic, const struct point *points, const struct facts *facts)
{
	if (nic->has_speed)
		emit_figure(ctx, "net.link.speed", "bit/s", points, milli_whole(nic->speed_mbit_per_s * 1000000ull), facts);
	else
		emit_skip(ctx, "net.link.speed", points, "%s tells no speed", nic->name);
	if (nic->speed_max_mbit_per_s)
		emit_figure(ctx, "net.link.speed_max", "bit/s", points, milli_whole(nic->speed_max_mbit_per_s * 1000000ull), NULL);
	if (*nic->duplex)
		emit_figure(ctx, "net.link.full_duplex", "1", points, milli_whole(!strcmp(nic->duplex, "full")), NULL);
}

static void tell(struct ctx *ctx, const char *name, const char *port, const struct network_port *declared)
{
	static struct nic nic;
	static struct facts facts;
	const struct point points[] = { point_text("port", port), POINT_LIST_END };
	int err;

	if (planned(ctx, MS(5), 0))
		return;
	err = nic_read(name, &nic);
	if (err == -ENODEV && file_is_simulated())
		return emit_skip(ctx, "net.link.speed", points, "%s is of the sysroot's machine, and this one has none of that name", name);
	if (err == -ENODEV && socket_link_up(name) != -ENODEV)
		return emit_error(ctx, "net.link.speed", points, "%s is there, but not in /sys/class/net: mount sysfs on /sys, in this network namespace", name);
	if (err)
		return emit_fail(ctx, "net.link.speed", points, "the interface %s: %s", name, sys_error(err));
	facts.count = facts.text_count = 0;
	add_settings(&nic, &facts);
	if (nic.loopback || has_link(ctx, &nic, points)) {
		tell_speed(ctx, &nic, points, &facts);
		judge(ctx, &nic, declared, points);
	}
	emit_figure(ctx, "net.link.mtu", "B", points, milli_whole(nic.mtu_bytes), &facts);
	emit_figure(ctx, "net.link.carrier_changes", "1", points, milli_whole(nic.carrier_changes), NULL);
}

static void tell_declared(struct ctx *ctx, const struct network_port *port)
{
	int found = board_find_port(port, ctx_identity(ctx));
	const struct point points[] = { point_text("port", port->port), POINT_LIST_END };

	if (found >= 0)
		tell(ctx, ctx_identity(ctx)->ports[found].name, port->port, port);
	else if (found == -EEXIST)
		emit_error(ctx, "net.link.speed", points, "several interfaces are %s: the board file must tell which", port->device);
	else if (port->required)
		emit_fail(ctx, "net.link.speed", points, "there is no interface %s", port->device);
	else
		emit_skip(ctx, "net.link.speed", points, "there is no interface %s here", port->device);
}

static bool is_declared(struct ctx *ctx, const char *name)
{
	const struct board *board = ctx_board(ctx);
	bool found = false;

	for (unsigned i = 0; i < board->network_count && !found; i++) {
		int at = board_find_port(&board->network[i], ctx_identity(ctx));

		found = at >= 0 && !strcmp(ctx_identity(ctx)->ports[at].name, name);
	}
	return found;
}

static void run(struct ctx *ctx)
{
	const struct board *board = ctx_board(ctx);
	struct net_address peer;
	char name[20];

	for (unsigned i = 0; i < board->network_count; i++)
		tell_declared(ctx, &board->network[i]);
	if (!net_point_peer(ctx, TEST_PORT, &peer)) {
		if (!board->network_count)
			tell(ctx, "lo", "lo", NULL);
	} else if (address_interface(&peer, name))
		emit_error(ctx, "net.link.speed", NULL, "no interface leads to %s", ctx_peer(ctx));
	else if (!is_declared(ctx, name))
		tell(ctx, name, name, NULL);
}

const struct step step_net_link = {
	.name = "net.link", .summary = "speed, duplex and state of the ports, and how they are set", .needs = NEEDS_NETWORK, .run = run,
};
