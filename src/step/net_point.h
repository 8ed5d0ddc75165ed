/*
 * net_point.h: one network test as the figures that it brings: what net.tcp, net.udp, the command net and the study xfi share.
 *
 * Names: all keys of a family, in this order.
 *     net.<tcp|udp>.throughput bit/s [port,dir,streams,len]     bytes that arrived (counted by the receiver) over the time that really elapsed;
 *                                                               a peer that does not tell: the sender's, and the evidence says so
 *     net.<tcp|udp>.stream.throughput bit/s [port,dir,streams,len,stream]
 *     net.tcp.{retransmits 1, rtt ns, cwnd B} [port,dir,streams,len]   of this end's senders
 *     net.udp.{loss ppm, jitter ns, reordered ppm, duplicates ppm, rate 1/s} [port,dir,streams,len]
 *     net.steady.{levels 1, low ppm} [port,dir,streams,len], net.steady.level.{throughput bit/s, start ns, cpu_clock Hz, emc Hz, temperature C} [.., level]
 *     net.cpu ppm [dir,cpu,kind], net.peer.cpu ppm [dir,cpu,kind]
 *     net.interrupts 1/s [port,dir,cpu], net.softnet.{dropped, squeezed} 1 [dir,cpu] where any, net.port.* 1 [port,dir] where any
 *     net.limit.<cause> [port,dir]                               diagnose.h
 * Series: net.<tcp|udp>.interval.{bytes, ...} [port,dir,streams,len,stream]: what iperf3's JSON lists, an element an interval.
 */
#ifndef NET_POINT_H
#define NET_POINT_H

#include "net/client.h"
#include "net/state.h"
#include "step.h"

struct net_ask {
	struct client_job job;       /* note is net_point's own */
	char port[20];               /* of the figures: the board file's name for it, else the interface's */
	char nic[20];                /* the interface */
	bool series;                 /* intervals one by one, too */
	bool brief;                  /* throughput, its steadiness and the account alone: for a study's cells */
};

/* What a measurement needs beyond result: both ends' states and the machine's conditions at each interval. */
struct net_measured {
	struct net_result result;
	struct net_state before, after, peer_before, peer_after;
	bool peer_known;
	int64_t emc_hz, emc_max_hz;
};

/* Measures.  False when it brought no figure that counts: why has been said, by the rule
 *     local link down, gone or lost meanwhile: FAIL; the peer silent, refusing, busy, gone: ERROR, with the phase.
 * What was measured until then is told by net_point_tell all the same, where there is any. */
bool net_point_run(struct ctx *ctx, const struct net_ask *ask, struct net_measured *measured);
void net_point_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured);
/* The plan's time of one. */
uint64_t net_point_plan_ns(const struct net_ask *ask);

/* The peer of --peer, its address resolved, for a step: false when there is none, or it was said why not. */
bool net_point_peer(struct ctx *ctx, struct net_address *peer);

#endif
