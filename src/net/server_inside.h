/*
 * server_inside.h: the server's parts.  All of them run in the one thread of server_run, but for the streams and for what answers on the next port.
 *
 * guests: connections that are no test (yet), each in one of MAX_GUESTS places and with a deadline.
 * bout: the test that is being served.
 * chat: the next port's conversations.
 * report: lines, and the text for --get-server-output.
 */
#ifndef NET_SERVER_INSIDE_H
#define NET_SERVER_INSIDE_H

#include <poll.h>

#include "net/iperf.h"
#include "net/server.h"

enum { MAX_GUESTS = 256, MAX_CHATS = 4, BOUT_FDS = 3 };

enum guest_stage {
	GUEST_LEAVING,   /* has its answer; waits for the peer to close, so that the answer arrives */
	GUEST_COOKIE,    /* of the test's port; nothing but a whole cookie counts */
	GUEST_COMMAND,   /* of the next port */
	GUEST_LENGTH,    /* was asked for parameters */
	GUEST_PARAMETERS,
};

struct guest {
	int fd;          /* -1: free */
	enum guest_stage stage;
	unsigned want;   /* bytes that must lie in the socket before anything is read */
	uint64_t until_ns, order;
	struct net_address peer;
	char cookie[IPERF_COOKIE];
};

struct server {
	const struct server_job *job;
	int listener, next_listener;
	bool finished;           /* one-off, idle or interrupted */
	uint64_t order;          /* of connections, as they were accepted */
	uint64_t idle_since_ns;
	int result;              /* of server_run */
	char *fault;
	size_t fault_size;
	uint64_t said_ns;        /* of turning somebody away */
	unsigned held_back;      /* turned away since without a line */
	char held_why[160];
};

extern struct json server_json; /* scratch, of the server's own thread */

/* ---- server_guests.c ---- */
void guests_init(void);
void guests_accept(struct server *server, int listener, enum guest_stage stage);
unsigned guests_watch(struct pollfd *fds);                     /* how many, at most MAX_GUESTS */
void guests_serve(struct server *server, const struct pollfd *fds, unsigned count);
uint64_t guests_tick(struct server *server, uint64_t now_ns);  /* when the next deadline is */
/* A socket is ready once so many bytes lie there; the next owner sets it back to 1. */
void guests_low_water(int fd, unsigned want);
/* A connection that has had its answer, until the peer has read it. */
void guests_linger(struct server *server, int fd, const struct net_address *peer);
void guests_end(void);

/* ---- server_bout.c ---- */
bool bout_is_on(void);
bool bout_wants_cookies(void);
/* Takes the guest's connection over: its place is free then. */
void bout_begin(struct server *server, struct guest *guest, const struct net_test *test, unsigned client_minor);
unsigned bout_watch(struct pollfd *fds);                       /* how many, at most BOUT_FDS */
void bout_serve(struct server *server, const struct pollfd *fds, unsigned count);
uint64_t bout_tick(struct server *server, uint64_t now_ns);
void bout_interrupt(struct server *server);

/* ---- server_streams.c ---- */
bool bout_join(struct server *server, const struct guest *guest); /* if it is a stream's: then its place is free, too */

/* ---- server_limits.c ---- */
/* iperf3's number of the error with which a test is refused, and why; 0: it is served. */
unsigned limits_refuse(const struct server_job *job, const struct net_test *test, char *why, size_t size);
/* The same number for a client of iperf3 3.client_minor, which may not know it. */
unsigned limits_number(unsigned number, unsigned client_minor);
uint64_t limits_asked_bytes(const struct net_test *test); /* 0: by time */
uint64_t limits_longest_ns(const struct server_job *job, const struct net_test *test); /* of the streams, grace included */
uint64_t limits_silence_ns(const struct net_test *test); /* without any data */

/* ---- server_chat.c ---- */
/* Answers a guest of the next port by a thread of its own, or closes the connection where there are too many. */
bool chat_begin(int fd, bool echo, const struct net_address *peer);
void chats_reap(void);                                         /* those that have ended */
void chats_end(void);

/* ---- server_report.c ---- */
void report_say(const struct server *server, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_turned_away(struct server *server, const struct net_address *peer, const char *why);
uint64_t report_tick(struct server *server, uint64_t now_ns);  /* what was held back */
void report_test(const struct server *server, const struct net_test *test, const struct net_result *result);
void report_output(const struct net_test *test, const struct net_result *result, struct text *text);

#endif
