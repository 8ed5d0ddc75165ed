/*
 * server.h: the peer of a test, for iperf3's clients and ours; and on the next port what only `assay` understands.
 *
 * It is safe to leave running: one test at a time, a deadline for each phase, bounded lengths, no memory and no descriptor kept behind a test.
 * A connection that is not (yet) a test, and there may be many, never keeps a real client waiting: a test is taken only once its parameters have come whole.
 *
 * The next port: a line `assay 1 state` is answered with this machine's state as JSON (net/state.h); `assay 1 echo` with what follows it, byte by
 * byte, bounded in bytes and time.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "net/address.h"
#include "net/result.h"

enum { SERVER_MAX_ALLOW = 16 };

struct server_job {
	struct net_address bind;     /* with its port */
	char device[20];             /* "" */
	bool v6_only;                /* IPv4 is turned away */
	unsigned allow_count;        /* 0: everybody */
	struct net_prefix allow[SERVER_MAX_ALLOW];
	bool one_off;                /* ends behind the first test; its result is server_run's */
	uint64_t idle_ns;            /* ends when no test came for so long; 0: never */
	/* the most that it gives */
	uint64_t max_time_ns, max_bytes, max_rate_bit_per_s; /* 0: no limit */
	unsigned max_streams;
	const struct cpu_list *cpus; /* as client_job's */
	const volatile int *interrupted;
	/* one line on each test and on each refusal, for whoever prints; bursts of refusals are summed up */
	void (*say)(void *context, const char *line);
	void *context;
};

/* Listens and serves until interrupted: 0; or -errno with fault (a port that is taken, an address that is not here). */
int server_run(const struct server_job *job, char *fault, size_t fault_size);

#endif
