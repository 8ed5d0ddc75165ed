/* What is sent to drives by ioctl, answered here in the kernel's place (the Makefile links sys_ioctl to this file). */
#include <errno.h>
#include <linux/major.h>
#include <linux/mmc/ioctl.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

#include "block/mmc.h"
#include "block/nvme.h"
#include "block/scsi.h"
#include "capacity.h"
#include "test.h"

int __wrap_sys_ioctl(int fd, unsigned long request, void *command);

static struct health health;
static unsigned calls, wrong;

/* ---- an NVMe drive with a self-test ---- */
static unsigned turns;         /* readings of the log until a test that was started ends; 0: never */
static unsigned running, result, started, aborted;
static int nvme_error;

static void nvme_log(const struct nvme_admin_cmd *command, uint8_t *data)
{
	if (command->cdw10 == (127 << 16 | 2) && command->data_len == 512 && command->nsid == UINT32_MAX) {
		data[0] = 8;
		data[1] = 0x43;
		data[2] = 1;
	} else if (command->cdw10 == (140 << 16 | 6) && command->data_len == 564) {
		if (running && turns && !--turns)
			running = 0;
		data[0] = (uint8_t)running;
		data[1] = 50;
		data[4] = (uint8_t)(0x10 | (started ? result : NVME_NEVER));
	} else {
		wrong++;
	}
}

static void nvme_identity(const struct nvme_admin_cmd *command, uint8_t *data)
{
	if (command->data_len != 4096)
		wrong++;
	else if (command->cdw10 == 1)
		memcpy(data + 24, "Made up ", 8);
	else if (command->cdw10 == 0 && command->nsid == 7)
		data[130] = 9;
	else
		wrong++;
}

static int nvme(struct nvme_admin_cmd *command)
{
	uint8_t *data = (uint8_t *)(uintptr_t)command->addr;

	if (nvme_error)
		return nvme_error;
	if (data)
		memset(data, 0, command->data_len);
	switch (command->opcode) {
	case 0x02: nvme_log(command, data); break;
	case 0x06: nvme_identity(command, data); break;
	case 0x14:
		aborted += command->cdw10 == 15;
		started += command->cdw10 == 1;
		running = command->cdw10 == 1;
		break;
	default: wrong++;
	}
	return 0;
}

/* ---- an eMMC ---- */
static int mmc(struct mmc_ioc_cmd *command)
{
	uint8_t *data = (uint8_t *)(uintptr_t)command->data_ptr;

	/* SEND_EXT_CSD, R1 with data, one block of 512 bytes, read */
	if (command->opcode != 8 || command->arg || command->write_flag || command->flags != 0xb5 || command->blksz != 512 || command->blocks != 1)
		wrong++;
	memset(data, 0, 512);
	data[267] = 2;
	data[268] = 3;
	data[269] = 4;
	return 0;
}

/* ---- an ATA drive behind SCSI, or a USB stick that hangs on anything but INQUIRY ---- */
static bool stick, failing, refuses;

static void scsi_inquiry(const struct sg_io_hdr *io, uint8_t *data)
{
	if (io->cmdp[1] && stick)
		wrong++;
	else if (!io->cmdp[1])
		memcpy(data + 8, "ATA     A DRIVE", 15);
	else if (io->cmdp[2] == 0)
		memcpy(data, "\0\0\0\3\x00\x80\x89", 7);
	else if (io->cmdp[2] == 0x80)
		memcpy(data, "\0\x80\0\4SN80", 8);
}

static void ata(struct sg_io_hdr *io, uint8_t *data)
{
	static const uint8_t identify[16] = { 0x85, 8, 0x0e, [6] = 1, [14] = 0xec };
	static const uint8_t status[16] = { 0x85, 6, 0x20, [4] = 0xda, [10] = 0x4f, [12] = 0xc2, [14] = 0xb0 };
	static const uint8_t read[16] = { 0x85, 8, 0x0e, [4] = 0xd0, [6] = 1, [10] = 0x4f, [12] = 0xc2, [14] = 0xb0 };

	if (stick)
		wrong++;
	if (!memcmp(io->cmdp, identify, 16)) {
		data[2 * 82] = data[2 * 85] = 1;
		data[2 * 83 + 1] = 0x40;
	} else if (!memcmp(io->cmdp, status, 16)) {
		io->status = 2;
		memcpy(io->sbp, failing ? "\x72\x01\0\x1d\0\0\0\x0e\x09\x0c\0\0\0\0\0\0\0\xf4\0\x2c" : "\x72\x01\0\x1d\0\0\0\x0e\x09\x0c\0\0\0\0\0\0\0\x4f\0\xc2", 20);
	} else if (memcmp(io->cmdp, read, 16)) {
		wrong++;
	}
}

static int scsi(struct sg_io_hdr *io)
{
	wrong += io->interface_id != 'S' || !io->timeout;
	if (refuses) {
		io->status = 2;
		memcpy(io->sbp, "\x70\0\5\0\0\0\0\x0a\0\0\0\0\x20", 13);
	} else if (io->cmdp[0] == 0x12) {
		scsi_inquiry(io, io->dxferp);
	} else if (io->cmdp[0] == 0x85) {
		ata(io, io->dxferp);
	} else {
		wrong++;
	}
	return 0;
}

int __wrap_sys_ioctl(int fd, unsigned long request, void *command)
{
	calls++;
	wrong += fd != 5;
	switch ((unsigned)request) {
	case NVME_IOCTL_ID: return 7;
	case (unsigned)NVME_IOCTL_ADMIN_CMD: return nvme(command);
	case (unsigned)MMC_IOC_CMD: return mmc(command);
	case SG_IO: return scsi(command);
	}
	wrong++;
	return -ENOTTY;
}

static void start(void)
{
	calls = wrong = running = result = started = aborted = turns = 0;
	stick = failing = refuses = false;
	nvme_error = 0;
	health_clear(&health);
}

test(nvme_identify_and_smart_are_asked_as_the_specification_says)
{
	struct nvme_drive drive;

	start();
	check_equal(nvme_identify(5, &drive), 0);
	check_string(drive.model, "Made up");
	check_equal(drive.block_bytes, 512);
	check_equal(nvme_smart(5, &health), 0);
	check_equal(health.milli[HEALTH_CRITICAL_WARNING], 8000);
	check_equal(health.milli[HEALTH_TEMPERATURE], 49850);
	check_equal(wrong, 0);
}

test(an_nvme_drive_that_refuses_tells_nothing)
{
	struct nvme_drive drive;

	start();
	nvme_error = 0x4002;
	check_equal(nvme_identify(5, &drive), 0x4002);
	check_equal(nvme_smart(5, &health), 0x4002);
	nvme_error = -EACCES;
	check_equal(nvme_smart(5, &health), -EACCES);
	check_equal(health.milli[HEALTH_CRITICAL_WARNING], VALUE_NONE);
}

test(a_self_test_is_started_and_waited_for)
{
	struct nvme_self_test test;

	start();
	turns = 2;
	result = 7;
	check_equal(nvme_self_test_short(5, SECONDS(10), &test), 0);
	check_equal(test.result, 7);
	check_equal(started, 1);
	check_equal(aborted, 0);
	check_equal(wrong, 0);
}

test(a_self_test_that_does_not_end_is_aborted)
{
	struct nvme_self_test test;

	start();
	check_equal(nvme_self_test_short(5, MS(600), &test), -ETIME);
	check_equal(test.percent, 50);
	check_equal(started, 1);
	check_equal(aborted, 1);
}

test(a_self_test_of_somebody_else_is_left_alone)
{
	struct nvme_self_test test;

	start();
	running = 2;
	check_equal(nvme_self_test_short(5, SECONDS(10), &test), -EBUSY);
	check_equal(started, 0);
	check_equal(aborted, 0);
}

test(an_emmc_is_sent_the_one_command_that_reads_its_register)
{
	start();
	check_equal(mmc_ext_csd(5, &health), 0);
	check_equal(health.milli[HEALTH_PRE_EOL], 2000);
	check_equal(health.milli[HEALTH_LIFE_A], 300000 * 1000ll);
	check_equal(calls, 1);
	check_equal(wrong, 0);
}

test(an_ata_drive_is_asked_for_its_smart_status)
{
	struct scsi_drive drive;

	start();
	check_equal(scsi_identify(5, true, &drive), 0);
	check(drive.is_ata && drive.has_smart);
	check_equal(scsi_smart(5, &health), 0);
	check_equal(health.milli[HEALTH_SMART_STATUS], 0);
	failing = true;
	check_equal(scsi_smart(5, &health), 0);
	check_equal(health.milli[HEALTH_SMART_STATUS], 1000);
	check_equal(wrong, 0);
}

test(behind_usb_nothing_but_inquiry_is_sent)
{
	struct scsi_drive drive;

	start();
	stick = true;
	check_equal(scsi_identify(5, false, &drive), 0);
	check_string(drive.model, "A DRIVE");
	check(!drive.is_ata);
	check_equal(calls, 1);
	check_equal(wrong, 0);
}

test(a_scsi_drive_that_refuses_is_told_so)
{
	struct scsi_drive drive;

	start();
	refuses = true;
	check_equal(scsi_identify(5, true, &drive), -EREMOTEIO);
	check_equal(scsi_smart(5, &health), -EINVAL);
	check_equal(health.milli[HEALTH_SMART_STATUS], VALUE_NONE);
}
