/*
 * net_point.h: one network test as the figures that it brings: what net.tcp, net.udp, the command net and the study xfi share.
 *
 * Names: all keys of a family, in this order.
 *     net.<tcp|udp>.throughput bit/s [port,dir,streams,len]     bytes that arrived (counted by the receiver) over the time that really elapsed;
 *                                                               a peer that does not tell: the sender's, and the evidence says so
 *     net.<tcp|udp>.time ns [port,dir=tx|rx|both,streams,len]   that the test took; what was asked for, and both ends' CPU time, are its evidence
 *     net.<tcp|udp>.stream.throughput bit/s [port,dir,streams,len,stream]
 *     net.tcp.{retransmits 1, rtt ns, cwnd B} [port,dir,streams,len]   of this end's senders
 *     net.udp.{loss ppm, jitter ns, reordered ppm, duplicates ppm, rate 1/s} [port,dir,streams,len]
 *     net.steady.{levels 1, low ppm} [port,dir,streams,len]; with two and more levels net.steady.level bit/s [port,dir,streams,len,level=0..], with
 *                                                               start_ns, lasts_ns, cpu_hz, emc_hz and temperature_c of that time as evidence
 *     net.cpu ppm [dir,cpu,kind], net.peer.cpu ppm [dir,cpu,kind]
 *     net.interrupts 1/s [port,dir,cpu], net.softnet.{dropped, squeezed} 1 [dir,cpu] where any, net.port.* 1 [port,dir] where any
 *     net.limit.<cause> [port,dir]                               diagnose.h
 * Series: net.<tcp|udp>.interval.{bytes, ...} [port,dir,streams,len,stream]: what iperf3's JSON lists, an element an interval.
 */
#ifndef NET_POINT_H
#define NET_POINT_H

#include "net/client.h"
#include "net/state.h"
#include "stat/levels.h"
#include "stat/summary.h"
#include "step.h"

struct net_ask {
	struct client_job job;       /* note is net_point's own */
	bool loopback;               /* this machine with itself: job.test and nothing else of the job; the peer is not asked */
	char port[20];               /* of the figures: the board file's name for it, else the interface's */
	char nic[20];                /* the interface */
	bool series;                 /* intervals one by one, too */
};

/* The machine at one moment of a test; what is not told is 0. */
struct net_moment { uint64_t at_ns, cpu_hz, emc_hz; int64_t temperature_milli; bool has_temperature; };

enum { NET_MOMENTS = 1024 };

/* What a measurement needs beyond result: both ends' states and the machine's conditions meanwhile. */
struct net_measured {
	struct net_result result;
	struct net_state before, after, peer_before, peer_after;
	bool peer_known;             /* it told its state before and after */
	uint64_t emc_max_hz;         /* 0: not told */
	unsigned moment_count;
	uint64_t moment_ns;          /* between them: a second, more when there would be more than NET_MOMENTS */
	struct net_moment moments[NET_MOMENTS];
};

/* Measures.  False when it brought no figure that counts: why has been said, by the rule
 *     local link down, gone or lost meanwhile: FAIL; the peer silent, refusing, busy, gone: ERROR, with the phase.
 * What was measured until then is told by net_point_tell all the same, where there is any. */
bool net_point_run(struct ctx *ctx, const struct net_ask *ask, struct net_measured *measured);
void net_point_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured);
/* The plan's time of one. */
uint64_t net_point_plan_ns(const struct net_ask *ask);

/* For a step: the peer of --peer or of the command, with its port; false when there is none. */
bool net_point_peer(struct ctx *ctx, uint16_t port, struct net_address *peer);

/* ---- parts of it ---- */
/* Bits a second that arrived in one direction, in thousandths; VALUE_NONE: none did.  *by_receiver (may be NULL): were they counted where they arrived? */
int64_t net_point_rate_milli(const struct net_ask *ask, const struct net_measured *measured, bool sends, bool *by_receiver);
/* The rates of the intervals that count, in that direction. */
void net_point_rates(const struct net_ask *ask, const struct net_measured *measured, bool sends, struct samples *rates);
void net_series_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends);

/* The levels of a series of rates, and what part of it is below 90 % of its median. */
struct net_steadiness { struct levels levels; int64_t low_ppm_milli; };
void net_steady_find(const struct samples *rates, struct net_steadiness *steadiness);
void net_steady_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends);
void net_diagnosis_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured);
/* port, dir, streams, len, and the end of the list: of every figure of a test. */
enum { NET_POINTS = 5 };
void net_point_points(const struct net_ask *ask, bool sends, struct point points[NET_POINTS + 1]);

#endif
