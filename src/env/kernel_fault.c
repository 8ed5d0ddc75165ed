/* kernel_fault.c: a table of words, read from the top; the first row that fits decides. */
#include <stdbool.h>
#include <stddef.h>

#include "capacity.h"
#include "env/kernel_fault.h"
#include "lib/text.h"

/* A row fits a message that has both parts (NULL: one is enough), compared without case. */
static const struct row {
	const char *part, *other;
	enum kernel_meaning meaning;
	const char *name;
} rows[] = {
	/* Empty drives, and devices that are files: no part of the board. */
	{ "I/O error", "dev fd", KERNEL_NOTHING, "" },
	{ "I/O error", "dev sr", KERNEL_NOTHING, "" },
	{ "I/O error", "dev loop", KERNEL_NOTHING, "" },
	{ "I/O error", "dev nbd", KERNEL_NOTHING, "" },
	{ "I/O error", "dev zram", KERNEL_NOTHING, "" },
	{ "I/O error", "dev ram", KERNEL_NOTHING, "" },
	{ "SATA link down", NULL, KERNEL_NOTHING, "" }, /* an empty socket says so whenever it is scanned */

	{ "machine check exception", NULL, KERNEL_FAULT, "machine check" },
	{ "hardware error", "severity: fatal", KERNEL_FAULT, "machine check" },
	{ "hardware error", "severity: recoverable", KERNEL_FAULT, "machine check" },
	{ "hardware error", "uncorrected", KERNEL_FAULT, "machine check" },
	{ "memory failure:", NULL, KERNEL_FAULT, "uncorrected memory error" },
	{ "EDAC", " UE ", KERNEL_FAULT, "uncorrected memory error" },
	{ "ras uncorrectable", NULL, KERNEL_FAULT, "uncorrected error" },
	{ "medium error", NULL, KERNEL_FAULT, "medium error" },
	{ "I/O error", NULL, KERNEL_FAULT, "I/O error" },
	{ "nvme", "controller is down", KERNEL_FAULT, "NVMe controller down" },
	{ "nvme", "after reset failure", KERNEL_FAULT, "NVMe controller down" },
	{ "AER:", "uncorrect", KERNEL_FAULT, "uncorrected PCIe error" },
	{ "PCIe Bus Error", "severity=uncorrect", KERNEL_FAULT, "uncorrected PCIe error" },
	{ "critical temperature", NULL, KERNEL_FAULT, "thermal shutdown" },
	{ "thermal shutdown", NULL, KERNEL_FAULT, "thermal shutdown" },
	{ "link down", NULL, KERNEL_FAULT, "link down" },
	{ "link is down", NULL, KERNEL_FAULT, "link down" },

	{ "hardware error", NULL, KERNEL_LOOK, "corrected machine check" },
	{ "EDAC", " CE ", KERNEL_LOOK, "corrected memory error" },
	{ "AER:", "correct", KERNEL_LOOK, "corrected PCIe error" },
	{ "PCIe Bus Error", NULL, KERNEL_LOOK, "corrected PCIe error" },
	{ "throttled", NULL, KERNEL_LOOK, "throttled" },
	{ "under-voltage", NULL, KERNEL_LOOK, "under-voltage" },
};

enum kernel_meaning kernel_fault(const char *message, const char **name)
{
	for (unsigned i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];

		if (!text_has_nocase(message, row->part) || (row->other && !text_has_nocase(message, row->other)))
			continue;
		if (name)
			*name = row->name;
		return row->meaning;
	}
	if (name)
		*name = "";
	return KERNEL_NOTHING;
}
