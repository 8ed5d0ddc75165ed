/*
 * cpu_arch.c, aarch64: HWCAP and the generic timer.
 *
 * Method: Arm ARM, D19.2 (DCZID_EL0), D11 (the virtual count runs at CNTFRQ_EL0 on every CPU, whatever the CPU's own clock does).
 */
#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/cpu.h"
#include "sys/file.h"

/* DCZID_EL0: the OS may forbid it (DZP); BS counts words of four bytes. */
static bool zva_is_usable(void)
{
	uint64_t id;

	__asm__("mrs %0, dczid_el0" : "=r"(id));
	return !(id & 0x10) && 4u << (id & 0xf) <= 512;
}

unsigned cpu_features(void)
{
	unsigned long hwcap = getauxval(AT_HWCAP);

	return (hwcap & HWCAP_ASIMD ? CPU_NEON : 0) | (hwcap & HWCAP_CRC32 ? CPU_CRC32 : 0) | (zva_is_usable() ? CPU_ZVA : 0);
}

/* The barrier keeps the reading behind the instructions that are being timed. */
uint64_t cpu_counter(void)
{
	uint64_t count;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

const char *cpu_counter_name(void)
{
	return "cntvct";
}

bool cpu_counter_invariant(void)
{
	return true;
}

uint64_t cpu_counter_hz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz & UINT32_MAX; /* the upper half is reserved */
}

static bool is_qemu_board(void)
{
	char text[256];

	if (file_read_here(text, sizeof(text), "/sys/class/dmi/id/sys_vendor") > 0)
		return text_starts(text, "QEMU");
	file_read_here(text, sizeof(text), "/proc/device-tree/compatible");
	return text_starts(text, "linux,dummy-virt");
}

/* A guest of KVM has the same board, but the host's CPU and timer; QEMU's own timer runs at 62.5 MHz, and its CPU `max` is no maker's. */
const char *cpu_emulator(void)
{
	char text[32];
	uint64_t midr = ~0ull;

	if (!is_qemu_board())
		return "";
	if (file_read_here(text, sizeof(text), "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1") > 0)
		number_parse_hex(text_trim(text), &midr);
	return cpu_counter_hz() == 62500000 || !(midr >> 24 & 0xff) ? "qemu" : "";
}

void cpu_relax(void)
{
	__asm__ volatile("yield" : : : "memory");
}

uint32_t cpu_crc32c(uint32_t crc, const void *words, size_t bytes)
{
	const uint64_t *at = words;
	uint32_t state = ~crc;

	for (size_t i = 0; i < bytes / sizeof *at; i++)
		__asm__(".arch_extension crc\n\tcrc32cx %w0, %w0, %1" : "+r"(state) : "r"(at[i]));
	return ~state;
}
