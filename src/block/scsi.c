/* scsi.c: see scsi.h. */
#include <errno.h>
#include <scsi/sg.h>
#include <string.h>

#include "block/scsi.h"
#include "lib/text.h"
#include "sys/call.h"

enum { INQUIRY = 0x12, ATA_PASS_THROUGH_16 = 0x85, CHECK_CONDITION = 2 };
enum { ATA_IDENTIFY = 0xec, ATA_SMART = 0xb0, SMART_READ_DATA = 0xd0, SMART_RETURN_STATUS = 0xda };
/* What SMART wants in the middle and high byte of the address, and answers as long as all is well; else the second pair. */
enum { SMART_MID = 0x4f, SMART_HIGH = 0xc2, FAILING_MID = 0xf4, FAILING_HIGH = 0x2c };
enum { TIMEOUT_MS = 20000 };

/* Copies what was received of a field of text, trimmed. */
static void take(char *to, size_t size, const uint8_t *page, size_t bytes, size_t at, size_t length)
{
	struct text text = text_in(to, size);

	if (at < bytes)
		text_add_bytes(&text, (const char *)page + at, length < bytes - at ? length : bytes - at);
	text_trim(to);
}

void scsi_inquiry_parse(const uint8_t *page, size_t bytes, struct scsi_drive *drive)
{
	take(drive->vendor, sizeof drive->vendor, page, bytes, 8, 8);
	take(drive->model, sizeof drive->model, page, bytes, 16, 16);
	take(drive->firmware, sizeof drive->firmware, page, bytes, 32, 4);
}

void scsi_serial_parse(const uint8_t *page, size_t bytes, struct scsi_drive *drive)
{
	if (bytes >= 4 && page[1] == 0x80)
		take(drive->serial, sizeof drive->serial, page, bytes, 4, page[3]);
}

bool scsi_has_page(const uint8_t *list, size_t bytes, uint8_t page)
{
	for (size_t i = 4; i < bytes && i < 4u + list[3]; i++)
		if (list[i] == page)
			return true;
	return false;
}

static uint16_t word(const uint8_t *sector, unsigned number)
{
	return (uint16_t)(sector[2 * number] | sector[2 * number + 1] << 8);
}

/* ATA's texts have the two bytes of each word exchanged. */
static void take_words(char *to, const uint8_t *sector, unsigned from, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		to[2 * i] = (char)sector[2 * (from + i) + 1];
		to[2 * i + 1] = (char)sector[2 * (from + i)];
	}
	to[2 * count] = '\0';
	text_trim(to);
}

void ata_identify_parse(const uint8_t sector[SCSI_BYTES], struct scsi_drive *drive)
{
	take_words(drive->serial, sector, 10, 10);
	take_words(drive->firmware, sector, 23, 4);
	take_words(drive->model, sector, 27, 20);
	drive->is_ata = true;
	/* Words 82 to 87 count only where the top bits of 83 are 01. */
	drive->has_smart = word(sector, 83) >> 14 == 1 && word(sector, 82) & 1 && word(sector, 85) & 1;
}

/* Both formats say "ATA pass-through information available" (00h/1Dh); kernels up to 6.10 send descriptors, later ones as set. */
int ata_status_parse(const uint8_t sense[SCSI_SENSE_BYTES], struct health *health)
{
	bool descriptor = (sense[0] & 0x7f) == 0x72 && sense[2] == 0 && sense[3] == 0x1d && sense[8] == 9;
	bool fixed = (sense[0] & 0x7f) == 0x70 && sense[12] == 0 && sense[13] == 0x1d;
	uint8_t mid = sense[descriptor ? 17 : 10], high = sense[descriptor ? 19 : 11];

	if (!descriptor && !fixed)
		return -EINVAL;
	if (mid == SMART_MID && high == SMART_HIGH)
		health->milli[HEALTH_SMART_STATUS] = 0;
	else if (mid == FAILING_MID && high == FAILING_HIGH)
		health->milli[HEALTH_SMART_STATUS] = 1000;
	else
		return -EINVAL;
	return 0;
}

void ata_smart_parse(const uint8_t sector[SCSI_BYTES], struct health *health)
{
	enum { FIRST = 2, BYTES = 12, COUNT = 30, RAW = 5, TEMPERATURE = 194, AIRFLOW = 190 };

	for (unsigned i = 0; i < COUNT; i++) {
		const uint8_t *attribute = sector + FIRST + i * BYTES;
		bool first = health->milli[HEALTH_TEMPERATURE] == VALUE_NONE;

		if (attribute[RAW] && attribute[RAW] < 128 && (attribute[0] == TEMPERATURE || (attribute[0] == AIRFLOW && first)))
			health->milli[HEALTH_TEMPERATURE] = attribute[RAW] * 1000;
	}
}

static _Alignas(8) uint8_t sector[SCSI_BYTES];

/* Into sector, `want` bytes of it (0: no data): how many came, or -errno. */
static int command(int fd, const uint8_t *cdb, uint8_t cdb_bytes, unsigned want, uint8_t sense[SCSI_SENSE_BYTES])
{
	uint8_t copy[16];
	struct sg_io_hdr io = { .interface_id = 'S', .dxfer_direction = want ? SG_DXFER_FROM_DEV : SG_DXFER_NONE, .cmd_len = cdb_bytes,
	                        .mx_sb_len = SCSI_SENSE_BYTES, .dxfer_len = want, .dxferp = sector, .cmdp = copy, .sbp = sense,
	                        .timeout = TIMEOUT_MS };
	int err;

	memcpy(copy, cdb, cdb_bytes);
	memset(sector, 0, sizeof sector);
	memset(sense, 0, SCSI_SENSE_BYTES);
	err = sys_ioctl(fd, SG_IO, &io);
	if (err)
		return err < 0 ? err : -EREMOTEIO;
	/* With CK_COND the answer comes as a check condition: the caller looks into the sense data. */
	if (io.host_status || (io.status && !(io.status == CHECK_CONDITION && !want)))
		return -EREMOTEIO;
	return io.resid > 0 && (unsigned)io.resid <= want ? (int)(want - (unsigned)io.resid) : (int)want;
}

static int inquiry(int fd, int page)
{
	const uint8_t bytes = page < 0 ? 96 : 252;
	const uint8_t cdb[6] = { INQUIRY, page >= 0, page < 0 ? 0 : (uint8_t)page, 0, bytes };
	uint8_t sense[SCSI_SENSE_BYTES];

	return command(fd, cdb, sizeof cdb, bytes, sense);
}

/* PIO in with one sector of data, or no data and the registers as sense data. */
static int ata(int fd, uint8_t ata_command, uint8_t feature, bool data, uint8_t sense[SCSI_SENSE_BYTES])
{
	enum { NO_DATA = 3 << 1, PIO_IN = 4 << 1, CHECK = 1 << 5, FROM_DEVICE = 1 << 3, BLOCKS = 1 << 2, COUNT_TELLS = 2 };
	uint8_t cdb[16] = { ATA_PASS_THROUGH_16, data ? PIO_IN : NO_DATA, data ? FROM_DEVICE | BLOCKS | COUNT_TELLS : CHECK,
	                    [4] = feature, [6] = data, [14] = ata_command };

	if (ata_command == ATA_SMART) {
		cdb[10] = SMART_MID;
		cdb[12] = SMART_HIGH;
	}
	return command(fd, cdb, sizeof cdb, data ? SCSI_BYTES : 0, sense);
}

int scsi_identify(int fd, bool more, struct scsi_drive *drive)
{
	uint8_t sense[SCSI_SENSE_BYTES];
	int got = inquiry(fd, -1);

	*drive = (struct scsi_drive){ .is_ata = false };
	if (got < 0)
		return got;
	scsi_inquiry_parse(sector, (size_t)got, drive);
	if (!more)
		return 0;
	got = inquiry(fd, 0x80);
	if (got > 0)
		scsi_serial_parse(sector, (size_t)got, drive);
	got = inquiry(fd, 0);
	if (got <= 0 || !scsi_has_page(sector, (size_t)got, SCSI_PAGE_ATA))
		return 0;
	got = ata(fd, ATA_IDENTIFY, 0, true, sense);
	if (got == SCSI_BYTES)
		ata_identify_parse(sector, drive);
	return got < 0 ? got : 0;
}

int scsi_smart(int fd, struct health *health)
{
	uint8_t sense[SCSI_SENSE_BYTES];
	int err = ata(fd, ATA_SMART, SMART_RETURN_STATUS, false, sense);

	if (!err)
		err = ata_status_parse(sense, health);
	if (!err && ata(fd, ATA_SMART, SMART_READ_DATA, true, sense) == SCSI_BYTES)
		ata_smart_parse(sector, health);
	return err;
}
