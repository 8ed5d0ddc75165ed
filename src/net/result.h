/*
 * result.h: what a test brought: of each stream, of each interval, of both ends.
 *
 * Numbers are of the measured time: what went before it (omit) stands apart.
 */
#ifndef NET_RESULT_H
#define NET_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "net/socket.h"
#include "net/stream.h"

/* One end of one stream, as that end tells it. */
struct net_end {
	bool told;                 /* the peer's: does it know this stream? */
	uint64_t bytes, datagrams, retransmits;
	uint64_t omitted_bytes, omitted_datagrams;
	uint64_t errors;           /* of a receiver of datagrams, as iperf3 counts loss: for its JSON only, never for ours */
	uint64_t jitter_ns;
	bool has_retransmits;
	uint64_t elapsed_ns;       /* 0: not told */
};

struct net_stream_result {
	int id;
	bool sends;                /* this end does */
	struct net_end here, there;
	struct stream_counts counts; /* this end's, whole */
	struct socket_state state;   /* at the end of the measured time, before it was closed */
	uint32_t cwnd_max_bytes, rtt_max_us;
	uint64_t rtt_sum_us;         /* over intervals */
	bool late;                   /* datagrams still came behind the end: the peer sent on until it was told */
	int cpu, far_cpu;            /* where its thread ended; the other end's, over loopback */
	int error;
	char engine[40];
	struct net_address local, peer;
};

/* One interval of one stream, for those who list them. */
struct net_cell { uint64_t bytes, datagrams, lost, reordered; uint64_t jitter_ns; uint32_t retransmits, cwnd_bytes, rtt_us, rttvar_us, path_mtu, send_window_bytes; };

struct net_interval {
	uint64_t start_ns, end_ns;   /* since the test began, warm-up included */
	uint64_t bytes[2];           /* received, sent (indexed by sends) by this end's streams */
	uint64_t retransmits;
	bool omitted;
};

/* Where it ended, when it did not end well. */
enum net_phase { NET_CONNECT, NET_COOKIE, NET_PARAMETERS, NET_STREAMS, NET_START, NET_RUNNING, NET_STOP, NET_RESULTS, NET_DONE, NET_PHASES };

/* Of whom the fault is, as far as this end can tell. */
enum net_blame { NET_NOBODY, NET_OURS /* memory, permission, options that this kernel refuses, no route */, NET_LINK /* link down, no such device */,
                 NET_PEER /* silent, refusing, busy, gone, or talking nonsense */ };

struct net_result {
	enum net_phase phase;        /* NET_DONE: all went well */
	enum net_blame blame;
	int error;                   /* -errno behind it; 0: none */
	char fault[200];             /* one line: the phase, the cause, the way out; "" */
	bool interrupted;

	uint64_t start_ns;           /* clock_now_ns() at the start of the measured time */
	uint64_t elapsed_ns, omitted_ns;
	unsigned stream_count;
	struct net_stream_result streams[2 * MAX_NET_STREAMS];
	unsigned interval_count;     /* when there would be more than MAX_NET_INTERVALS, two become one */
	struct net_interval intervals[MAX_NET_INTERVALS];
	unsigned cell_intervals;     /* of so many intervals each stream's cell is kept, from the first on (as many as fit) */
	uint64_t user_ns, system_ns; /* CPU time of this process in elapsed_ns and omitted_ns */
	/* of the peer */
	bool peer_is_assay;
	bool peer_told;
	int64_t peer_cpu_total_ppm, peer_cpu_user_ppm, peer_cpu_system_ppm;
	char peer_congestion[16];
	char server_output[8192];    /* text of --get-server-output; "" */
	char cookie[40];
	uint32_t mss_default, control_rtt_us; /* of the control connection, when it was made */
	struct net_address control_local, control_peer;
};

/* Of the last test, where interval is below its cell_intervals; NULL: there is no room for such a one. */
const struct net_cell *net_cell(unsigned interval, unsigned stream);
struct net_cell *result_cell_at(unsigned interval, unsigned stream); /* for the timekeeper, who fills it whole */
const char *net_phase_word(enum net_phase phase); /* "exchanging parameters" */

/* Over this end's streams of one direction.  Lost: the sum of the streams', none of which can make up for another's; jitter: their mean; reordered and
 * duplicates: as far as this end received. */
struct net_sum { uint64_t bytes_sent, bytes_received, datagrams_sent, datagrams_received, datagrams_lost, retransmits, reordered, duplicates; uint64_t jitter_ns; unsigned streams; bool peer_told; };
void net_sum(const struct net_result *result, bool sends, struct net_sum *sum);
uint64_t net_stream_lost(const struct net_stream_result *stream); /* of its datagrams */
/* Lost of sent, in ppm thousandths; never negative; VALUE_NONE when nothing was sent or the peer did not tell. */
int64_t net_loss_ppm_milli(const struct net_sum *sum);

#endif
