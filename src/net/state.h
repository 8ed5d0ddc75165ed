/*
 * state.h: a machine's identity and state as one end of a test tells it to the other, so that one record holds both ends.
 *
 * Written and read as one JSON object; a reader takes what it knows and passes over the rest.
 */
#ifndef NET_STATE_H
#define NET_STATE_H

#include "lib/json.h"
#include "net/account.h"
#include "net/address.h"

struct net_state {
	char version[32], build[48], arch[12], kernel[72], model[72], serial[64];
	uint64_t cpu_hz_min, cpu_hz_max, throttles; /* as of sys/watch.h */
	char governor[24];            /* of cpu0 */
	uint32_t cpus;
	struct nic nic;               /* that the connection goes through */
	struct account account;
};

enum { STATE_BYTES = 64 << 10 };  /* of JSON, at most */

/* Of this machine, for the interface that leads to `peer` (or by its name, where `nic` is not NULL). */
void state_read(const struct net_address *peer, const char *nic, struct net_state *state);
void state_write(const struct net_state *state, struct text *json);
void state_write_brief(const struct net_state *state, struct text *json); /* without what there is of each CPU */
int state_parse(struct json *scratch, const char *json, size_t size, struct net_state *state, char *fault, size_t fault_size);

/* Asks the peer of a test, on the port behind the test's: 0; -ECONNREFUSED, -ETIMEDOUT: it is not assay ("peer unknown"); -EPROTO: it
 * answers nonsense, fault tells.  json (STATE_BYTES; may be NULL) gets the text itself. */
int state_ask(const struct net_address *test_peer, const char *device, uint64_t timeout_ns, struct net_state *state, char *json, char *fault, size_t fault_size);

#endif
