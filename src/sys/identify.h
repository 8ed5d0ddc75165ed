/* identify.h: fills struct identity from device tree, DMI, /proc and /sys. */
#ifndef IDENTIFY_H
#define IDENTIFY_H

#include "identity.h"

void identify_machine(struct identity *identity);

/* Who uses a disk (or one of its partitions), or a partition (or the disk that it lies on): "mounted on /", "swap",
 * "md md0", "dm vg-root", "loop loop0", "" when nobody.  0; -ENODEV; -errno when it cannot be told. */
int identify_holder(const char *name, char *holder, unsigned size);

/* The block device that has this partition name (GPT): its device name in partition ("nvme0n1p1"), the disk in disk.
 * 0; -ENODEV; -EEXIST when several have it. */
int identify_partition(const char *label, char partition[32], char disk[32]);

/* The path of a device's node ("/dev/nvme0n1"), checked by its device number; none is ever made.  0; -ENOENT; -ENOTBLK
 * when the path is something else; -ENODEV when it is another device's, or under a sysroot (it would be this host's). */
int identify_node(const char *name, char *path, unsigned size);

#endif
