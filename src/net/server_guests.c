/*
 * server_guests.c: whoever connects, until it is a test, a stream of one, or gone.
 *
 * Nothing is kept of what a guest says but its cookie: it stays in the socket, which becomes ready once enough lies there (SO_RCVLOWAT), and is
 * then taken in one piece.  So a guest that is slow, silent or talks nonsense costs one place until its deadline, and no memory.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/number.h"
#include "net/server_inside.h"
#include "net/socket.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { ACCEPTS_AT_ONCE = 64 };

static const uint64_t patience_ns[] = { [GUEST_LEAVING] = SECONDS(2), [GUEST_COOKIE] = SECONDS(5), [GUEST_COMMAND] = SECONDS(5), [GUEST_LENGTH] = SECONDS(10),
                                        [GUEST_PARAMETERS] = SECONDS(10) };
static const char command_state[] = "assay 1 state\n", command_echo[] = "assay 1 echo\n";
static const signed char denied = IPERF_ACCESS_DENIED;

static struct guest guests[MAX_GUESTS];
static unsigned watched[MAX_GUESTS]; /* which guest each of the poll's places is */
static char bytes[4 + IPERF_PARAMETERS_MAX];

void guests_init(void)
{
	for (unsigned i = 0; i < MAX_GUESTS; i++)
		guests[i].fd = -1;
}

void guests_low_water(int fd, unsigned want)
{
	int count = (int)want;

	sys_call(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVLOWAT, &count, sizeof count);
}

static void enter(struct guest *guest, enum guest_stage stage, unsigned want)
{
	guest->want = want;
	if (stage != guest->stage)
		guest->until_ns = clock_now_ns() + patience_ns[stage];
	guest->stage = stage;
	guests_low_water(guest->fd, want);
}

static void dismiss(struct guest *guest)
{
	sys_close(guest->fd);
	guest->fd = -1;
}

static void leave(struct guest *guest, const void *answer, size_t size)
{
	if (socket_send_all(guest->fd, answer, size, 0)) {
		dismiss(guest);
		return;
	}
	sys_call(SYS_shutdown, guest->fd, SHUT_WR);
	enter(guest, GUEST_LEAVING, 1);
}

static void turn_away(struct server *server, struct guest *guest, const char *why)
{
	report_turned_away(server, &guest->peer, why);
	dismiss(guest);
}

static void deny(struct server *server, struct guest *guest, const char *why)
{
	report_turned_away(server, &guest->peer, why);
	leave(guest, &denied, 1);
}

/* An error that iperf3 prints. */
static void refuse(struct server *server, struct guest *guest, unsigned number, const char *why)
{
	const char answer[9] = { (char)IPERF_SERVER_ERROR, 0, 0, (char)(number >> 8), (char)number };

	report_turned_away(server, &guest->peer, why);
	leave(guest, answer, sizeof answer);
}

/* ---- coming in ---- */

/* Who can best be spared: who is leaving anyway, then the oldest, for a real client has been here for less time than anybody; NULL: nobody is there. */
static struct guest *spare(void)
{
	struct guest *spared = NULL;

	for (unsigned i = 0; i < MAX_GUESTS; i++) {
		struct guest *guest = &guests[i];
		bool leaves = guest->stage == GUEST_LEAVING;

		if (guest->fd >= 0 && (!spared || leaves > (spared->stage == GUEST_LEAVING) ||
		                       (leaves == (spared->stage == GUEST_LEAVING) && guest->order < spared->order)))
			spared = guest;
	}
	return spared;
}

static void send_off(struct server *server, struct guest *guest)
{
	if (guest->stage == GUEST_LEAVING)
		dismiss(guest);
	else
		turn_away(server, guest, "too many connections at once, and it was the oldest");
}

static struct guest *make_room(struct server *server)
{
	struct guest *guest;

	for (unsigned i = 0; i < MAX_GUESTS; i++)
		if (guests[i].fd < 0)
			return &guests[i];
	guest = spare();
	send_off(server, guest);
	return guest;
}

void guests_linger(struct server *server, int fd, const struct net_address *peer)
{
	struct guest *guest = make_room(server);

	*guest = (struct guest){ .fd = fd, .stage = GUEST_COOKIE, .peer = *peer, .order = ++server->order };
	leave(guest, NULL, 0);
}

static bool is_allowed(const struct server_job *job, const struct net_address *peer)
{
	for (unsigned i = 0; i < job->allow_count; i++)
		if (address_inside(peer, &job->allow[i]))
			return true;
	return !job->allow_count;
}

static void greet(struct server *server, int fd, const struct net_address *peer, enum guest_stage stage)
{
	struct guest *guest = make_room(server);
	int one = 1;

	*guest = (struct guest){ .fd = fd, .stage = GUEST_LEAVING, .peer = *peer, .order = ++server->order };
	sys_call(SYS_setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (server->job->v6_only && IN6_IS_ADDR_V4MAPPED(&peer->v6.sin6_addr))
		turn_away(server, guest, "not by IPv6, and only that is served");
	else if (!is_allowed(server->job, peer))
		turn_away(server, guest, "not in --allow");
	else if (stage == GUEST_COOKIE && bout_is_on() && !bout_wants_cookies())
		deny(server, guest, "a test is running");
	else
		enter(guest, stage, stage == GUEST_COOKIE ? IPERF_COOKIE : sizeof command_echo - 1);
}

void guests_accept(struct server *server, int listener, enum guest_stage stage)
{
	struct net_address peer;

	for (unsigned i = 0; i < ACCEPTS_AT_ONCE; i++) {
		int fd = socket_accept(listener, 0, &peer);

		if (fd == -EAGAIN)
			return;
		if (fd >= 0)
			greet(server, fd, &peer, stage);
		else if ((fd == -EMFILE || fd == -ENFILE) && spare())
			send_off(server, spare());
		else if (fd != -ECONNABORTED)
			sys_sleep_ns(MS(10)); /* no memory, no descriptors: it stays ready */
	}
}

/* ---- talking ---- */

/* The number of 3.N; another program's version, or none, is taken to know everything. */
static unsigned client_minor(void)
{
	char version[16];
	const char *at = version + 2;
	uint64_t minor;
	int token = json_member(&server_json, 0, "client_version");

	if (token < 0 || json_string(&server_json, token, version, sizeof version) || !text_starts(version, "3.") || !number_take(&at, &minor))
		return 99;
	return (unsigned)minor;
}

/* It knows what to make of it. */
static void say_who_we_are(const struct guest *guest)
{
	static const char state = IPERF_ASSAY;
	char version[16];
	int token = json_member(&server_json, 0, "client_version");

	if (token >= 0 && !json_string(&server_json, token, version, sizeof version) && text_starts(version, "assay"))
		socket_send_all(guest->fd, &state, 1, 0);
}

static void take_parameters(struct server *server, struct guest *guest)
{
	struct net_test test;
	char why[200];
	unsigned number;

	if (iperf_parameters_parse(&server_json, bytes + 4, guest->want - 4, &test, why, sizeof why)) {
		refuse(server, guest, IPERF_E_PARAMETERS, why);
		return;
	}
	if (bout_is_on()) {
		deny(server, guest, "a test is running");
		return;
	}
	number = limits_refuse(server->job, &test, why, sizeof why);
	if (number) {
		refuse(server, guest, limits_number(number, client_minor()), why);
		return;
	}
	say_who_we_are(guest);
	bout_begin(server, guest, &test, client_minor());
	guest->fd = -1;
}

static void take_length(struct server *server, struct guest *guest)
{
	uint32_t length = (uint32_t)(uint8_t)bytes[0] << 24 | (uint32_t)(uint8_t)bytes[1] << 16 | (uint32_t)(uint8_t)bytes[2] << 8 | (uint8_t)bytes[3];

	if (!length || length > IPERF_PARAMETERS_MAX)
		refuse(server, guest, IPERF_E_PARAMETERS, "its parameters' length is out of bounds");
	else
		enter(guest, GUEST_PARAMETERS, 4 + length);
}

static void ask_for_parameters(struct server *server, struct guest *guest)
{
	static const signed char state = IPERF_PARAM_EXCHANGE;

	if (bout_is_on())
		deny(server, guest, "a test is running");
	else if (socket_send_all(guest->fd, &state, 1, 0))
		dismiss(guest);
	else
		enter(guest, GUEST_LENGTH, 4);
}

static void take_cookie(struct server *server, struct guest *guest)
{
	memcpy(guest->cookie, bytes, IPERF_COOKIE);
	if (bout_join(server, guest))
		guest->fd = -1;
	else if (iperf_cookie_is_valid(guest->cookie))
		ask_for_parameters(server, guest);
	else
		deny(server, guest, "it sends no cookie of iperf3's");
}

/* The shorter of the two is waited for first. */
static void take_command(struct server *server, struct guest *guest)
{
	bool echo = !memcmp(bytes, command_echo, sizeof command_echo - 1);

	if (!echo && memcmp(bytes, command_state, guest->want)) {
		turn_away(server, guest, "it speaks to the port of assay's own, and not its language");
		return;
	}
	if (!echo && guest->want < sizeof command_state - 1) {
		enter(guest, GUEST_COMMAND, sizeof command_state - 1);
		return;
	}
	sys_call(SYS_recvfrom, guest->fd, bytes, guest->want, MSG_DONTWAIT, NULL, NULL);
	guests_low_water(guest->fd, 1);
	if (chat_begin(guest->fd, echo, &guest->peer))
		guest->fd = -1;
	else
		turn_away(server, guest, "too many conversations at once");
}

static void hear(struct server *server, struct guest *guest)
{
	/* The length stays where it is until all behind it has come, and a command until it is whole. */
	int peek = guest->stage == GUEST_LENGTH || guest->stage == GUEST_COMMAND ? MSG_PEEK : 0;

	sys_call(SYS_recvfrom, guest->fd, bytes, guest->want, MSG_DONTWAIT | peek, NULL, NULL);
	switch (guest->stage) {
	case GUEST_COOKIE: take_cookie(server, guest); break;
	case GUEST_COMMAND: take_command(server, guest); break;
	case GUEST_LENGTH: take_length(server, guest); break;
	default: take_parameters(server, guest); break;
	}
}

static void serve(struct server *server, struct guest *guest, short events)
{
	long got = sys_call(SYS_recvfrom, guest->fd, bytes, sizeof bytes < guest->want ? sizeof bytes : guest->want, MSG_DONTWAIT | MSG_PEEK, NULL, NULL);

	if (guest->stage == GUEST_LEAVING) {
		if (sys_call(SYS_recvfrom, guest->fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) <= 0)
			dismiss(guest);
		return;
	}
	if (got == (long)guest->want)
		hear(server, guest);
	else if (got <= 0 ? got != -EAGAIN : events & (POLLRDHUP | POLLHUP | POLLERR))
		turn_away(server, guest, "it closed before it had said what it wants");
}

/* ---- all of them ---- */

unsigned guests_watch(struct pollfd *fds)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MAX_GUESTS; i++)
		if (guests[i].fd >= 0) {
			watched[count] = i;
			fds[count++] = (struct pollfd){ .fd = guests[i].fd, .events = POLLIN | POLLRDHUP };
		}
	return count;
}

void guests_serve(struct server *server, const struct pollfd *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (fds[i].revents && guests[watched[i]].fd == fds[i].fd)
			serve(server, &guests[watched[i]], fds[i].revents);
}

uint64_t guests_tick(struct server *server, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;

	for (unsigned i = 0; i < MAX_GUESTS; i++) {
		struct guest *guest = &guests[i];

		if (guest->fd < 0)
			continue;
		if (now_ns >= guest->until_ns && guest->stage == GUEST_LEAVING)
			dismiss(guest);
		else if (now_ns >= guest->until_ns)
			turn_away(server, guest, "it did not say in time what it wants");
		else if (guest->until_ns < next_ns)
			next_ns = guest->until_ns;
	}
	return next_ns;
}

void guests_end(void)
{
	for (unsigned i = 0; i < MAX_GUESTS; i++)
		if (guests[i].fd >= 0)
			dismiss(&guests[i]);
}
