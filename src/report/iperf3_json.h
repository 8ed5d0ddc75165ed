/*
 * iperf3_json.h: the test of `assay net` as one document in the shape of iperf3's -J output, for the tools that read it.
 *
 * Taken from the events, in this order; all else is passed over:
 *   a figure net.<tcp|udp>.time                begins a test: what was asked for, and both ends' CPU time
 *   a figure net.<tcp|udp>.throughput          of each direction: buffers, congestion control
 *   a figure net.<tcp|udp>.stream.throughput   of each stream: bytes, bytes_sent, datagrams, datagrams_sent, retransmits, jitter_ns, ports and addresses
 *   series net.<tcp|udp>.interval.*            one quantity of one stream, an element an interval (step/net_series.c)
 *   logs "the server says: ..."                what --get-server-output brought
 * It is written at the end, for an interval of iperf3's holds all streams.  What failed is `error`, at the top, beside whatever was measured.  Numbers that only
 * the peer knows and does not tell are 0, as they are there; its start and end are seconds of the measured time, and of the warm-up before it.
 */
#ifndef IPERF3_JSON_H
#define IPERF3_JSON_H

#include <stdbool.h>

#include "lib/output.h"
#include "lib/text.h"
#include "sink.h"

enum iperf3_quantity {
	IPERF3_BYTES, IPERF3_RETRANSMITS, IPERF3_CWND, IPERF3_RTT, IPERF3_RTTVAR, IPERF3_PMTU, IPERF3_WINDOW, IPERF3_QUANTITIES,
	IPERF3_DATAGRAMS = IPERF3_RETRANSMITS, IPERF3_LOST, IPERF3_REORDERED, IPERF3_JITTER, /* of UDP, in the same places */
};

struct iperf3_stream {
	uint64_t id;
	bool sends;
	struct facts facts;
	unsigned count;              /* of intervals */
	uint64_t values[IPERF3_QUANTITIES][MAX_NET_INTERVALS];
};

struct iperf3_test {
	bool begun, udp, told[2];    /* by direction: [1] sends */
	uint64_t streams_each_way, length_bytes, elapsed_ns;
	struct facts facts;          /* of the test */
	struct facts directions[2];
	unsigned discarded, interval_count;
	uint64_t ends_ns[MAX_NET_INTERVALS];
	unsigned stream_count;
	struct iperf3_stream streams[2 * MAX_NET_STREAMS]; /* few are used: and so take no memory */
};

struct iperf3_json_sink {
	struct sink sink;
	struct output *output;
	char buffer[16 << 10];
	struct text text;            /* in buffer: what was not written yet */
	int error;
	const struct run_info *info;
	char fault[MAX_MESSAGE];     /* the first */
	char words[8 << 10];         /* the server's */
	struct text server;
	struct iperf3_stream *stream; /* whose series is open; NULL: none */
	int quantity;                /* of it */
	struct iperf3_test test;
};

/* The sink must be all zeros before. */
void iperf3_json_sink_init(struct iperf3_json_sink *sink, struct output *output);

/* ---- iperf3_write.c ---- */
/* The whole document: 0, or -errno of writing it. */
int iperf3_write(struct iperf3_json_sink *sink);

#endif
