/* kernel_fault.c: tables of words, read from the top; the first row that fits decides. */
#include <stddef.h>

#include "capacity.h"
#include "env/kernel_fault.h"
#include "lib/text.h"

/* A row fits a message that has both parts (NULL: one is enough), compared without case. */
struct row { const char *part, *other, *name; };

static const struct row nothing[] = {
	/* Empty drives, and devices that are files: no part of the board. */
	{ "I/O error", "dev fd", "" },
	{ "I/O error", "dev sr", "" },
	{ "I/O error", "dev loop", "" },
	{ "I/O error", "dev nbd", "" },
	{ "I/O error", "dev zram", "" },
	{ "I/O error", "dev ram", "" },
	{ "SATA link down", NULL, "" }, /* an empty socket says so whenever it is scanned */
	{ NULL }
};

static const struct row faults[] = {
	{ "machine check exception", NULL, "machine check" },
	{ "hardware error", "severity: fatal", "machine check" },
	{ "hardware error", "severity: recoverable", "machine check" },
	{ "hardware error", "uncorrected", "machine check" },
	{ "memory failure:", NULL, "uncorrected memory error" },
	{ "EDAC", " UE ", "uncorrected memory error" },
	{ "ras uncorrectable", NULL, "uncorrected error" },
	{ "medium error", NULL, "medium error" },
	{ "I/O error", NULL, "I/O error" },
	{ "nvme", "controller is down", "NVMe controller down" },
	{ "nvme", "after reset failure", "NVMe controller down" },
	{ "AER:", "uncorrect", "uncorrected PCIe error" },
	{ "PCIe Bus Error", "severity=uncorrect", "uncorrected PCIe error" },
	{ "critical temperature", NULL, "thermal shutdown" },
	{ "thermal shutdown", NULL, "thermal shutdown" },
	{ "link down", NULL, "link down" },
	{ "link is down", NULL, "link down" },
	{ NULL }
};

static const struct row looks[] = {
	{ "hardware error", NULL, "corrected machine check" },
	{ "EDAC", " CE ", "corrected memory error" },
	{ "AER:", "correct", "corrected PCIe error" },
	{ "PCIe Bus Error", NULL, "corrected PCIe error" },
	{ "throttled", NULL, "throttled" },
	{ "under-voltage", NULL, "under-voltage" },
	{ NULL }
};

enum kernel_meaning kernel_fault(const char *message, const char **name)
{
	static const struct { enum kernel_meaning meaning; const struct row *rows; } tables[] = {
		{ KERNEL_NOTHING, nothing }, { KERNEL_FAULT, faults }, { KERNEL_LOOK, looks },
	};

	for (unsigned i = 0; i < COUNT_OF(tables); i++)
		for (const struct row *row = tables[i].rows; row->part; row++) {
			if (!text_has_nocase(message, row->part) || (row->other && !text_has_nocase(message, row->other)))
				continue;
			if (name)
				*name = row->name;
			return tables[i].meaning;
		}
	if (name)
		*name = "";
	return KERNEL_NOTHING;
}

bool kernel_fault_is_ours(const char *message)
{
	return text_find(message, "unrecognized MSR 0x1a4 ") || text_find(message, "tip.git/about for details");
}
