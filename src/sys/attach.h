/*
 * attach.h: how a drive is attached: its queue in the kernel, both ends of its PCIe link, and the errors that these have seen.
 *
 * Method: Documentation/ABI/stable/sysfs-block, Documentation/ABI/testing/sysfs-bus-pci and sysfs-bus-pci-devices-aer_stats.
 */
#ifndef ATTACH_H
#define ATTACH_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"

/* A number that is not told is 0, a word empty. */
struct queue {
	uint64_t max_sectors_kb, max_hw_sectors_kb, nr_requests, read_ahead_kb;
	int64_t numa_node;          /* -1: not told, or none */
	bool rotational, io_poll, cmdq; /* cmdq: eMMC's command queue is switched on */
	char scheduler[24], write_cache[24], aspm[24];
	uint64_t link_milli_gt, link_width; /* what the PCIe link of an NVMe drive runs at: thousandths of GT/s */
	char link[64], port_link[64]; /* "16.0 GT/s PCIe x4, at most 16.0 GT/s PCIe x4", of the drive and of its port */
	char firmware[24];
};

void attach_read(const struct disk *disk, struct queue *queue);

enum aer { AER_CORRECTABLE, AER_NONFATAL, AER_FATAL, AER_KINDS };

/* How many errors of a kind both ends of the drive's link have seen since the start: 0, or -ENOENT where no end tells. */
int attach_errors(const struct disk *disk, enum aer kind, uint64_t *drive, uint64_t *port);

/* ---- pure ---- */
/* The total at the end of a file such as aer_dev_fatal: 0 or -EINVAL. */
int attach_parse_errors(const char *content, uint64_t *total);
/* The word in brackets of "mq-deadline [none]"; all of the text where there are none. */
void attach_parse_choice(const char *content, char *word, unsigned size);

#endif
