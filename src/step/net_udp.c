/*
 * net.udp: datagrams both ways at a rate that every port carries: loss (sent less received), jitter, reordering, duplicates; net_ports.h says of what, and how
 * it ends.
 */
#include "step/net_ports.h"

enum { RUNTIME, OMIT, LENGTH, RATE, DIRECTION, PORT };

static const struct param params[] = {
	[RUNTIME] = { "runtime", PARAM_DURATION, .def = "2s", .def_medium = "30s", .min = MS(100), .max = SECONDS(86400), .help = "time for each direction" },
	[OMIT] = { "omit", PARAM_DURATION, .def = "200ms", .def_medium = "1s", .max = SECONDS(600), .help = "thrown away before it (with a peer, whole seconds of it)" },
	[LENGTH] = { "len", PARAM_SIZE, .def = "1448", .min = TEST_UDP_LENGTH_MIN, .max = TEST_UDP_LENGTH_MAX, .help = "bytes of one datagram" },
	[RATE] = { "rate", PARAM_BITRATE, .def = "500M", .help = "of the payload; a good Gigabit link loses nothing at half its rate; 0: as fast as it goes" },
	[DIRECTION] = { "dir", PARAM_WORDS, .def = "tx,rx", .words = "tx|rx", .help = "directions, seen from this end (over loopback: that connects)" },
	[PORT] = { "port", PARAM_COUNT, .def = "5201", .min = 1, .max = 65534, .help = "of the peer" },
	PARAM_END
};

static void run(struct ctx *ctx)
{
	const struct net_test test = {
		.protocol = NET_UDP, .streams = 1, .time_ns = param_number(ctx, RUNTIME), .omit_ns = param_number(ctx, OMIT),
		.length_bytes = (uint32_t)param_number(ctx, LENGTH), .rate_bit_per_s = param_number(ctx, RATE), .counters_64bit = true,
	};

	net_ports_measure(ctx, &test, DIRECTION, PORT);
}

const struct step step_net_udp = {
	.name = "net.udp", .summary = "datagrams both ways, to the peer or over loopback: loss, jitter, reordering, duplicates",
	.needs = NEEDS_NETWORK, .params = params, .run = run,
};
