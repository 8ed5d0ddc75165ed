/*
 * iperf3_json.h: the test of `assay net` as one document in the shape of iperf3's -J output, for the tools that read it.
 *
 * What is taken from the events, all else is passed over:
 *   a figure net.<tcp|udp>.throughput          its direction's facts: what the test was, and both ends' CPU time
 *   a figure net.<tcp|udp>.stream.throughput   bytes, bytes_sent, datagrams, datagrams_sent, jitter_ns, ports and addresses of one stream
 *   series net.<tcp|udp>.interval.*            one quantity of one stream, an element an interval (step/net_series.c)
 * It is written at the end: an interval of iperf3's holds all streams.  Of several tests (--repeat) the last one counts.  What failed is `error`, at the top.
 */
#ifndef IPERF3_JSON_H
#define IPERF3_JSON_H

#include <stdbool.h>

#include "lib/output.h"
#include "lib/text.h"
#include "sink.h"

/* bytes; retransmits or datagrams; cwnd or lost; rtt or reordered; rttvar or jitter; pmtu */
enum { IPERF3_QUANTITIES = 6 };

struct iperf3_stream {
	int64_t id;
	bool sends;
	struct facts facts;
	unsigned count;              /* of intervals */
	uint64_t values[IPERF3_QUANTITIES][MAX_NET_INTERVALS];
};

struct iperf3_json_sink {
	struct sink sink;
	struct output *output;
	char buffer[8 << 10];
	struct text text;            /* in buffer: what was not written yet */
	int error;
	char fault[MAX_MESSAGE];     /* the first */
	const struct run_info *info;

	bool udp, told[2];           /* by direction: [1] sends */
	struct facts facts[2];
	uint64_t stream_total;
	unsigned discarded, interval_count;
	uint64_t ends_ns[MAX_NET_INTERVALS];
	unsigned stream_count;
	struct iperf3_stream *stream; /* whose series is open; NULL: none */
	int quantity;                /* of it */
	struct iperf3_stream streams[2 * MAX_NET_STREAMS];
};

void iperf3_json_sink_init(struct iperf3_json_sink *sink, struct output *output);

#endif
