/*
 * fault.h: the closer look at a word that was not what had been written: is it the cell, or which path to it?
 *
 * Each look sees the word another way: from another CPU; again from this one; past the caches, flushed (and, in a buffer of more than 16 MiB, driven
 * out of a cache on the memory's side); rewritten; rewritten with the inverse.
 *   read path     memory holds what was written: this CPU, or a cache that others share, saw something else once
 *   coherency     another CPU sees what was written, this one goes on seeing something else until it is flushed
 *   address line  the word is another one's: what is written to it shows there, or it holds what belongs there, in two bits or more (one may be a bit, so
 *                 that only the proof counts), and can be written
 *   cell          wrong past the caches, and wrong again when it is written again
 *   write path    wrong past the caches, and right when it is written again: it never arrived, or did not stay
 */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stdint.h>

enum fault_class { FAULT_CELL, FAULT_READ, FAULT_WRITE, FAULT_COHERENCY, FAULT_ADDRESS, FAULT_CLASSES };

struct fault {
	uint64_t offset_bytes;   /* in the buffer */
	uint64_t physical_bytes; /* its address; 0 when the kernel does not tell */
	uint64_t expected, found;
	uint64_t elsewhere;      /* as other_cpu sees it; found, where there is no other CPU */
	uint64_t again;          /* as the CPU that found it sees it then */
	uint64_t flushed;
	uint64_t rewritten, inverted; /* only where flushed is wrong */
	uint64_t partner_bytes;  /* address line: the offset of the other word */
	uint64_t partner_physical_bytes;
	uint16_t cpu, writer, other_cpu; /* that found it, that had written it, that looked too */
	uint8_t kind;            /* enum fault_class */
	bool is_proven;          /* address line: a word written to the one showed in the other */
};

/*
 * Takes a closer look at buffer[place], out of words, from a thread that runs on fault->cpu.  expected, found, the CPUs are told; content_place is whose
 * content was found (UINT64_MAX: nobody's, or unknown).  Leaves what was expected in the word where it was wrong.
 */
void fault_look(struct fault *fault, uint64_t *buffer, uint64_t words, uint64_t place, uint64_t content_place);

/* Pure: from what the looks saw. */
enum fault_class fault_classify(const struct fault *fault, bool holds_anothers);
const char *fault_word(enum fault_class kind); /* "cell", "read path", ... */

#endif
