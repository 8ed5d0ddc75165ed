#include <errno.h>

#include "block/scsi.h"
#include "test.h"

static uint8_t bytes[SCSI_BYTES];
static struct scsi_drive drive;
static struct health health;

static void start(void)
{
	memset(bytes, 0, sizeof bytes);
	memset(&drive, 0, sizeof drive);
	health_clear(&health);
}

/* As a drive sends it: the two bytes of each word exchanged. */
static void put_words(unsigned word, const char *text)
{
	for (unsigned i = 0; text[i]; i++)
		bytes[2 * word + (i ^ 1)] = (uint8_t)text[i];
}

static void put_word(unsigned word, uint16_t value)
{
	bytes[2 * word] = (uint8_t)value;
	bytes[2 * word + 1] = (uint8_t)(value >> 8);
}

test(inquiry_tells_vendor_model_and_firmware)
{
	start();
	memcpy(bytes + 8, "QEMU    QEMU HARDDISK   2.5+", 28);
	scsi_inquiry_parse(bytes, 36, &drive);
	check_string(drive.vendor, "QEMU");
	check_string(drive.model, "QEMU HARDDISK");
	check_string(drive.firmware, "2.5+");
}

test(a_short_inquiry_gives_what_came)
{
	start();
	memcpy(bytes + 8, "QEMU    QEMU HARDDISK   2.5+", 28);
	scsi_inquiry_parse(bytes, 20, &drive);
	check_string(drive.model, "QEMU");
	check_string(drive.firmware, "");
	scsi_inquiry_parse(bytes, 0, &drive);
	check_string(drive.vendor, "");
}

test(page_80_tells_the_serial_number_as_long_as_it_says)
{
	start();
	memcpy(bytes, "\0\x80\0\x06  SN42junk", 14);
	scsi_serial_parse(bytes, sizeof bytes, &drive);
	check_string(drive.serial, "SN42");
}

test(another_page_tells_no_serial_number)
{
	start();
	memcpy(bytes, "\0\x83\0\x04SN42", 8);
	scsi_serial_parse(bytes, sizeof bytes, &drive);
	check_string(drive.serial, "");
}

test(a_page_is_offered_only_inside_the_list)
{
	static const uint8_t list[] = { 0, 0, 0, 3, 0x00, 0x80, 0x83, 0x89 };

	check(scsi_has_page(list, sizeof list, 0x83));
	check(!scsi_has_page(list, sizeof list, 0x89));
	check(!scsi_has_page(list, 6, 0x83));
}

test(identify_tells_an_ata_drive_with_smart)
{
	start();
	put_words(10, "QM00001");
	put_words(23, "2.5+");
	put_words(27, "QEMU HARDDISK");
	put_word(82, 1);
	put_word(83, 0x4000);
	put_word(85, 1);
	ata_identify_parse(bytes, &drive);
	check_string(drive.serial, "QM00001");
	check_string(drive.firmware, "2.5+");
	check_string(drive.model, "QEMU HARDDISK");
	check(drive.is_ata && drive.has_smart);
}

test(smart_that_is_switched_off_or_not_told_is_none)
{
	start();
	put_word(82, 1);
	put_word(83, 0x4000);
	ata_identify_parse(bytes, &drive);
	check(!drive.has_smart);
	put_word(85, 1);
	put_word(83, 0xffff);
	ata_identify_parse(bytes, &drive);
	check(!drive.has_smart);
}

/* The registers in a descriptor (kernels up to 6.10) and in the fixed format. */
static int status(bool descriptor, uint8_t mid, uint8_t high)
{
	uint8_t sense[SCSI_SENSE_BYTES] = { 0x72, 1, 0, 0x1d, [7] = 14, [8] = 9, [9] = 12, [17] = mid, [19] = high };
	uint8_t fixed[SCSI_SENSE_BYTES] = { 0x70, [2] = 1, [10] = mid, [11] = high, [13] = 0x1d };

	health_clear(&health);
	return ata_status_parse(descriptor ? sense : fixed, &health);
}

test(a_good_status_is_0_and_a_failing_one_1_in_both_formats)
{
	for (int descriptor = 0; descriptor < 2; descriptor++) {
		check_equal(status(descriptor, 0x4f, 0xc2), 0);
		check_equal(health.milli[HEALTH_SMART_STATUS], 0);
		check_equal(status(descriptor, 0xf4, 0x2c), 0);
		check_equal(health.milli[HEALTH_SMART_STATUS], 1000);
	}
}

test(registers_that_say_neither_are_no_status)
{
	check_equal(status(true, 0, 0), -EINVAL);
	check_equal(status(false, 0x4f, 0x2c), -EINVAL);
	check_equal(health.milli[HEALTH_SMART_STATUS], VALUE_NONE);
}

test(another_sense_is_no_status)
{
	/* ILLEGAL REQUEST, invalid command: what a bridge answers */
	const uint8_t sense[SCSI_SENSE_BYTES] = { 0x70, [2] = 5, [7] = 10, [10] = 0x4f, [11] = 0xc2, [12] = 0x20 };

	check_equal(ata_status_parse(sense, &health), -EINVAL);
}

test(temperature_is_attribute_194_else_190)
{
	start();
	memcpy(bytes + 2 + 12, "\xbe\x22\0\x46\x30\x1e", 6);
	ata_smart_parse(bytes, &health);
	check_equal(health.milli[HEALTH_TEMPERATURE], 30000);
	memcpy(bytes + 2, "\xc2\x22\0\x40\x30\x22", 6);
	health_clear(&health);
	ata_smart_parse(bytes, &health);
	check_equal(health.milli[HEALTH_TEMPERATURE], 34000);
}
