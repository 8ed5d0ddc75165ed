/*
 * integrity.h: does memory keep what was written to it?
 *
 * All threads write, each a slice of the buffer; then each checks a slice that another CPU has written (with one CPU,
 * its own).  All is written before anything is checked, so that an address that wraps shows.  Every wrong word is counted;
 * the first few are looked at more closely (fault.h).
 */
#ifndef INTEGRITY_H
#define INTEGRITY_H

#include <stdint.h>

#include "mem/fault.h"
#include "mem/filling.h"
#include "mem/inject.h"
#include "sys/cpu.h"

enum {
	INTEGRITY_BLOCK_WORDS = 512, /* the buffer is a multiple of it for each thread */
	INTEGRITY_LOOKS = 8,         /* wrong words that are looked at closely, of one pattern */
};

struct integrity_job {
	uint64_t *at;
	uint64_t bytes;          /* of which whole blocks for each thread are used: integrity_bytes */
	const struct cpu_list *cpus;
	unsigned threads;
	const struct filling *filling;
	unsigned most_passes;    /* of a pattern with many values (filling_passes); 0: all */
	uint64_t fade_ns;        /* bit-fade: between writing and reading */
	const uint64_t *pages;   /* own-physical: pagemap_snapshot of the buffer */
	uint64_t seed;
	bool flush;              /* flushes what it writes: for a buffer that the caches might hold */
	bool (*goes_on)(void *context); /* asked behind every sweep, and while it waits; NULL: yes */
	void *context;
	enum inject inject;
};

struct integrity_result {
	uint64_t checked_words;  /* over all sweeps */
	uint64_t errors;         /* wrong words, each time one was found */
	uint64_t differing;      /* all bits that were ever wrong */
	unsigned looked;         /* closely: the first of faults */
	unsigned classes[FAULT_CLASSES]; /* of those */
	struct fault faults[INTEGRITY_LOOKS];
	bool was_injected;       /* job->inject was done */
	unsigned error_cpu;
};

/* What is really used of bytes: whole blocks, as many for each thread; the least of that. */
uint64_t integrity_bytes(uint64_t bytes, unsigned threads);
uint64_t integrity_block_bytes(unsigned threads);

/* How often the whole buffer is gone through, written or read or both; and how often every word is checked. */
unsigned integrity_sweeps(const struct filling *filling, unsigned most_passes);
unsigned integrity_checks(const struct filling *filling, unsigned most_passes);

/* 0, whatever was found; -ECANCELED: it does not go on; any other -errno: a thread could not run on CPU error_cpu. */
int integrity_run(const struct integrity_job *job, struct integrity_result *result);

#endif
