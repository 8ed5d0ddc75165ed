/*
 * prefetcher.c, x86-64: see prefetcher.h.
 *
 * Method: Intel's "Disclosure of Hardware Prefetcher Control on Some Intel Processors", SDM volume 4 (MSR_MISC_FEATURE_CONTROL,
 * MSR_PREFETCH_CONTROL).  Every family 6 since Nehalem has it; one that keeps fewer bits (Atom) refuses them or reads back otherwise, and
 * is told as on.
 */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/guard.h"
#include "sys/prefetcher.h"

enum { MSR = 0x1a4, ALL_OFF = 0xf, MODEL_NEHALEM = 0x1a };

static struct { bool is_off; uint64_t before; } cpus[MAX_CPUS];

/* Core 2 of a later number, and the first Atoms. */
static bool is_older(unsigned model)
{
	static const uint8_t models[] = { 0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36 };

	for (unsigned i = 0; i < COUNT_OF(models); i++)
		if (models[i] == model)
			return true;
	return model < MODEL_NEHALEM;
}

static bool has_switch(void)
{
	uint32_t eax, ebx, ecx, edx;

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != signature_INTEL_ebx || ecx != signature_INTEL_ecx || edx != signature_INTEL_edx)
		return false;
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	return (eax >> 8 & 0xff00f) == 6 && !is_older((eax >> 4 & 0xf) | (eax >> 12 & 0xf0));
}

static const char *why(int err)
{
	switch (err) {
	case -ENOTSUP: return "no way to switch them off on this CPU";
	case -ENOENT:
	case -ENODEV:
	case -ENXIO: return "no /dev/cpu/N/msr (msr driver)";
	case -EPERM:
	case -EACCES: return "MSR 0x1a4 is locked (not root, or lockdown)";
	case -EIO: return "MSR 0x1a4 does not take it";
	case -ENOTCONN: return "no guardian to put them back";
	default: return sys_error(err);
	}
}

/* The other bits stay as they are. */
static int switch_off(const char *msr, unsigned cpu)
{
	uint64_t word;
	ssize_t got;
	int fd, err;

	if (cpu >= MAX_CPUS)
		return -EINVAL;
	if (cpus[cpu].is_off)
		return 0;
	fd = sys_open(msr, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	got = sys_pread(fd, &word, sizeof(word), MSR);
	sys_close(fd);
	if (got != sizeof(word))
		return got < 0 ? got : -EIO;
	err = guard_word(msr, MSR, word | ALL_OFF, &cpus[cpu].before);
	cpus[cpu].is_off = !err;
	return err;
}

static int tell(int err, char *how, unsigned how_size)
{
	if (err)
		text_format(how, how_size, "on: %s; the order is random", why(err));
	else
		text_copy(how, how_size, "off by MSR 0x1a4");
	return err;
}

int prefetcher_off_by(const char *msr, unsigned cpu, char *how, unsigned how_size)
{
	return tell(switch_off(msr, cpu), how, how_size);
}

void prefetcher_restore_by(const char *msr, unsigned cpu)
{
	if (cpu >= MAX_CPUS || !cpus[cpu].is_off)
		return;
	cpus[cpu].is_off = false;
	guard_word_back(msr, MSR, cpus[cpu].before | ALL_OFF, cpus[cpu].before);
}

static const char *path_of(unsigned cpu, char path[32])
{
	text_format(path, 32, "/dev/cpu/%u/msr", cpu);
	return path;
}

int prefetcher_off(unsigned cpu, char *how, unsigned how_size)
{
	char path[32];

	if (has_switch())
		return prefetcher_off_by(path_of(cpu, path), cpu, how, how_size);
	return tell(-ENOTSUP, how, how_size);
}

void prefetcher_restore(unsigned cpu)
{
	char path[32];

	prefetcher_restore_by(path_of(cpu, path), cpu);
}
