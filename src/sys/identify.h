/* identify.h: fills struct identity from device tree, DMI, /proc and /sys. */
#ifndef IDENTIFY_H
#define IDENTIFY_H

#include "identity.h"

void identify_machine(struct identity *identity);

/* Is it a disk to be looked at: no eMMC boot area, no RPMB, no hidden path of a multipath drive? */
bool identify_is_disk(const char *name);

/* Who uses a disk (or one of its partitions), or a partition (or the disk that it lies on): "/dev/sda1 is mounted on /x",
 * "... is swap", "... is a member of md0", "... holds LVM volume vg-lv (dm-0)", "... holds device mapper volume x (dm-1)",
 * "... is behind loop0", "... is held by bcache0"; "" when nobody.  0; -ENODEV; -errno when it cannot be told. */
int identify_holder(const char *name, char *holder, unsigned size);

/* One whole disk by its kernel name, as /sys tells now.  An eMMC's cid serves as its second serial number, "" elsewhere. */
void identify_disk(const char *name, struct disk *disk, char cid[64]);

/* The block device that has this partition name (GPT): its device name in partition ("nvme0n1p1"), the disk in disk.
 * 0; -ENODEV; -EEXIST when several have it. */
int identify_partition(const char *label, char partition[32], char disk[32]);

/* The path of a device's node ("/dev/nvme0n1"), checked by its device number; none is ever made.  0; -ENOENT; -ENOTBLK
 * when the path is something else; -ENODEV when it is another device's, or under a sysroot (it would be this host's). */
int identify_node(const char *name, char *path, unsigned size);

#endif
