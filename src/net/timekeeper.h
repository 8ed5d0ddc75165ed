/*
 * timekeeper.h: runs the streams of one end for the time of a test, and reads them once an interval: for the client and for loopback.
 */
#ifndef NET_TIMEKEEPER_H
#define NET_TIMEKEEPER_H

#include "net/result.h"

struct timekeeper_job {
	const struct net_test *test;
	struct stream *streams;
	unsigned stream_count;
	uint64_t interval_ns;        /* 0: a tenth of a second, or as fits into MAX_NET_INTERVALS */
	uint64_t longest_ns;         /* of a test by bytes or blocks, from its beginning: then it ends with -ETIME; 0: however long */
	int control_fd;              /* watched: whatever comes there ends the test; -1: none */
	const volatile int *interrupted; /* NULL: none */
	/* called by the caller's own thread behind each interval, to read whatever else is of interest; it must be quick.  NULL: none */
	void (*note)(void *context, uint64_t at_ns, bool omitted);
	void *note_context;
};

/* The one that keeps the time decides the end: the gate's limits are set from the test's once its warm-up is over.
 * Starts the streams, keeps the time, and ends them (streams_leave): what still comes to receivers is left in their sockets.
 * The streams' own counts, states and intervals are in result.  0; -EINTR; -ECANCELED: something came on control_fd; or -errno of a stream. */
int timekeeper_run(const struct timekeeper_job *job, struct net_result *result);
/* CPU time of this process. */
void timekeeper_cpu(uint64_t *user_ns, uint64_t *system_ns);

#endif
