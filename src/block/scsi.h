/*
 * scsi.h: what a SCSI, SATA or USB drive tells of itself, by SG_IO on a descriptor of its block device.
 *
 * Parsing is pure, over the bytes that the drive sends (SPC-4: INQUIRY and its pages; SAT-3: ATA PASS-THROUGH(16) and its
 * sense data; ACS-3: IDENTIFY DEVICE, SMART).  Commands return 0 or -errno: -EREMOTEIO when the drive refuses, -EPERM without
 * CAP_SYS_RAWIO.
 */
#ifndef SCSI_H
#define SCSI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "block/health.h"

enum { SCSI_BYTES = 512, SCSI_SENSE_BYTES = 32, SCSI_PAGE_ATA = 0x89 };

struct scsi_drive {
	char vendor[9], model[41], serial[64], firmware[9]; /* of the ATA drive, where there is one */
	bool is_ata;
	bool has_smart;           /* supported, and switched on */
};

/* ---- pure: of what was received, `bytes` of it ---- */
void scsi_inquiry_parse(const uint8_t *page, size_t bytes, struct scsi_drive *drive);
void scsi_serial_parse(const uint8_t *page, size_t bytes, struct scsi_drive *drive);  /* page 80h */
bool scsi_has_page(const uint8_t *list, size_t bytes, uint8_t page);                   /* list: page 00h */
void ata_identify_parse(const uint8_t sector[SCSI_BYTES], struct scsi_drive *drive);
/* HEALTH_SMART_STATUS from the sense data behind SMART RETURN STATUS: 0, or -EINVAL when they do not tell. */
int ata_status_parse(const uint8_t sense[SCSI_SENSE_BYTES], struct health *health);
/* HEALTH_TEMPERATURE from attribute 194 or 190, the one thing in SMART's data that all makers mean alike. */
void ata_smart_parse(const uint8_t sector[SCSI_BYTES], struct health *health);

/* ---- by ioctl; one caller at a time: the sector is static ---- */
/*
 * With `more` false only INQUIRY is sent: many USB bridges and sticks hang on anything else.  ATA commands are sent only to
 * what offers page 89h.
 */
int scsi_identify(int fd, bool more, struct scsi_drive *drive);
int scsi_smart(int fd, struct health *health);

#endif
