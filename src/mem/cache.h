/*
 * cache.h: the CPU's cache lines, as far as user space may touch them; one file an architecture.
 */
#ifndef CACHE_H
#define CACHE_H

#include <stddef.h>

/* The granule that cache maintenance works on, as the CPU tells it (x86: CLFLUSH size, aarch64: CTR_EL0.DminLine). */
unsigned cache_line_bytes(void);

/* Writes back and drops every line that holds a byte of [at, at + bytes): the next read comes from memory. */
void cache_flush(const void *at, size_t bytes);

/* For lines here and there, since waiting for each of them takes microseconds on some machines: the line that holds the byte at `at` may leave
 * the caches at any time until cache_wait, which is also called before the first. */
void cache_flush_line(const void *at);
void cache_wait(void);

#endif
