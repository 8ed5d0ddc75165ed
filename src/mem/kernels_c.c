/* kernels_c.c: the reference kernels in plain C, and the choice among all that this CPU can run. */
#include "mem/kernels.h"
#include "sys/cpu.h"

/* Each word for itself: else the compiler makes calls of the C library's memmove and memset of these loops. */
#define EACH_WORD(span, statement) \
	for (size_t i = 0; i < (span)->bytes / sizeof(uint64_t); i++) { \
		statement; \
		__asm__ volatile("" ::: "memory"); \
	}

static uint64_t c_reads(const struct kernel_span *span)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < span->bytes / sizeof(uint64_t); i++)
		sum += span->from[i];
	return sum;
}

static uint64_t c_3_to_1(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] += span->from[i] + span->other[i])
	return 0;
}

static uint64_t c_2_to_1(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] += span->from[i])
	return 0;
}

static uint64_t c_1_to_1(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] += span->word)
	return 0;
}

static uint64_t c_triad(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] = span->from[i] + 3 * span->other[i])
	return 0;
}

static uint64_t c_writes(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] = span->word)
	return 0;
}

static uint64_t c_copy(const struct kernel_span *span)
{
	EACH_WORD(span, span->to[i] = span->from[i])
	return 0;
}

static kernel_work *const c_work[STREAM_MIXES] = {
	[STREAM_READS] = c_reads, [STREAM_3_TO_1] = c_3_to_1, [STREAM_2_TO_1] = c_2_to_1, [STREAM_1_TO_1] = c_1_to_1,
	[STREAM_TRIAD] = c_triad, [STREAM_WRITES] = c_writes, [STREAM_COPY] = c_copy,
};

const struct mem_kernel mem_kernel_c = { .name = "c", .streams = 1, .work = c_work };

const struct mem_kernel *kernels_usable(unsigned index)
{
	unsigned features = cpu_features();

	for (const struct mem_kernel *kernel = mem_kernels_arch; kernel->name; kernel++)
		if ((kernel->needs & ~features) == 0 && index-- == 0)
			return kernel;
	return index == 0 ? &mem_kernel_c : NULL;
}

uint64_t kernels_run(const struct mem_kernel *kernel, enum stream_mix mix, struct kernel_span *span)
{
	span->streams = kernel->streams;
	span->ahead_bytes = kernel->ahead_bytes;
	return kernel->work[mix](span);
}
