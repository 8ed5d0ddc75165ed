/* cache.c: x86-64: CLFLUSH, which every such CPU has. */
#include <cpuid.h>
#include <emmintrin.h>
#include <stdint.h>

#include "mem/cache.h"

unsigned cache_line_bytes(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ebx >> 8 & 0xff))
		return 64;
	return (ebx >> 8 & 0xff) * 8;
}

void cache_flush_line(const void *at)
{
	_mm_clflush(at);
}

void cache_wait(void)
{
	_mm_mfence();
}

void cache_flush(const void *at, size_t bytes)
{
	unsigned line_bytes = cache_line_bytes();
	const char *line = (const char *)((uintptr_t)at & ~(uintptr_t)(line_bytes - 1));

	cache_wait();
	for (; line < (const char *)at + bytes; line += line_bytes)
		cache_flush_line(line);
	cache_wait();
}
