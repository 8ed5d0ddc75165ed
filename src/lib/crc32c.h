/* crc32c.h: CRC-32C (Castagnoli, reflected, as iSCSI and ext4 use it); crc32c(0, "123456789", 9) is 0xe3069283. */
#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues crc over count more bytes; begin with 0.  Portable, eight bytes a step. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t count);

#endif
