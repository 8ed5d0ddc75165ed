/*
 * diagnose.h: what limits a test, from both ends' accounts.  Pure.
 *
 * Each cause is a figure (thousandths of its unit) with the evidence that speaks for it, and `binds`: does it explain what was measured?  One that binds and is
 * not told has words, but no figure: datagrams that went at the rate that was asked for.
 */
#ifndef NET_DIAGNOSE_H
#define NET_DIAGNOSE_H

#include "event.h"
#include "net/result.h"
#include "net/state.h"

enum net_cause {
	CAUSE_LINK,          /* ppm of the link's speed that the payload takes (with its headers): near 1 the wire is the limit */
	CAUSE_LINK_BELOW,    /* ppm: the slower end's negotiated speed of the most that both ends can do */
	CAUSE_INTERRUPTS,    /* ppm: the busiest CPU's irq + softirq time, either end */
	CAUSE_CPU,           /* ppm: the busiest CPU's whole time, either end; evidence: what the test itself took there, of one CPU */
	CAUSE_RPS,           /* 1: queues of the receiver with a CPU mask; 0 with one busy CPU explains a slow receiver */
	CAUSE_SENDER,        /* ppm of the time that TCP had data to send and was held back by the send buffer (sndbuf_limited) or by an idle application */
	CAUSE_RECEIVER,      /* ppm of the time that it was held back by the receiver's window (rwnd_limited) */
	CAUSE_PATH,          /* ppm of the time that it was held back by the path: congestion window, loss */
	CAUSE_WINDOW,        /* bit/s: the smaller buffer over the round trip: the most that it lets through */
	CAUSE_MTU,           /* B: path MTU against the port's; MTUs of both ends differ */
	CAUSE_LOSS,          /* ppm: retransmitted of what was sent, with receive-buffer drops, softnet drops and the port's own errors as evidence */
	CAUSE_EMC,           /* ppm: memory clock of its maximum, where the board file names one */
	NET_CAUSES
};

struct cause {
	bool told, binds;
	int64_t value_milli;
	char why[160];       /* plain words, with the numbers: "CPU0 spent 97 % in softirq, of 4 CPUs" */
	struct facts facts;
};

struct diagnosis_input {
	const struct net_test *test;
	const struct net_result *result;
	bool sends;                          /* the direction that is looked at: this end sends */
	const struct net_state *before, *after; /* this end */
	const struct net_state *peer_before, *peer_after; /* NULL: peer unknown */
	int64_t emc_hz, emc_max_hz;          /* 0: not told */
};

void diagnose(const struct diagnosis_input *input, struct cause causes[NET_CAUSES]);
const char *cause_name(enum net_cause cause); /* "interrupts": net.limit.interrupts */
const char *cause_unit(enum net_cause cause);
/* The one that explains most, in one sentence; "what limits it is not known: ..." where none binds. */
void diagnosis_sentence(const struct cause causes[NET_CAUSES], char *sentence, size_t size);

#endif
