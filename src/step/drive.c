/* drive.c: see drive.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>

#include "block/mmc.h"
#include "block/scsi.h"
#include "identity.h"
#include "lib/text.h"
#include "step.h"
#include "step/drive.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/identify.h"

int drive_open(const struct disk *disk)
{
	char node[MAX_PATH];
	int err = identify_node(disk->name, node, sizeof node);

	return err ? err : sys_open(node, O_RDONLY | O_NONBLOCK, 0);
}

__attribute__((format(printf, 3, 4)))
static int because(struct drive_health *drive, int err, const char *format, ...)
{
	struct text why = TEXT(drive->why);
	va_list args;

	va_start(args, format);
	text_add_vformat(&why, format, args);
	va_end(args);
	return err;
}

/* err: -errno, or above 0 an NVMe drive's own status. */
static int refused(struct drive_health *drive, const char *what, int err)
{
	if (err > 0)
		return because(drive, -EREMOTEIO, "%s: the drive answered with status 0x%x", what, (unsigned)err);
	if (err == -EACCES || err == -EPERM)
		return because(drive, err, "%s: %s: it takes root (CAP_SYS_ADMIN, CAP_SYS_RAWIO)", what, sys_error(err));
	return because(drive, err, "%s: %s", what, sys_error(err));
}

static int ask_nvme(int fd, struct drive_health *drive)
{
	struct nvme_self_test test;
	int err = nvme_identify(fd, &drive->nvme);

	if (err)
		return refused(drive, "identify", err);
	text_format(drive->identity, sizeof drive->identity, "%s, firmware %s, serial number %s", drive->nvme.model,
	            drive->nvme.firmware, drive->nvme.serial);
	err = nvme_smart(fd, &drive->health);
	if (err)
		return refused(drive, "SMART log", err);
	if (drive->nvme.has_self_test && !nvme_self_test(fd, &test) && test.result != NVME_NEVER)
		health_add(&drive->health, HEALTH_SELF_TEST, test.result, 1);
	return 0;
}

static int ask_scsi(int fd, const struct disk *disk, struct drive_health *drive)
{
	bool usb = !strcmp(disk->bus, "usb");
	struct scsi_drive scsi;
	int err = scsi_identify(fd, !usb, &scsi);

	if (err)
		return refused(drive, "identify", err);
	text_format(drive->identity, sizeof drive->identity, "%s %s, firmware %s, serial number %s", scsi.vendor, scsi.model,
	            scsi.firmware, scsi.serial[0] ? scsi.serial : disk->serial);
	if (usb)
		return because(drive, -ENODATA, "behind a USB bridge: it is asked for its name only, since many hang on more");
	if (!scsi.is_ata)
		return because(drive, -ENODATA, "no ATA drive: it does not offer page 89h");
	if (!scsi.has_smart)
		return because(drive, -ENODATA, "SMART is not supported, or switched off");
	err = scsi_smart(fd, &drive->health);
	if (err == -EINVAL)
		return because(drive, -ENODATA, "the answer to SMART RETURN STATUS does not hold the drive's registers");
	return err ? refused(drive, "SMART status", err) : 0;
}

/* What the kernel read when it found the card is better than nothing. */
static int ask_mmc(int fd, const struct disk *disk, struct drive_health *drive)
{
	char type[8], life[24], pre_eol[8];

	file_string(type, sizeof type, "/sys/block/%s/device/type", disk->name);
	if (strcmp(type, "MMC"))
		return because(drive, -ENODATA, "not an eMMC: an SD card tells none");
	if (fd < 0 || mmc_ext_csd(fd, &drive->health)) {
		file_string(life, sizeof life, "/sys/block/%s/device/life_time", disk->name);
		file_string(pre_eol, sizeof pre_eol, "/sys/block/%s/device/pre_eol_info", disk->name);
		mmc_life_parse(life, pre_eol, &drive->health);
	}
	if (drive->health.milli[HEALTH_PRE_EOL] == VALUE_NONE && drive->health.milli[HEALTH_LIFE_A] == VALUE_NONE)
		return because(drive, -ENODATA, "its extended CSD tells neither life time nor reserve (an eMMC before 5.0)");
	return 0;
}

static int ask(const struct disk *disk, struct drive_health *drive)
{
	bool nvme = !strcmp(disk->bus, "nvme"), mmc = !strcmp(disk->bus, "mmc"), simulated = file_is_simulated();
	int fd, err;

	if (!nvme && !mmc && !text_in_list("sata scsi usb", ' ', disk->bus))
		return because(drive, -ENODATA, "bus %s", disk->bus);
	if (simulated && !mmc)
		return because(drive, -ENODATA, "simulated, there is no device behind it");
	fd = simulated ? -ENODEV : drive_open(disk);
	if (fd < 0 && !mmc)
		return refused(drive, "it cannot be opened", fd);
	err = nvme ? ask_nvme(fd, drive) : mmc ? ask_mmc(fd, disk, drive) : ask_scsi(fd, disk, drive);
	if (fd >= 0)
		sys_close(fd);
	return err;
}

static void read_errors(const struct disk *disk, struct drive_health *drive)
{
	if (strcmp(disk->bus, "nvme"))
		return;
	for (unsigned kind = 0; kind < AER_KINDS; kind++)
		if (!attach_errors(disk, kind, &drive->aer[kind][0], &drive->aer[kind][1]))
			health_add(&drive->health, HEALTH_AER_CORRECTABLE + kind, drive->aer[kind][0] + drive->aer[kind][1], 1);
}

bool drive_health_read(const struct disk *disk, struct drive_health *drive)
{
	memset(drive, 0, sizeof *drive);
	health_clear(&drive->health);
	attach_read(disk, &drive->queue);
	if (drive->queue.link_milli_gt)
		health_add(&drive->health, HEALTH_LINK_SPEED, drive->queue.link_milli_gt, 1000000);
	if (drive->queue.link_width)
		health_add(&drive->health, HEALTH_LINK_WIDTH, drive->queue.link_width, 1);
	read_errors(disk, drive);
	interrupts_read(disk, &drive->interrupts);
	drive->error = ask(disk, drive);
	return !drive->error;
}

static void number_unless_0(struct facts *facts, const char *key, uint64_t number)
{
	if (number)
		fact_number(facts, key, (int64_t)number);
}

static void text_unless_empty(struct facts *facts, const char *key, const char *text)
{
	if (text[0])
		fact_text(facts, key, text);
}

void drive_queue_facts(const struct drive_health *drive, struct facts *facts)
{
	const struct queue *queue = &drive->queue;

	number_unless_0(facts, "max_sectors_kb", queue->max_sectors_kb);
	number_unless_0(facts, "max_hw_sectors_kb", queue->max_hw_sectors_kb);
	number_unless_0(facts, "nr_requests", queue->nr_requests);
	number_unless_0(facts, "mdts_bytes", drive->nvme.mdts_bytes);
	text_unless_empty(facts, "scheduler", queue->scheduler);
	text_unless_empty(facts, "write_cache", queue->write_cache);
	text_unless_empty(facts, "link", queue->link);
	text_unless_empty(facts, "port_link", queue->port_link);
}

/* HEALTH_BEYOND counts as not told. */
static void milli_if_told(struct facts *facts, const char *key, int64_t milli)
{
	fact_milli(facts, key, milli == HEALTH_BEYOND ? VALUE_NONE : milli);
}

void drive_health_facts(const struct drive_health *before, const struct drive_health *after, struct facts *facts)
{
	struct interrupt_share share;

	for (unsigned i = 0; i < HEALTH_QUANTITIES; i++) {
		bool aer = i >= HEALTH_AER_CORRECTABLE;
		char key[24];

		if (health_names[i].rise == RISE_NOTHING)
			continue;
		text_format(key, sizeof key, "%s%s", aer ? "" : "smart_", health_names[i].name);
		fact_milli(facts, key, health_difference(&before->health, &after->health, i));
	}
	milli_if_told(facts, "temperature_before", before->health.milli[HEALTH_TEMPERATURE]);
	milli_if_told(facts, "temperature_after", after->health.milli[HEALTH_TEMPERATURE]);
	interrupts_share(&before->interrupts, &after->interrupts, &share);
	if (after->interrupts.lines && share.total) {
		fact_number(facts, "interrupts", (int64_t)share.total);
		fact_number(facts, "interrupt_cpu", share.cpu);
		fact_milli(facts, "interrupt_share_ppm", share.ppm_milli);
	}
	drive_queue_facts(after, facts);
}
