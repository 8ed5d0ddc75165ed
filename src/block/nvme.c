/* nvme.c: see nvme.h. */
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "block/nvme.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { GET_LOG_PAGE = 0x02, IDENTIFY = 0x06, SELF_TEST = 0x14 };
enum { LOG_SMART = 0x02, LOG_SELF_TEST = 0x06 };
enum { OF_NAMESPACE = 0, OF_CONTROLLER = 1 };
enum { TEST_SHORT = 1, TEST_ABORT = 15 };
#define ALL_NAMESPACES UINT32_MAX

static void string(char *to, const uint8_t *from, unsigned bytes)
{
	__builtin_memcpy(to, from, bytes);
	to[bytes] = '\0';
	text_trim(to);
}

static int64_t celsius_milli(uint64_t kelvin)
{
	return kelvin ? (int64_t)kelvin * 1000 - 273150 : VALUE_NONE;
}

void nvme_controller_parse(const uint8_t page[NVME_PAGE_BYTES], struct nvme_drive *drive)
{
	unsigned mdts = page[77];

	string(drive->serial, page + 4, 20);
	string(drive->model, page + 24, 40);
	string(drive->firmware, page + 64, 8);
	drive->mdts_bytes = mdts && mdts < 32 ? (uint64_t)NVME_PAGE_BYTES << mdts : 0;
	drive->has_self_test = page[256] >> 4 & 1;
	drive->warning_milli = celsius_milli(health_number(page + 266, 2));
}

void nvme_namespace_parse(const uint8_t page[NVME_PAGE_BYTES], struct nvme_drive *drive)
{
	const uint8_t *format = page + 128 + 4 * ((page[26] & 15) | (page[26] >> 1 & 48));

	drive->capacity_blocks = health_number(page + 8, 8);
	drive->used_blocks = health_number(page + 16, 8);
	drive->metadata_bytes = (uint32_t)health_number(format, 2);
	drive->block_bytes = format[2] < 32 ? 1u << format[2] : 0;
}

/* Where each number stands, how long it is, and what one is worth; those of one quantity are added up. */
static const struct { uint8_t quantity, at, bytes; uint32_t worth; } smart_numbers[] = {
	{ HEALTH_CRITICAL_WARNING, 0, 1, 1 },
	{ HEALTH_SPARE, 3, 1, 10000 },
	{ HEALTH_SPARE_THRESHOLD, 4, 1, 10000 },
	{ HEALTH_USED, 5, 1, 10000 },
	{ HEALTH_READ, 32, 16, 512000 },
	{ HEALTH_WRITTEN, 48, 16, 512000 },
	{ HEALTH_POWER_ON, 128, 16, 3600 },
	{ HEALTH_UNSAFE_SHUTDOWNS, 144, 16, 1 },
	{ HEALTH_MEDIA_ERRORS, 160, 16, 1 },
	{ HEALTH_ERROR_ENTRIES, 176, 16, 1 },
	{ HEALTH_HOT, 192, 4, 60 },  /* from the warning to the critical temperature */
	{ HEALTH_HOT, 196, 4, 60 },  /* beyond it */
	{ HEALTH_THROTTLES, 216, 4, 1 },
	{ HEALTH_THROTTLES, 220, 4, 1 },
};

void nvme_smart_parse(const uint8_t log[NVME_SMART_BYTES], struct health *health)
{
	for (unsigned i = 0; i < COUNT_OF(smart_numbers); i++)
		health_add(health, smart_numbers[i].quantity, health_number(log + smart_numbers[i].at, smart_numbers[i].bytes),
		           smart_numbers[i].worth);
	health->milli[HEALTH_TEMPERATURE] = celsius_milli(health_number(log + 1, 2));
}

void nvme_self_test_parse(const uint8_t log[NVME_SELF_TEST_BYTES], struct nvme_self_test *test)
{
	const uint8_t *newest = log + 4;

	test->running = log[0] & 15;
	test->percent = log[1] & 127;
	test->result = newest[0] & 15;
	test->code = newest[0] >> 4;
	test->hours = health_number(newest + 4, 8);
}

static int admin(int fd, uint8_t opcode, uint32_t name_space, uint32_t cdw10, uint8_t *page, uint32_t bytes)
{
	struct nvme_admin_cmd command = { .opcode = opcode, .nsid = name_space, .cdw10 = cdw10,
	                                  .addr = (uint64_t)(uintptr_t)page, .data_len = bytes };

	return sys_ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
}

static int get_log(int fd, uint32_t log, uint8_t *page, uint32_t bytes)
{
	return admin(fd, GET_LOG_PAGE, ALL_NAMESPACES, (bytes / 4 - 1) << 16 | log, page, bytes);
}

static _Alignas(NVME_PAGE_BYTES) uint8_t page[NVME_PAGE_BYTES];

int nvme_identify(int fd, struct nvme_drive *drive)
{
	int name_space = sys_ioctl(fd, NVME_IOCTL_ID, NULL);
	int err = name_space < 0 ? name_space : admin(fd, IDENTIFY, 0, OF_CONTROLLER, page, sizeof page);

	*drive = (struct nvme_drive){ .warning_milli = VALUE_NONE };
	if (err)
		return err;
	nvme_controller_parse(page, drive);
	err = admin(fd, IDENTIFY, (uint32_t)name_space, OF_NAMESPACE, page, sizeof page);
	if (!err)
		nvme_namespace_parse(page, drive);
	return err;
}

int nvme_smart(int fd, struct health *health)
{
	int err = get_log(fd, LOG_SMART, page, NVME_SMART_BYTES);

	if (!err)
		nvme_smart_parse(page, health);
	return err;
}

int nvme_self_test(int fd, struct nvme_self_test *test)
{
	int err = get_log(fd, LOG_SELF_TEST, page, NVME_SELF_TEST_BYTES);

	if (!err)
		nvme_self_test_parse(page, test);
	return err;
}

static int start_test(int fd, uint32_t code)
{
	return admin(fd, SELF_TEST, ALL_NAMESPACES, code, NULL, 0);
}

int nvme_self_test_short(int fd, uint64_t limit_ns, struct nvme_self_test *test)
{
	uint64_t start_ns = clock_now_ns();
	int err = nvme_self_test(fd, test);

	if (!err && test->running)
		return -EBUSY;
	if (!err)
		err = start_test(fd, TEST_SHORT);
	while (!err) {
		sys_sleep_ns(MS(500));
		err = nvme_self_test(fd, test);
		if (err || !test->running)
			break;
		if (clock_now_ns() - start_ns < limit_ns)
			continue;
		start_test(fd, TEST_ABORT);
		err = -ETIME;
	}
	return err;
}
