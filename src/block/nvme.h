/*
 * nvme.h: what an NVMe drive tells of itself, by admin commands on a descriptor of its block device, open for reading.
 *
 * Parsing is pure, over the bytes that the drive sends (NVM Express base specification 1.4: figures 194, 196 and 247).
 * Commands return 0, -errno (-EACCES without CAP_SYS_ADMIN), or the drive's own status, which is above 0.  They wait as long
 * as the kernel does (60 s): a shorter time-out would reset the controller.
 */
#ifndef NVME_H
#define NVME_H

#include <stdbool.h>
#include <stdint.h>

#include "block/health.h"

enum { NVME_PAGE_BYTES = 4096, NVME_SMART_BYTES = 512, NVME_SELF_TEST_BYTES = 564 };

/* The bits of HEALTH_CRITICAL_WARNING. */
enum { NVME_SPARE_LOW = 1, NVME_TEMPERATURE = 2, NVME_DEGRADED = 4, NVME_READ_ONLY = 8, NVME_BACKUP_FAILED = 16, NVME_PMR_FAILED = 32 };

struct nvme_drive {
	char model[41], serial[21], firmware[9];
	uint64_t mdts_bytes;              /* the largest transfer of one command; 0: no limit.  Its unit is taken for 4 KiB */
	bool has_self_test;
	int64_t warning_milli;            /* its own warning temperature, degree Celsius; VALUE_NONE: not told */
	uint64_t capacity_blocks, used_blocks; /* of the namespace; fewer used than capacity: some were never written, or discarded */
	uint32_t block_bytes, metadata_bytes;
};

/* The newest self-test, and the one that runs. */
struct nvme_self_test {
	unsigned running;                 /* 0: none; 1 short, 2 extended */
	unsigned percent;                 /* of the one that runs */
	unsigned result;                  /* NVME_NEVER: none was ever run */
	unsigned code;                    /* of the newest that has ended: 1 short, 2 extended */
	uint64_t hours;                   /* the drive's hours then */
};
enum { NVME_NEVER = 15 };

/* ---- pure ---- */
void nvme_controller_parse(const uint8_t page[NVME_PAGE_BYTES], struct nvme_drive *drive);
void nvme_namespace_parse(const uint8_t page[NVME_PAGE_BYTES], struct nvme_drive *drive);
void nvme_smart_parse(const uint8_t log[NVME_SMART_BYTES], struct health *health);
void nvme_self_test_parse(const uint8_t log[NVME_SELF_TEST_BYTES], struct nvme_self_test *test);

/* ---- by ioctl; one caller at a time: the pages are static ---- */
int nvme_identify(int fd, struct nvme_drive *drive);
int nvme_smart(int fd, struct health *health);
int nvme_self_test(int fd, struct nvme_self_test *test);
/*
 * Has the controller and all its namespaces do the short test, and waits for its end.  -EBUSY: one was running already;
 * -ETIME: it was not done after limit_ns, and is aborted.
 */
int nvme_self_test_short(int fd, uint64_t limit_ns, struct nvme_self_test *test);

#endif
