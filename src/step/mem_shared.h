/*
 * mem_shared.h: what the steps that measure memory have in common: kinds of page, room for buffers, and evidence.
 */
#ifndef MEM_SHARED_H
#define MEM_SHARED_H

#include "mem/buffer.h"
#include "step.h"
#include "sys/cpu.h"

enum mem_outcome {
	MEM_READY,
	MEM_NO_PAGES, /* this kind of page is not to be had */
	MEM_NO_ROOM,
};

/* Measures on one kind of page, called `word` in the figure's name. */
typedef enum mem_outcome mem_measure(struct ctx *ctx, enum map_page page, const char *word, void *context);

/* Calls measure for each kind of page of the parameter (PARAM_WORDS of BUFFER_PAGE_WORDS); when one was not to be had,
 * also for this kernel's small pages, which go by their true size: the word 4k is not theirs everywhere. */
void mem_each_page(struct ctx *ctx, unsigned param, mem_measure *measure, void *context);

/* The most that may be mapped on such pages on a node, or NUMA_ANY. */
uint64_t mem_room_bytes(enum map_page page, int node);
/* May map_bytes be mapped there?  What speaks against it is emitted. */
enum mem_outcome mem_room(struct ctx *ctx, const char *metric, const struct point *point, enum map_page page,
                          const char *word, int node, uint64_t map_bytes);
/* Emits why there are no such pages: err is -ENOTSUP when huge_bytes of map_bytes were granted. */
enum mem_outcome mem_no_pages(struct ctx *ctx, const char *metric, const struct point *point, const char *word, int err,
                              uint64_t huge_bytes, uint64_t map_bytes);

/* Adds bound, bound_source and ratio to a bandwidth of memory, as far as somebody tells the bound: the board file ("board file"), else DMI
 * ("DMI: 2 channels x 64 bit x 2400 MT/s"). */
void mem_fact_bound(const struct ctx *ctx, struct facts *facts, int64_t bandwidth_milli);

/* Why a measurement came to nothing: err of buffer_get, or of a thread on its CPU. */
struct mem_refusal {
	int err;
	const char *page_word;
	uint64_t huge_bytes, map_bytes; /* of -ENOTSUP */
	int node, node_err;             /* of -EXDEV */
	unsigned cpu;
};
bool mem_lacks_pages(int err);
/* Emits it: no such pages are a SKIP (as mem_no_pages), all else is an ERROR. */
enum mem_outcome mem_refuse(struct ctx *ctx, const char *metric, const struct point *point, const struct mem_refusal *why);
/* Adds node_checked: do the pages lie on the node that the figure names?  "yes", "no: ...", or why the kernel does not tell. */
void mem_fact_node(struct facts *facts, int node_err);

/* Adds may_fit_cache, when bytes are less than 4 times the last cache. */
void mem_fact_cache(struct facts *facts, uint64_t bytes);
/* "0-3,8": the first count of the list; false when it was cut. */
bool mem_cpus_word(char *word, size_t size, const struct cpu_list *cpus, unsigned count, char separator);
/* Adds cpus, "0-3,8": the first count of the list. */
void mem_fact_cpus(struct facts *facts, const struct cpu_list *cpus, unsigned count);
/* Says which CPUs of the list get no thread, when it has more than MAX_THREADS. */
void mem_log_left_out(struct ctx *ctx, const struct cpu_list *cpus);

#endif
