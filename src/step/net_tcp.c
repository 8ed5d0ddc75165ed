/*
 * net.tcp: TCP throughput both ways, to the peer or of this machine with itself, and what it costs each CPU; net_ports.h says of what, and how it ends.
 */
#include "step/net_ports.h"

enum { RUNTIME, OMIT, LENGTH, STREAMS, DIRECTION, PORT };

static const struct param params[] = {
	[RUNTIME] = { "runtime", PARAM_DURATION, .def = "2s", .def_medium = "30s", .min = MS(100), .max = SECONDS(86400), .help = "time for each direction" },
	[OMIT] = { "omit", PARAM_DURATION, .def = "200ms", .def_medium = "1s", .max = SECONDS(600), .help = "thrown away before it (with a peer, whole seconds of it)" },
	[LENGTH] = { "len", PARAM_SIZE, .def = "128k", .min = 1, .max = MIB, .help = "bytes of one send or receive call" },
	[STREAMS] = { "streams", PARAM_COUNTS, .def = "1", .min = 1, .max = MAX_NET_STREAMS, .help = "connections side by side (over loopback always one)" },
	[DIRECTION] = { "dir", PARAM_WORDS, .def = "tx,rx", .words = "tx|rx", .help = "directions, seen from this end (over loopback: that connects)" },
	[PORT] = { "port", PARAM_COUNT, .def = "5201", .min = 1, .max = 65534, .help = "of the peer" },
	PARAM_END
};

static void run(struct ctx *ctx)
{
	for_each_param(ctx, STREAMS, streams) {
		const struct net_test test = {
			.protocol = NET_TCP, .streams = *ctx_peer(ctx) ? (unsigned)streams : 1, .time_ns = param_number(ctx, RUNTIME), .omit_ns = param_number(ctx, OMIT),
			.length_bytes = (uint32_t)param_number(ctx, LENGTH),
		};

		net_ports_measure(ctx, &test, DIRECTION, PORT);
		if (!*ctx_peer(ctx))
			break;
	}
}

const struct step step_net_tcp = {
	.name = "net.tcp", .summary = "TCP throughput both ways, to the peer or over loopback, its cost, its steadiness, its limit",
	.needs = NEEDS_NETWORK, .params = params, .run = run,
};
