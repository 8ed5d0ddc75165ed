/*
 * device.h: the devices that a storage step measures, by the role that each plays.
 *
 *     for_each_storage(ctx, &device)
 *             if (!planned(...) && device_ready(ctx, &device))
 *                     ...
 *
 * In this order: the roles that the board file declares, the scratch as role `scratch`, and, where the board file says
 * read_undeclared, the other real disks under their kernel name.  A device that a command was given comes alone.  What is absent, ambiguous, empty or put aside is said
 * here (FAIL, ERROR or SKIP), and the walk goes on; that a device can be read through the page cache only, too: ERROR when
 * it is declared, else a warning.  Do not break out of the loop: it closes the devices.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

struct ctx;
struct disk;

struct device {
	char role[32];
	char name[32];                /* the kernel's name */
	char node[MAX_PATH];          /* once it is ready */
	char model[48];
	uint64_t size_bytes;
	uint64_t bound_bytes_per_s;   /* physical limit; 0: not known */
	uint32_t logical_block_bytes;
	const struct disk *disk;      /* NULL: the scratch */
	const struct disk *on;        /* the disk itself, or the one that the scratch lies on as a whole or in part; NULL: not known */
	int fd;                       /* -1 before device_ready */
	bool declared;                /* by the board file */
	bool direct;                  /* past the page cache */
	bool writable;                /* the scratch, unless it is only read */
	unsigned measured;            /* points so far */
	bool unwritten;               /* a file with holes: reading them is too quick */
	enum { DEVICE_CLOSED, DEVICE_READY, DEVICE_UNUSABLE } state;
};

struct device_walk { unsigned at, seen; };

#define for_each_storage(ctx, device) \
	for (struct device_walk walk_ = { 0, 0 }; device_next(ctx, &walk_, device); )

bool device_next(struct ctx *ctx, struct device_walk *walk, struct device *device);

/* The one device of a step that writes, or that a command or study was given: the scratch.  False, and SKIP said, when there
 * is none.  device_done ends it, as the walk does by itself. */
bool device_scratch(struct ctx *ctx, struct device *device);
/* The device that plays this role (of the board file), or the one that the command was given.  False, and said, when there is none. */
bool device_role(struct ctx *ctx, const char *role, struct device *device);
void device_done(struct ctx *ctx, struct device *device);

/* Before writing to the scratch: the holes of a file are filled, for behind a loop device the want of space would look like an
 * I/O error.  0; -ENOSPC or -EDQUOT. */
int device_allocate(struct ctx *ctx, uint64_t offset_bytes, uint64_t size_bytes);

/* Opens it on first use, for reading.  False when it cannot be used (any more): why has been said once. */
bool device_ready(struct ctx *ctx, struct device *device);

/* It went away: no further point is tried on it. */
void device_lost(struct device *device);

#endif
