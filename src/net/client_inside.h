/*
 * client_inside.h: what the client's own files share.  One test at a time.
 */
#ifndef NET_CLIENT_INSIDE_H
#define NET_CLIENT_INSIDE_H

#include "net/client.h"
#include "net/iperf.h"
#include "sys/nic.h"

struct client {
	const struct client_job *job;
	struct net_result *result;
	uint64_t connect_ns, patience_ns; /* the job's, or what stands for 0 */
	int control;
	struct nic link;             /* as it was before; its name is "" where the way to the peer is not known */
	struct stream_gate gate;
	unsigned stream_count;       /* those whose descriptors are open */
	struct stream streams[2 * MAX_NET_STREAMS];
};

/* ---- client_fault.c: all return the error, told in result with its phase and its blame; the first one stays ---- */
void client_look_at_link(struct client *client);
int client_fault(struct client *client, enum net_phase phase, enum net_blame blame, int err, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A connection that could not be made or is lost; whatever the peer may have said before is told in its place. */
int client_lost(struct client *client, enum net_phase phase, int err);
int client_not_connected(struct client *client, enum net_phase phase, int err, const char *refused); /* refused: as of socket_ask */
/* A state that is not the one that was due; 0: none in particular. */
int client_unexpected(struct client *client, enum net_phase phase, int state, int due);
/* Behind all else: is it the local link after all? */
int client_blame_link(struct client *client, int err);

/* ---- client_streams.c ---- */
unsigned client_count_streams(const struct net_test *test);
uint64_t client_streams_ns(uint64_t connect_ns, uint64_t patience_ns, unsigned count); /* in which no further one is begun */
int client_open_streams(struct client *client);
void client_close_streams(struct client *client);

/* ---- client_end.c ---- */
bool client_is_interrupted(const struct client *client);
void client_let_arrive(const struct client *client);                   /* what was sent, before the peer hears of the end and stops listening */
void client_sweep(const struct client *client);                        /* takes what came behind the end; not all at once: it may come faster than it goes */
void client_drain(const struct client *client, uint64_t until_ns);     /* the same until the peer says something */
void client_await_late(const struct client *client);                   /* datagrams that are missed, which the peer's word has overtaken; for a moment */

#endif
