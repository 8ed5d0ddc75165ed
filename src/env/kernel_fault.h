/*
 * kernel_fault.h: which lines of the kernel's log tell that the hardware is at fault.  Pure.
 *
 * The words are those that kernels 5.4 to 6.x print (arch/x86 mce, drivers/edac, drivers/pci/pcie/aer.c, block/, drivers/nvme,
 * drivers/thermal, net/core and drivers).  What corrects itself, or may be software's doing, is for a human to look at.
 */
#ifndef KERNEL_FAULT_H
#define KERNEL_FAULT_H

#include <stdbool.h>

enum kernel_meaning {
	KERNEL_NOTHING, /* only its level counts */
	KERNEL_LOOK,    /* worth a warning at whatever level: corrected errors, throttling */
	KERNEL_FAULT,   /* the board is at fault */
};

/* `name` (may be NULL) gets what it is called, such as "I/O error"; "" for KERNEL_NOTHING. */
enum kernel_meaning kernel_fault(const char *message, const char **name);
/* What the kernel says of our own switching off of prefetchers (kernels from 5.9: arch/x86/kernel/msr.c): it is not the board's. */
bool kernel_fault_is_ours(const char *message);

#endif
