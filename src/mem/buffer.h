/*
 * buffer.h: measuring buffers on pages of a named kind, and whether that kind was granted.
 *
 * The kind of page is part of a figure's name (TLB misses are part of it), so a buffer on other pages than asked for
 * must never be measured under the asked name: see buffer_is_granted.
 */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/map.h"
#include "sys/numa.h"

#define BUFFER_PAGE_WORDS "4k|thp|2m|1g" /* a step's parameter; in the order of enum map_page */

struct buffer {
	void *at;
	uint64_t bytes; /* whole pages of the kind, at least what was asked for */
	enum map_page page;
	uint64_t huge_bytes; /* of buffer_get: what lies on huge pages */
	int node_err;        /* 0: all lies on its node, as far as somebody asks for one; else why not, or why the kernel does not say */
};

/* "thp", "2m", "1g"; small pages by their true size: "4k", "16k", "64k" */
const char *buffer_page_word(enum map_page page);
/* Is the word "4k" true of this kernel's small pages? */
bool buffer_small_is_4k(void);
/* bytes up to whole pages of the kind; transparent huge pages are taken as 2 MiB */
uint64_t buffer_round(uint64_t bytes, enum map_page page);
/* The most that one measurement may take: half of the memory budget; UINT64_MAX where pages come from a pool. */
uint64_t buffer_room_bytes(enum map_page page);

/* Fills what is mapped, by whoever is to work on it: 0 or -errno. */
typedef int buffer_filler(const struct buffer *buffer);

/*
 * Maps a buffer on a node or NUMA_ANY, has it filled, and asks what was granted.  0; -ENOMEM: no such pages are to be had; -ENOTSUP: but huge_bytes
 * of it are huge pages; -EXDEV: it is not to be had on that node, node_err tells why; or what fill gave.  To be unmapped whatever comes.
 */
int buffer_get(struct buffer *buffer, uint64_t bytes, enum map_page page, int node, buffer_filler *fill);

/* ---- one by one ---- */

/* Maps a buffer without touching it.  0 or -errno (-ENOMEM: no pages of that kind are free). */
int buffer_map(struct buffer *buffer, uint64_t bytes, enum map_page page);
/* Writes to every small page of a part of it: the memory then lies on the node of the calling thread's CPU.  Not for pages from a pool: see below. */
void buffer_touch(void *at, uint64_t bytes);
/* The same for every kind of page, by whole ones: where they cannot be had it is -ENOMEM, and not the end of the process by SIGBUS. */
int buffer_fill_part(const struct buffer *buffer, void *at, uint64_t bytes);
int buffer_fill(const struct buffer *buffer);
/* Once touched: bytes that lie on huge pages. */
uint64_t buffer_huge_bytes(const struct buffer *buffer);
/* Was the kind granted?  Of transparent huge pages at least half of the buffer must be; the kernel promises none. */
bool buffer_is_granted(const struct buffer *buffer, uint64_t huge_bytes);
void buffer_unmap(struct buffer *buffer);

/* All last caches of the CPUs that this process may use, as sysfs tells of the first one's; 32 MiB where it does not tell (many ARM systems). */
uint64_t buffer_last_cache_bytes(void);
/* Is it less than four times the last cache?  Then some of it may stay there (STREAM's rule). */
bool buffer_may_fit_cache(uint64_t bytes);

#endif
