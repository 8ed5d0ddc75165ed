/*
 * identity.h: what a machine says of itself, read by sys, matched against board files by board (which knows no Linux).
 *
 * A string that the machine does not tell is empty, a number 0; nothing is guessed.
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

/* One whole block device, as /sys/block shows it.  Partitions, boot areas and RPMB are never listed here. */
struct disk {
	char name[32];        /* nvme0n1 */
	char bus[12];         /* nvme mmc sata scsi usb virtio loop zram ram md dm other */
	char bus_path[160];   /* the /sys/devices path of the device behind it, without that prefix */
	char model[48];
	char serial[64];
	char mode[48];        /* eMMC: the debugfs ios timing, "mmc HS400"; else empty */
	char link_speed[32];  /* PCIe endpoint: current, "16.0 GT/s PCIe" */
	char link_speed_max[32];
	uint32_t link_width, link_width_max;
	char port_speed_max[32]; /* of the port that the endpoint hangs on */
	uint32_t port_width_max;
	uint64_t size_bytes;
	uint32_t logical_block_bytes, physical_block_bytes;
	uint32_t dev_major, dev_minor;
	bool read_only, removable, rotational;
};

struct port {
	char name[20];
	char bus_path[160];
	char driver[32];
	char address[24];     /* MAC */
	char operstate[16];
	uint32_t speed_mbit_per_s; /* 0: unknown or no link */
	uint32_t mtu;
	bool carrier, loopback;
};

struct identity {
	char arch[12];              /* x86_64 aarch64 */
	char kernel[72];            /* uname release */
	char compatible[256];       /* device tree, tokens separated by '\n' */
	char sku[64];               /* /chosen/nvidia,sku */
	char serial[64];            /* device tree, else DMI */
	char vendor[64], product[64], bios_version[64]; /* DMI */
	char cpu_model[64];
	char emulator[16];          /* what translates the instructions of the very machine that this runs on, whatever --sysroot says: "qemu tcg",
	                             * "qemu", "qemu-user"; "" on real hardware and in virtual machines that run on it */
	uint32_t cpus_online, cpus_possible;
	uint64_t memory_bytes;      /* MemTotal */
	unsigned disk_count, port_count;
	struct disk disks[MAX_DISKS];
	struct port ports[MAX_PORTS];
};

#endif
