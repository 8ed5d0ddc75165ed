/* loopback.c: two connected sockets, a stream on each, and the timekeeper. */
#include <string.h>
#include <sys/syscall.h>

#include "net/loopback.h"
#include "net/timekeeper.h"
#include "sys/call.h"

/* fds[0] connected, fds[1] accepted. */
static int connect_tcp(const struct socket_ask *ask, int fds[2])
{
	struct net_address address = address_loopback(NET_V4, 0);
	int listener = socket_listen(&address, NULL, 4), err;

	if (listener < 0)
		return listener;
	err = socket_local(listener, &address);
	fds[0] = err ? err : socket_connect(NET_TCP, &address, ask);
	fds[1] = fds[0] < 0 ? fds[0] : socket_accept(listener, ask->timeout_ns, NULL);
	if (fds[1] >= 0)
		socket_timeout(fds[1], ask->timeout_ns);
	sys_close(listener);
	return fds[1] < 0 ? fds[1] : 0;
}

static int connect_udp(const struct socket_ask *ask, int fds[2])
{
	struct net_address address = address_loopback(NET_V4, 0);
	int err;

	fds[1] = socket_bind_udp(&address, ask);
	if (fds[1] < 0)
		return fds[1];
	err = socket_local(fds[1], &address);
	fds[0] = err ? err : socket_connect(NET_UDP, &address, ask);
	if (fds[0] < 0)
		return fds[0];
	err = socket_local(fds[0], &address);
	return err ? err : (int)sys_call(SYS_connect, fds[1], &address.any, address.length);
}

static int run(const struct loopback_job *job, const int fds[2], struct net_result *result)
{
	static struct stream streams[2];
	static struct stream_gate gate;
	const struct timekeeper_job keeper = { .test = &job->test, .streams = streams, .stream_count = 2, .interval_ns = job->interval_ns, .control_fd = -1,
	                                       .note = job->note, .note_context = job->note_context };
	int err;

	gate = (struct stream_gate){ .test = &job->test };
	for (unsigned i = 0; i < 2; i++)
		streams[i] = (struct stream){ .gate = &gate, .fd = fds[i == job->test.reverse], .id = 1, .sends = !i, .cpu = job->free ? STREAM_CPU_FREE : STREAM_CPU_ANY };
	err = timekeeper_run(&keeper, result);
	return result->streams[0].error || result->streams[1].error ? 0 : err;
}

int loopback_run(const struct loopback_job *job, struct net_result *result)
{
	const struct socket_ask ask = { .timeout_ns = job->timeout_ns, .test = &job->test };
	int fds[2] = { -1, -1 }, err;

	memset(result, 0, sizeof *result);
	err = (job->test.protocol == NET_UDP ? connect_udp : connect_tcp)(&ask, fds);
	if (!err)
		err = run(job, fds, result);
	for (unsigned i = 0; i < 2; i++)
		if (fds[i] >= 0)
			sys_close(fds[i]);
	return err;
}
