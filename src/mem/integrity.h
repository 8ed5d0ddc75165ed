/*
 * integrity.h: does memory keep what was written to it?
 *
 * All threads write, each a slice of the buffer; then each checks a slice that another CPU has written (with one CPU,
 * its own).  All is written before anything is checked, so that an address that wraps shows.  A wrong word is flushed
 * from the caches and read again, to tell a fault on the way from one that stays.
 */
#ifndef INTEGRITY_H
#define INTEGRITY_H

#include <stdint.h>

#include "mem/filling.h"
#include "sys/cpu.h"

enum { INTEGRITY_BLOCK_WORDS = 512 }; /* the buffer is a multiple of it for each thread */

/* Faults made on purpose, behind the writer's back, to prove that the detector fires. */
enum integrity_inject { INJECT_NONE, INJECT_BIT, INJECT_ADDRESS };
#define INTEGRITY_INJECT_WORDS "none|bit|address" /* in this order */

struct integrity_job {
	uint64_t *at;
	uint64_t bytes;          /* of which whole blocks for each thread are used: integrity_bytes */
	const struct cpu_list *cpus;
	unsigned threads;
	const struct filling *filling;
	uint64_t seed;
	bool flush;              /* flushes what it writes: for a buffer that the caches might hold */
	bool (*goes_on)(void *context); /* asked behind every sweep; NULL: yes */
	void *context;
	enum integrity_inject inject; /* bit: one bit of one word; address: one word lands on another, as by a stuck line */
};

struct integrity_fault {
	uint64_t offset_bytes;   /* in the buffer */
	uint64_t physical_bytes; /* address; 0 when the kernel does not tell (it asks for CAP_SYS_ADMIN) */
	uint64_t expected, found;
	uint64_t again;          /* read again after the flush */
	unsigned cpu;            /* that found it */
};

struct integrity_result {
	uint64_t checked_words;  /* over all sweeps */
	uint64_t errors;         /* wrong words, each time one was found */
	struct integrity_fault first;
	unsigned error_cpu;
};

/* What is really used of bytes: whole blocks, as many for each thread. */
uint64_t integrity_bytes(uint64_t bytes, unsigned threads);

/* 0, whatever was found; -ECANCELED: it does not go on; any other -errno: a thread could not run on CPU error_cpu. */
int integrity_run(const struct integrity_job *job, struct integrity_result *result);

/* Where a fault lies, from what the second reading gave: on the way to the CPU, or in the cell or on the way to it. */
const char *integrity_where(uint64_t expected, uint64_t again);

#endif
