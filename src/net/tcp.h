/*
 * tcp.h: throughput of one TCP connection of this machine with itself.
 *
 * One thread sends, one receives; the bytes are counted where they arrive.  The first omit_ns are thrown away (and
 * counted); the rest is sampled in intervals, and the result is bytes over the time that really elapsed.
 */
#ifndef TCP_H
#define TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "net/cpu_use.h"
#include "net/socket.h"
#include "stat/summary.h"

struct tcp_job {
	uint64_t omit_ns, runtime_ns, timeout_ns; /* timeout: of each send, receive, connect */
	uint64_t length_bytes;                    /* of one send or receive call */
	bool accepter_sends;                      /* false: the side that connects sends */
};

struct tcp_result {
	uint64_t bytes, elapsed_ns, omitted_bytes;
	unsigned omitted_intervals;
	int sender_cpu, receiver_cpu;             /* where each thread ended */
	int send_error, receive_error;            /* -errno of the thread, 0; -EAGAIN: silent for timeout_ns */
	int cpu_error;                            /* of reading /proc/stat */
	struct socket_state sender, receiver;
	struct samples intervals;                 /* thousandths of bit/s */
	struct cpu_use before, after;
};

/* 0; -errno when no connection came about, or a buffer or a thread was refused. */
int tcp_loopback(const struct tcp_job *job, struct tcp_result *result);

/* Does this error of an end say that the connection itself is lost?  Others are of memory, permission or patience. */
bool tcp_is_broken(int err);

#endif
