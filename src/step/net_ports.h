/*
 * net_ports.h: what net.tcp and net.udp go through: with a peer each declared port, or the one that leads there; without one this machine with itself, and
 * the declared ports are SKIP.
 *
 * tx: this end sends; rx: it receives.  Bytes are counted at the receiver.
 * FAIL   a declared port that is missing, or whose link is down, or was lost meanwhile; over loopback: the connection broke
 * ERROR  the peer is silent or refuses; over loopback: no connection came about, or no memory
 */
#ifndef NET_PORTS_H
#define NET_PORTS_H

#include "net/test.h"
#include "step.h"

/* test: all but the direction.  direction, port: the step's parameters with the words tx|rx, and the peer's port. */
void net_ports_measure(struct ctx *ctx, const struct net_test *test, unsigned direction, unsigned port);

#endif
