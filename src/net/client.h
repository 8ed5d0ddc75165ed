/*
 * client.h: a test against an iperf3 server, or against `assay serve`.
 */
#ifndef NET_CLIENT_H
#define NET_CLIENT_H

#include "net/result.h"
#include "sys/cpu.h"

struct client_job {
	struct net_address peer;     /* with its port */
	struct net_test test;
	uint64_t connect_timeout_ns; /* 0: 3 s */
	uint64_t patience_ns;        /* with a silent peer, in each of the other phases; 0: 10 s */
	uint64_t interval_ns;        /* as timekeeper_job's */
	struct net_address bind;     /* length 0: none; of data connections the port is cport */
	uint16_t cport;              /* of the first data connection, the next ones count up; 0: any */
	char device[20];             /* SO_BINDTODEVICE; "" */
	const struct cpu_list *cpus; /* stream i is pinned to the i-th, in turn; NULL: not pinned */
	const char *title;           /* "" */
	const volatile int *interrupted; /* NULL: none */
	void (*note)(void *context, uint64_t at_ns, bool omitted); /* as timekeeper_job's */
	void (*met)(void *context);  /* the peer is `assay serve`, and the streams are not open yet; NULL: none */
	void *note_context;          /* of both */
};

/* Every phase has a deadline of its own; a test with a peer that dies, lies or is silent ends in bounded time with phase, blame and fault
 * told, and whatever was measured until then.  0 when result->phase is NET_DONE; else -errno. */
int client_run(const struct client_job *job, struct net_result *result);
/* How long the warm-up will be: whole seconds, as the peer has them. */
uint64_t client_omit_ns(const struct net_test *test);
/* The longest that client_run may take, everything stuck: for the plan. */
uint64_t client_longest_ns(const struct client_job *job);

#endif
