/* kernels_c.c: the reference kernels in plain C, and the choice among all that this CPU can run. */
#include "mem/kernels.h"
#include "sys/cpu.h"

static uint64_t c_read(const void *from, size_t bytes)
{
	const uint64_t *word = from;
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		sum += word[i];
	return sum;
}

static void c_write(void *to, size_t bytes, uint64_t value)
{
	uint64_t *word = to;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] = value;
}

static void c_update(void *at, size_t bytes, uint64_t add)
{
	uint64_t *word = at;

	for (size_t i = 0; i < bytes / sizeof(*word); i++)
		word[i] += add;
}

static void c_copy(void *to, const void *from, size_t bytes)
{
	const uint64_t *source = from;
	uint64_t *target = to;

	for (size_t i = 0; i < bytes / sizeof(*source); i++) {
		target[i] = source[i];
		__asm__ volatile("" ::: "memory"); /* or the compiler makes this a call of the C library's memmove */
	}
}

const struct mem_kernel mem_kernel_c = {
	.name = "c", .read = c_read, .write = c_write, .update = c_update, .copy = c_copy,
};

const struct mem_kernel *kernels_usable(unsigned index)
{
	unsigned features = cpu_features();

	for (unsigned i = 0; mem_kernels_arch[i]; i++)
		if ((mem_kernels_arch[i]->needs & ~features) == 0 && index-- == 0)
			return mem_kernels_arch[i];
	return index == 0 ? &mem_kernel_c : NULL;
}
