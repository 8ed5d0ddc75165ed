/*
 * server_bout.h: what the files of a bout share: the one test that is being served, by the server's one thread.
 *
 * server_bout.c       its phases, from parameters to goodbye
 * server_streams.c    its streams, until the last one is there and they start
 * server_tally.c      what they have moved
 */
#ifndef NET_SERVER_BOUT_H
#define NET_SERVER_BOUT_H

#include "net/server_inside.h"

enum { E_CLOSED = 109, E_MESSAGE = 110, E_STREAM_LISTEN = 202, E_STREAM_ACCEPT = 204, E_STREAM_CLOSED = 207 }; /* iperf3's numbers */

enum phase { CONNECTING, MOVING, DRAINING, RESULTS, GOODBYE, PARTING /* the client was told that it failed, and data flows until it has heard so */ };

extern struct bout {
	bool on;
	enum phase phase;
	uint64_t until_ns;                                /* of this phase */
	int control, udp;                                 /* udp: the socket that waits for the next stream's greeting; -1: none */
	unsigned client_minor;
	char cookie[IPERF_COOKIE];
	struct net_test test;
	unsigned want, have;
	struct stream streams[2 * MAX_NET_STREAMS];
	uint64_t orders[2 * MAX_NET_STREAMS];
	struct stream_gate gate;
	struct stream_counts omitted[2 * MAX_NET_STREAMS], counts[2 * MAX_NET_STREAMS];
	uint32_t retransmits_omitted[2 * MAX_NET_STREAMS];
	bool omitting;
	uint64_t begin_ns, moved_ns, end_ns;              /* end: of data; a receiver's, when the last of it came */
	uint64_t moved_bytes, silence_ns;
	uint64_t user_ns, system_ns;
	int error;                                        /* why it parts */
	char wire[4 + IPERF_RESULTS_MAX];                 /* the client's results as far as they have come; then ours, as far as they have gone */
	size_t at, size;
} bout;

extern struct net_result bout_result;

/* ---- server_bout.c ---- */
void bout_enter(enum phase phase, uint64_t patience_ns);
/* Ends it with the phase and the cause; number: iperf3's, told the client; 0: nothing is. */
void bout_fail(struct server *server, enum net_phase phase, unsigned number, int err, const char *format, ...) __attribute__((format(printf, 5, 6)));
bool bout_say_states(struct server *server, const char *states, size_t count); /* false: it has ended by that */

/* ---- server_streams.c ---- */
int streams_bind_udp(const struct server *server); /* where the next stream's greeting comes */
void streams_hear_greeting(struct server *server);
void streams_hear_greeting_again(int fd);

/* ---- server_tally.c ---- */
void tally_start(void);           /* the measured time begins */
void tally_end_omitting(void);    /* the warm-up is over */
void tally_read(bool receivers_only); /* counts and states as they are now */
void tally_end_time(void);        /* and so does the measured time */
void tally_tell(void);            /* of what was moved until then, or until now */
uint64_t tally_all_bytes(void);
uint64_t tally_received_bytes(void); /* as they were last read */
bool tally_is_anything_left(void);   /* that was sent and not received yet */
bool tally_is_over_rate(const struct server_job *job, uint64_t now_ns);

#endif
