/*
 * loopback.h: throughput of this machine with itself over 127.0.0.1: both ends are streams of this process, and no control connection is needed.
 */
#ifndef NET_LOOPBACK_H
#define NET_LOOPBACK_H

#include "net/result.h"

struct loopback_job {
	struct net_test test;        /* reverse: the side that accepted sends; streams 1; bidirectional is not for here */
	uint64_t timeout_ns;         /* of each send, receive, connect */
	uint64_t interval_ns;        /* as timekeeper_job's */
	bool free;                   /* STREAM_CPU_FREE in place of STREAM_CPU_ANY */
	void (*note)(void *context, uint64_t at_ns, bool omitted);
	void *note_context;
};

/* result->streams[0] sends and [1] receives; bytes are counted where they arrive.  0; -errno when no connection came about, or a buffer or a
 * thread was refused; an end's own error is in its stream's result. */
int loopback_run(const struct loopback_job *job, struct net_result *result);

#endif
