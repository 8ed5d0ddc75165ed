/* identify_disk.h: the parts of identify_machine that list devices, and where a disk is in /sys.  Of sys/ only. */
#ifndef IDENTIFY_DISK_H
#define IDENTIFY_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "identity.h"

/* Devices of hardware come first, then virtual ones; those beyond MAX_DISKS, MAX_PORTS are left out. */
void identify_disks(struct identity *identity);
void identify_ports(struct identity *identity);

/* `MAJOR:MINOR` of a folder below /sys with a file dev: 0 or -errno. */
int identify_numbers(const char *folder, uint32_t *major, uint32_t *minor);

/* The path below /sys/devices of a device: of the link `device` in folder, else of folder itself. */
void identify_bus_path(const char *folder, char *to, unsigned size);

/* The nearest folder from the disk's device up, below /sys/devices, that has a file of this name; false when there is none. */
bool identify_above(const struct disk *disk, const char *file, char *folder, size_t size);

#endif
