/* mmc.c: see mmc.h. */
#include <linux/major.h>
#include <linux/mmc/ioctl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "block/mmc.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"

/* Bytes of the register.  Values of life beyond 11, and of pre_eol beyond 3, are reserved; 0 is "not defined". */
enum { PRE_EOL_INFO = 267, LIFE_TIME_A = 268, LIFE_TIME_B = 269 };

/* The kernel's include/linux/mmc/{mmc,core}.h: SEND_EXT_CSD; an R1 response (present, with CRC and opcode; in SPI one byte), and data. */
enum { SEND_EXT_CSD = 8, RESPONSE_R1 = 1 << 0 | 1 << 2 | 1 << 4, WITH_DATA = 1 << 5, SPI_R1 = 1 << 7 };

static void note(struct health *health, uint64_t pre_eol, uint64_t life_a, uint64_t life_b)
{
	if (pre_eol - 1 < 3)
		health_add(health, HEALTH_PRE_EOL, pre_eol, 1);
	if (life_a - 1 < 11)
		health_add(health, HEALTH_LIFE_A, life_a, 100000);
	if (life_b - 1 < 11)
		health_add(health, HEALTH_LIFE_B, life_b, 100000);
}

void mmc_ext_csd_parse(const uint8_t bytes[MMC_EXT_CSD_BYTES], struct health *health)
{
	note(health, bytes[PRE_EOL_INFO], bytes[LIFE_TIME_A], bytes[LIFE_TIME_B]);
}

static uint64_t take_hex(const char **text)
{
	char word[8];
	struct text copy = TEXT(word);
	size_t length = strcspn(*text, " \n");
	uint64_t number = 0;

	text_add_bytes(&copy, *text, length);
	*text += length + ((*text)[length] != '\0');
	return copy.cut || number_parse_hex(word, &number) ? 0 : number;
}

void mmc_life_parse(const char *life_time, const char *pre_eol, struct health *health)
{
	uint64_t a = take_hex(&life_time), b = take_hex(&life_time);

	note(health, take_hex(&pre_eol), a, b);
}

int mmc_ext_csd(int fd, struct health *health)
{
	static _Alignas(8) uint8_t bytes[MMC_EXT_CSD_BYTES];
	struct mmc_ioc_cmd command = { .opcode = SEND_EXT_CSD, .flags = RESPONSE_R1 | WITH_DATA | SPI_R1,
	                               .blksz = MMC_EXT_CSD_BYTES, .blocks = 1, .data_ptr = (uint64_t)(uintptr_t)bytes };
	int err = sys_ioctl(fd, MMC_IOC_CMD, &command);

	if (!err)
		mmc_ext_csd_parse(bytes, health);
	return err;
}
