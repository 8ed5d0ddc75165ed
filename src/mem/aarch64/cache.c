/* cache.c: aarch64: DC CIVAC, which Linux lets user space execute. */
#include <stdint.h>

#include "mem/cache.h"

unsigned cache_line_bytes(void)
{
	uint64_t type;

	__asm__("mrs %0, ctr_el0" : "=r"(type));
	return 4u << (type >> 16 & 0xf); /* DminLine counts words of four bytes */
}

void cache_flush_line(const void *at)
{
	__asm__ volatile("dc civac, %0" :: "r"(at) : "memory");
}

void cache_wait(void)
{
	__asm__ volatile("dsb sy" ::: "memory");
}

void cache_flush(const void *at, size_t bytes)
{
	unsigned line_bytes = cache_line_bytes();
	uintptr_t line = (uintptr_t)at & ~(uintptr_t)(line_bytes - 1);

	cache_wait();
	for (; line < (uintptr_t)at + bytes; line += line_bytes)
		cache_flush_line((const void *)line);
	cache_wait();
}
