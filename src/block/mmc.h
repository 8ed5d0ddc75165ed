/*
 * mmc.h: how worn an eMMC is, from its extended CSD register (JEDEC JESD84-B51, 7.4.84 to 7.4.86), or what the kernel read of
 * it when it found the card (device/life_time, device/pre_eol_info).  Parsing is pure.
 */
#ifndef MMC_H
#define MMC_H

#include <stdint.h>

#include "block/health.h"

enum { MMC_EXT_CSD_BYTES = 512 };

void mmc_ext_csd_parse(const uint8_t bytes[MMC_EXT_CSD_BYTES], struct health *health);
/* "0x01 0x02" and "0x01"; what is no such text tells nothing. */
void mmc_life_parse(const char *life_time, const char *pre_eol, struct health *health);

/* Reads the register now: 0 or -errno (-EPERM without CAP_SYS_RAWIO).  fd: of the whole eMMC; not for an SD card, to which
 * the command means something else. */
int mmc_ext_csd(int fd, struct health *health);

#endif
