/*
 * memory_type.h: what memory is built in, as DMI tells (SMBIOS type 17), and the most that it can move.
 *
 * A bound must never be below what the memory can do: where the table leaves room for doubt the larger figure counts, and
 * where something is missing from it there is none.  Source: DMTF DSP0134, System Management BIOS Reference Specification 3.x.
 */
#ifndef MEMORY_TYPE_H
#define MEMORY_TYPE_H

#include <stddef.h>
#include <stdint.h>

struct memory_type {
	unsigned modules;          /* populated */
	unsigned channels;         /* as far as their locators tell apart ("ChannelA-DIMM1"); else as many as modules */
	unsigned width_bits;       /* of the data, of the widest module */
	unsigned speed_mt_per_s;   /* as configured, else what it is made for; of the fastest */
	uint64_t bound_bytes_per_s; /* channels x width x speed; 0: not told */
	char text[72];             /* "DMI: 2 channels x 64 bit x 2400 MT/s", "DMI: 4 modules x ..." where channels are not told; "" */
};

/* From /sys/firmware/dmi/tables/DMI, through --sysroot; all 0 where there is none (only root may read it; a virtual machine's
 * is often empty, or made up). */
void memory_type_read(struct memory_type *type);
/* From such a table, whatever bytes it has; all 0 unless it is sound to its end (type 127). */
void memory_type_parse(const uint8_t *table, size_t bytes, struct memory_type *type);

#endif
