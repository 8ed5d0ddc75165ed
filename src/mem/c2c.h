/*
 * c2c.h: the latency of lines that another CPU holds.
 *
 * hit       one CPU loads a set of lines from memory, so that it holds them clean; another chases through them
 * hitm      the same, but the first has written to every line
 * pingpong  two CPUs take turns in writing one line: half of a round trip
 * hit and hitm are Intel MLC's: dependent loads by one core over lines that another holds; each line is loaded once a round, in one random
 * cycle, and flushed from all caches between rounds.
 */
#ifndef C2C_H
#define C2C_H

#include <stdint.h>

#include "stat/summary.h"

enum c2c_kind { C2C_HIT, C2C_HITM, C2C_PINGPONG };
#define C2C_KIND_WORDS "hit|hitm|pingpong" /* in the order of enum c2c_kind */

struct c2c_job {
	enum c2c_kind kind;
	unsigned from, to;         /* CPUs: the lines are held by `from`, and loaded by `to` */
	uint64_t bytes;            /* that the lines of hit and hitm lie in, 128 apart; 0: 128 KiB, so that the 64 KiB of lines stay in a second
	                            * cache of 256 KiB, the least that boards have, whatever sysfs tells of it */
	uint64_t time_ns;          /* of all rounds */
	uint64_t seed;
};

struct c2c_result {
	struct samples samples;    /* a round each: picoseconds per line, or per one way of a ping-pong */
	uint64_t discarded, lines, transfers;
	uint64_t set_bytes, huge_bytes; /* that the lines lie in; of their map, on huge pages */
	unsigned error_cpu;
};

/* 0; -ENOMEM; -EINVAL: from and to are one CPU; any other -errno: a thread could not run on CPU error_cpu. */
int c2c_run(const struct c2c_job *job, struct c2c_result *result);

/* Which CPUs are near one another: pairs is count x count, ps, symmetric (0 on the diagonal); group[i] gets the number of i's group, from 0 in the
 * order of their first members.  Returns how many groups: 1 where no gap between near and far pairs is clear (a quarter or more).  Pure. */
unsigned c2c_groups(const int64_t *pairs, unsigned count, unsigned *group);

#endif
