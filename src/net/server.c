/* server.c: the listeners, and the loop in which everything is served. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/server_inside.h"
#include "net/socket.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { BACKLOG = 512, LISTENERS = 2, MOST_FDS = LISTENERS + BOUT_FDS + MAX_GUESTS, LONGEST_WAIT_MS = 1000 };

struct json server_json;

/* Guests and the streams of a large test are more than the usual 1,024 leave room for. */
static void ask_for_descriptors(void)
{
	struct rlimit limit;

	if (sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit))
		return;
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	sys_call(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
}

/* ---- listening ---- */

static int listen_on(const struct server_job *job, uint16_t port, const char *what, char *fault, size_t size)
{
	struct net_address address = job->bind;
	char text[ADDRESS_TEXT];
	int fd;

	address_set_port(&address, port);
	address_text(&address, text);
	fd = socket_listen(&address, job->device, BACKLOG);
	if (fd >= 0)
		return fd;
	if (fd == -EADDRINUSE)
		text_format(fault, size, "port %u%s is taken by another program: end it, or give another port with --port", port, what);
	else if (fd == -EADDRNOTAVAIL)
		text_format(fault, size, "%s is no address of this machine", text);
	else if (fd == -ENODEV)
		text_format(fault, size, "there is no interface %s", job->device);
	else
		text_format(fault, size, "port %u%s cannot be listened on: %s", port, what, sys_error(fd));
	return fd;
}

/* Without IPv6 in the kernel, `any` is any address of IPv4. */
static int listen_both(struct server *server, struct server_job *job)
{
	uint16_t port = address_port(&job->bind);

	server->next_listener = -1;
	server->listener = listen_on(job, port, "", server->fault, server->fault_size);
	if (server->listener == -EAFNOSUPPORT && IN6_IS_ADDR_UNSPECIFIED(&job->bind.v6.sin6_addr)) {
		job->bind = address_any(NET_V4, port);
		server->listener = listen_on(job, port, "", server->fault, server->fault_size);
	}
	if (server->listener < 0)
		return server->listener;
	server->next_listener = listen_on(job, (uint16_t)(port + 1), ", where a peer asks for this machine's state,", server->fault, server->fault_size);
	if (server->next_listener >= 0)
		return 0;
	sys_close(server->listener);
	return server->next_listener;
}

/* ---- the loop ---- */

static bool is_interrupted(const struct server *server)
{
	return server->job->interrupted && *server->job->interrupted;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Deadlines; the next one. */
static uint64_t tick(struct server *server)
{
	uint64_t now_ns = clock_now_ns(), next_ns, idle_end_ns = server->idle_since_ns + server->job->idle_ns;

	chats_reap();
	next_ns = least(guests_tick(server, now_ns), least(bout_tick(server, now_ns), report_tick(server, now_ns)));
	if (!server->job->idle_ns || bout_is_on())
		return next_ns;
	if (now_ns >= idle_end_ns)
		server->finished = true;
	return least(next_ns, idle_end_ns);
}

static int wait_ms(uint64_t until_ns)
{
	uint64_t now_ns = clock_now_ns(), wait_ns = until_ns > now_ns ? until_ns - now_ns : 0;

	return wait_ns >= MS(LONGEST_WAIT_MS) ? LONGEST_WAIT_MS : (int)((wait_ns + MS(1) - 1) / MS(1));
}

static void go_round(struct server *server)
{
	static struct pollfd fds[MOST_FDS];
	unsigned of_bout, of_guests;
	uint64_t next_ns = tick(server);

	if (server->finished && !bout_is_on())
		return;
	fds[0] = (struct pollfd){ .fd = server->listener, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = server->next_listener, .events = POLLIN };
	of_bout = bout_watch(fds + LISTENERS);
	of_guests = guests_watch(fds + LISTENERS + of_bout);
	if (sys_poll(fds, LISTENERS + of_bout + of_guests, wait_ms(next_ns)) <= 0)
		return;
	bout_serve(server, fds + LISTENERS, of_bout);
	guests_serve(server, fds + LISTENERS + of_bout, of_guests);
	if (fds[0].revents)
		guests_accept(server, server->listener, GUEST_COOKIE);
	if (fds[1].revents)
		guests_accept(server, server->next_listener, GUEST_COMMAND);
}

static void say_ready(const struct server *server)
{
	char text[ADDRESS_TEXT];
	uint16_t port = address_port(&server->job->bind);

	address_text(&server->job->bind, text);
	report_say(server, "serving on %s, port %u; this machine's state on port %u", text, port, port + 1u);
}

int server_run(const struct server_job *given, char *fault, size_t fault_size)
{
	static struct server_job job;
	static struct server server;
	int err;

	job = *given;
	server = (struct server){ .job = &job, .fault = fault, .fault_size = fault_size };
	*fault = '\0';
	ask_for_descriptors();
	guests_init();
	err = listen_both(&server, &job);
	if (err)
		return err;
	say_ready(&server);
	server.idle_since_ns = clock_now_ns();
	while (!server.finished && !is_interrupted(&server))
		go_round(&server);
	for (bout_interrupt(&server); bout_is_on(); )
		go_round(&server);
	server.said_ns = 0;
	report_tick(&server, clock_now_ns());
	chats_end();
	guests_end();
	sys_close(server.listener);
	sys_close(server.next_listener);
	return is_interrupted(&server) ? 0 : server.result;
}
