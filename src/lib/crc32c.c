/*
 * crc32c.c: see crc32c.h.  Slicing by eight (Kounavis and Berry 2005): table t[i][b] is the effect of byte b followed
 * by i zero bytes.  The 8 KiB of tables are computed on first use.
 */
#include <pthread.h>

#include "lib/crc32c.h"

#define POLYNOMIAL 0x82f63b78u /* Castagnoli's, bits reversed */

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void fill_tables(void)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (unsigned i = 1; i < 8; i++)
		for (unsigned byte = 0; byte < 256; byte++)
			tables[i][byte] = tables[i - 1][byte] >> 8 ^ tables[0][tables[i - 1][byte] & 0xff];
}

static uint32_t load(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t four(uint32_t word, unsigned behind)
{
	return tables[behind + 3][word & 0xff] ^ tables[behind + 2][word >> 8 & 0xff] ^
	       tables[behind + 1][word >> 16 & 0xff] ^ tables[behind][word >> 24];
}

uint32_t crc32c(uint32_t crc, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	pthread_once(&tables_once, fill_tables);
	crc = ~crc;
	for (; count >= 8; count -= 8, at += 8)
		crc = four(crc ^ load(at), 4) ^ four(load(at + 4), 0);
	while (count--)
		crc = crc >> 8 ^ tables[0][(crc ^ *at++) & 0xff];
	return ~crc;
}
