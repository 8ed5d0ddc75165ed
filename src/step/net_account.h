/*
 * net_account.h: what a test cost this machine and the peer, and what limited it, as figures.
 *
 *     net.cpu ppm [dir,cpu,kind=user|system|irq|softirq], net.peer.cpu ppm, the same keys
 *     net.interrupts 1/s [port,dir,cpu]                  of the port's own lines, where there were any
 *     net.softnet.{dropped, squeezed} 1 [dir,cpu], net.peer.softnet.* where any
 *     net.port.{rx_errors, tx_errors, rx_dropped, tx_dropped, rx_missed, rx_crc_errors, pause_rx, pause_tx, receive_buffer} 1 [port,dir] where any,
 *     net.peer.port.* the same of the peer's
 */
#ifndef NET_ACCOUNT_STEP_H
#define NET_ACCOUNT_STEP_H

#include "net/account.h"
#include "step.h"

/* side: "net" or "net.peer"; port: of the figures. */
void net_account_tell(struct ctx *ctx, const char *side, const char *port, const char *direction, const struct account *before, const struct account *after);
/* The CPU that was busiest (user to softirq together) and by how much, in thousandths of a ppm; VALUE_NONE: not told. */
int64_t net_account_busiest(const struct account *before, const struct account *after, unsigned *cpu);

#endif
