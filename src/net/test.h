/*
 * test.h: what a network test is, whoever runs it; both ends agree on it before it begins.  Names and meanings are iperf3's.
 */
#ifndef NET_TEST_H
#define NET_TEST_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

enum net_protocol { NET_TCP, NET_UDP };
enum net_send { NET_SEND_PLAIN, NET_SEND_SPLICE, NET_SEND_ZEROCOPY };
enum net_receive { NET_RECEIVE_COPY, NET_RECEIVE_DROP };

struct net_test {
	enum net_protocol protocol;
	bool reverse, bidirectional;  /* seen from the client: the server sends; both do */
	unsigned streams;             /* each way, 1..MAX_NET_STREAMS */
	uint64_t time_ns, omit_ns;    /* on the wire in whole seconds, rounded up: the client alone decides the end, but each end its warm-up's: whole seconds, with a peer */
	uint64_t bytes, blocks;       /* in place of time: so much in all; 0: by time */
	uint32_t length_bytes;        /* of one send or receive call, of one datagram */
	uint64_t rate_bit_per_s;      /* of each stream, paced by its thread; 0: as fast as it goes */
	unsigned burst;               /* calls in a row that pacing may let through; 0: as it likes */
	uint64_t fq_rate_bit_per_s;   /* paced by the kernel; 0: not */
	uint32_t window_bytes, mss_bytes, tos, flow_label; /* 0: the kernel's */
	bool no_delay, counters_64bit, repeating_payload, dont_fragment, get_server_output;
	char congestion[16];          /* "": the kernel's */
	unsigned server_cpu;          /* the server's streams are pinned to it, counted from 1; 0: not */
	/* each end's own choice */
	enum net_send send;
	enum net_receive receive;
};

#define TEST_TCP_LENGTH_BYTES (128 << 10)
enum { TEST_UDP_LENGTH_BYTES = 1460, TEST_UDP_LENGTH_MIN = 16, TEST_UDP_LENGTH_MAX = 65507 };
#define TEST_UDP_RATE_BIT_PER_S 1048576ull
enum { TEST_PORT = 5201 };

#endif
