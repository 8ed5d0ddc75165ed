/*
 * cpu_arch.c, x86-64: CPUID, XGETBV and the time stamp counter.
 *
 * Method: Intel SDM volume 1, 13.3 (which units the OS saves), volume 3B, 18.17 (invariant TSC, leaf 0x15).
 */
#include <cpuid.h>
#include <string.h>

#include "lib/text.h"
#include "sys/cpu.h"
#include "sys/file.h"

enum {
	LEAF1_ECX_SSE42 = 1 << 20, LEAF1_ECX_OSXSAVE = 1 << 27, LEAF1_ECX_HYPERVISOR = 1u << 31, LEAF1_ECX_AVX = 1 << 28,
	LEAF7_EBX_AVX2 = 1 << 5, LEAF7_EBX_AVX512F = 1 << 16,
	POWER_EDX_INVARIANT_TSC = 1 << 8,
	XCR0_AVX = 0x06, XCR0_AVX512 = 0xe6, /* the register files that the OS saves */
};

static uint32_t saved_by_os(uint32_t leaf1_ecx)
{
	uint32_t low, high;

	if (!(leaf1_ecx & LEAF1_ECX_OSXSAVE) || !(leaf1_ecx & LEAF1_ECX_AVX))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

unsigned cpu_features(void)
{
	uint32_t eax, ebx, ecx, edx, saved;
	unsigned features = 0;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return 0;
	if (ecx & LEAF1_ECX_SSE42)
		features |= CPU_CRC32;
	saved = saved_by_os(ecx);
	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx))
		return features;
	if ((ebx & LEAF7_EBX_AVX2) && (saved & XCR0_AVX) == XCR0_AVX)
		features |= CPU_AVX2;
	if ((ebx & LEAF7_EBX_AVX512F) && (saved & XCR0_AVX512) == XCR0_AVX512)
		features |= CPU_AVX512;
	return features;
}

/* The fence keeps the reading behind the loads that are being timed. */
uint64_t cpu_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

const char *cpu_counter_name(void)
{
	return "tsc";
}

/* A kernel that found the counter unstable (CPUs apart, stopping in idle) takes it off this list. */
static bool kernel_trusts_tsc(void)
{
	char sources[128];

	if (file_read_here(sources, sizeof(sources), "/sys/devices/system/clocksource/clocksource0/available_clocksource") <= 0)
		return true;
	return text_in_list(text_trim(sources), ' ', "tsc");
}

bool cpu_counter_invariant(void)
{
	uint32_t eax, ebx, ecx, edx;

	return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & POWER_EDX_INVARIANT_TSC) && kernel_trusts_tsc();
}

uint64_t cpu_counter_hz(void)
{
	uint32_t denominator, numerator, crystal_hz, edx;

	if (!__get_cpuid(0x15, &denominator, &numerator, &crystal_hz, &edx) || !denominator || !numerator)
		return 0;
	return (uint64_t)crystal_hz * numerator / denominator;
}

/* A hypervisor's leaves: a real CPU must not be asked for them. */
const char *cpu_emulator(void)
{
	uint32_t eax, signature[3];

	__cpuid(1, eax, signature[0], signature[1], signature[2]);
	if (!(signature[1] & LEAF1_ECX_HYPERVISOR))
		return "";
	__cpuid(0x40000000, eax, signature[0], signature[1], signature[2]);
	return memcmp(signature, "TCGTCGTCGTCG", sizeof(signature)) ? "" : "qemu tcg";
}

void cpu_relax(void)
{
	__asm__ volatile("pause" : : : "memory");
}

uint32_t cpu_crc32c(uint32_t crc, const void *words, size_t bytes)
{
	const uint64_t *at = words;
	uint64_t state = ~crc;

	for (size_t i = 0; i < bytes / sizeof *at; i++)
		__asm__("crc32q %1, %0" : "+r"(state) : "rm"(at[i]));
	return ~(uint32_t)state;
}
