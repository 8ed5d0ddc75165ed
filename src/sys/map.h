/*
 * map.h: big buffers by explicit maps, and how much memory may be used.
 */
#ifndef MAP_H
#define MAP_H

#include <stddef.h>
#include <stdint.h>

enum map_page { MAP_PAGE_SMALL, MAP_PAGE_THP, MAP_PAGE_2M, MAP_PAGE_1G };

/* Anonymous private memory, aligned to its page kind.  0 or -errno; *at is NULL on error.
 * THP is asked for by madvise (whether it was granted: map_huge_bytes); small pages are kept small by madvise too.
 * 2M and 1G come from hugetlb and fail with -ENOMEM when none are free. */
int map_memory(size_t bytes, enum map_page page, void **at);
/* Shared between processes that fork from here. */
int map_shared(size_t bytes, void **at);
void unmap_memory(void *at, size_t bytes);
/* Touches all of it: 0; or -errno where a first touch would have been killed by SIGBUS (hugetlb pages that a node, or a cgroup, has none of). */
int map_populate(void *at, size_t bytes);
uint64_t map_page_bytes(void);                  /* of the base page: 4, 16 or 64 KiB */
uint64_t map_huge_bytes(const void *at);        /* bytes of the map at `at` that transparent huge pages back; from smaps; 0 if unknown */

/* What may be allocated now: the least of MemAvailable, the room under every memory cgroup (v1 and v2) above this process, and that on the NUMA nodes that
 * it may use (cpuset, MPOL_BIND) when these are not all; `why` (may be NULL) gets which one it was: "available", "cgroup" or "nodes".  0 when /proc is not
 * there. */
uint64_t map_budget_bytes(const char **why);
uint64_t map_total_bytes(void);                 /* MemTotal; falls back on sysinfo(2) */

#endif
