/*
 * claims.h: a study's claims, as they stand against our figures: apart for every sink, and as a table for people.
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "event.h"
#include "lib/output.h"

/* An EVENT_CLAIM taken apart; each part is one line.  Not to be copied: it points into itself. */
struct claim_text {
	char bytes[MAX_MESSAGE];
	const char *verdict, *words, *evidence;
};

void claims_split(const struct event *event, struct claim_text *claim);

/* A table of verdict, words and evidence, wrapped to CLAIMS_WIDTH; nothing when there are none. */
enum { CLAIMS_WIDTH = 110 };
int claims_put(struct output *output, const struct claim_text *claims, unsigned count);

#endif
