/* ending.h: the run (or the server), as a child of process 1, and the verdict that it leaves. */
#ifndef INIT_ENDING_H
#define INIT_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"
#include "verdict.h"

struct ending {
	enum verdict verdict;
	char line[MAX_METRIC * 4]; /* the last line, without newline; "" until there is one */
};

/* The ending of a run that left none: ERROR, nothing measured. */
void ending_error(struct ending *ending);

/* What stands when the run left `ending` (its line may be "") and wait status `status`: the two must agree; a FAIL
 * stays a FAIL whatever happened behind it, anything else is ERROR.  Returns false, and the reason in why, when they do not. */
bool ending_settle(struct ending *ending, int status, char *why, unsigned why_size);

/*
 * Runs command(argc, argv) in a session of its own with the console as its terminal, copies what it says to the console
 * line by line but for the last line, passes INT and TERM on to it, and reaps every orphan until it has ended.
 * Its status counts when it comes within patience_ns of the last line; else that line alone does: the closing of a drive
 * that is stuck must not hold the verdict.  Without a last line it is waited for as long as it takes.
 */
void ending_of(int (*command)(int argc, char **argv), int argc, char **argv, uint64_t patience_ns, struct ending *ending);

/*
 * The same for a server, which measures nothing and leaves no verdict: everything that it says goes to the console, as long as it takes.
 * The ending's line is "" and its verdict PASS when it has ended in order, or because it was asked to; else ERROR.
 */
void ending_of_server(int (*command)(int argc, char **argv), int argc, char **argv, struct ending *ending);

#endif
