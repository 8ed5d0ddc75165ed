/*
 * memory_type.h: what memory is built in, as DMI tells (SMBIOS type 17), and the most that it can move.
 */
#ifndef MEMORY_TYPE_H
#define MEMORY_TYPE_H

#include <stdint.h>

struct memory_type {
	unsigned modules;          /* populated */
	unsigned channels;         /* as far as their locators tell apart; else as many as modules */
	unsigned width_bits;       /* of the data, of one module */
	unsigned speed_mt_per_s;   /* as configured, the least of them */
	uint64_t bound_bytes_per_s; /* channels x width x speed; 0: not told */
	char text[72];             /* "DMI: 2 channels x 64 bit x 2400 MT/s"; "" */
};

/* From /sys/firmware/dmi/tables/DMI; all 0 where there is none (a virtual machine's is often empty, or made up). */
void memory_type_read(struct memory_type *type);

#endif
