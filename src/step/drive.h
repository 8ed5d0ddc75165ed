/*
 * drive.h: the drive behind a device that is measured: its health, its queue, its link, and who takes its interrupts.
 *
 *     static struct drive_health before, after;
 *     if (device.on) drive_health_read(device.on, &before);
 *     ... measure ...
 *     if (device.on) { drive_health_read(device.on, &after); drive_health_facts(&before, &after, &facts); }
 *
 * Reading costs some milliseconds and sends the drive a few commands: never inside a measurement.  One caller at a time.
 */
#ifndef STEP_DRIVE_H
#define STEP_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "block/health.h"
#include "block/nvme.h"
#include "event.h"
#include "sys/attach.h"
#include "sys/interrupts.h"

struct ctx;
struct device;
struct disk;

struct drive_health {
	struct health health;
	int error;                    /* of asking the drive itself: 0; -ENODATA: such a drive tells none; else -errno */
	char why[128];                /* the same in words; "" */
	char identity[160];           /* model, firmware, serial number as the drive itself tells them; "" */
	struct nvme_drive nvme;       /* of NVMe drives only */
	uint64_t aer[AER_KINDS][2];   /* errors that the drive and its port have seen */
	struct queue queue;
	struct interrupts interrupts;
};

/* The disk's node, for reading: a descriptor or -errno. */
int drive_open(const struct disk *disk);

/* What can be told is told, also where the drive itself cannot be asked.  False then: error and why say so. */
bool drive_health_read(const struct disk *disk, struct drive_health *drive);

/* How the drive is attached: limits of its queue, scheduler, caches, link. */
void drive_queue_facts(const struct drive_health *drive, struct facts *facts);

/* What happened between two readings (smart_*, aer.*, interrupts), temperatures of both, and how it is attached. */
void drive_health_facts(const struct drive_health *before, const struct drive_health *after, struct facts *facts);

/*
 * Around the measurements of one device: drive_after tells the figure block.drive.max_io[role], the largest I/O that reaches the
 * drive whole, with the facts above as its evidence.  Nothing where no drive is known behind the device, nor where no point of it
 * was measured: nothing else may make a run that measured nothing look like one that did.
 */
void drive_before(struct ctx *ctx, const struct device *device);
void drive_after(struct ctx *ctx, const struct device *device);

#endif
