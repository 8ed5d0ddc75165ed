/* step_verify.c: block.verify on files that the check of a scratch would not let through, or not in time: tiny, huge, read-only. */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "scratch_block.h"
#include "step/context.h"
#include "sys/loop.h"

extern const struct step step_block_verify;

static struct board board;
static struct identity identity;
static struct put_aside aside;
static struct scratch scratch;
static struct ctx ctx;
static struct event event, figures[3];
static int events[2];
static unsigned figure_count;
static uint64_t write_left_bytes = UINT64_MAX;
static char said[8 * MAX_MESSAGE], nonce[24];

static void set_up(uint64_t size_bytes, uint32_t sector_bytes)
{
	char path[] = "/tmp/assay-verify.XXXXXX";

	memset(&scratch, 0, sizeof scratch);
	scratch.fd = mkstemp(path);
	check(scratch.fd >= 0 && !ftruncate(scratch.fd, (off_t)size_bytes));
	unlink(path);
	strcpy(scratch.node, "the file");
	strcpy(scratch.name, "scratch file");
	strcpy(scratch.role, "scratch");
	scratch.file_fd = -1;
	scratch.device_bytes = size_bytes;
	scratch.size_bytes = size_bytes / SCRATCH_BLOCK_BYTES * SCRATCH_BLOCK_BYTES;
	scratch.logical_block_bytes = sector_bytes;
	scratch.direct = true; /* so that nothing is said of the cache */
}

static void collect(void)
{
	figure_count = 0;
	said[0] = '\0';
	while (read(events[0], &event, sizeof event) == (ssize_t)sizeof event) {
		if (event.kind == EVENT_FIGURE && figure_count < 3)
			figures[figure_count++] = event;
		else if (event.kind == EVENT_LOG)
			sscanf(strstr(event.message, "nonce "), "nonce %23[0-9]", nonce);
		else if (event.kind != EVENT_DEVICE)
			strcat(strcat(said, event.message), "\n");
	}
}

/* Runs with up to three settings; what it said is in said and figures. */
static void run(const char *verify, const char *size, const char *with_nonce)
{
	const struct setting settings[] = {
		{ "block.verify", "verify", verify }, { "block.verify", "size", size }, { "block.verify", "nonce", with_nonce },
		{ "block.verify", "ioengine", "psync" },
	};
	char fault[200] = "";

	ctx = (struct ctx){ .step = &step_block_verify, .board = &board, .identity = &identity, .put_aside = &aside, .scratch = &scratch,
	                    .noise_milli = VALUE_NONE, .write_left_bytes = write_left_bytes };
	check(!pipe2(events, O_NONBLOCK));
	ctx.event_fd = events[1];
	check(!context_params(&ctx, LEVEL_SHORT, settings, 4, fault, sizeof fault));
	check_string(fault, "");
	step_block_verify.run(&ctx);
	collect();
	close(events[0]);
	close(events[1]);
}

static uint64_t figure(const char *metric)
{
	for (unsigned i = 0; i < figure_count; i++)
		if (!strcmp(figures[i].metric, metric))
			return (uint64_t)figures[i].value_milli / 1000;
	return UINT64_MAX;
}

static uint64_t address_in(uint64_t at_bytes)
{
	uint64_t address = UINT64_MAX;

	check_equal(pread(scratch.fd, &address, sizeof address, (off_t)at_bytes + 8), sizeof address);
	return address;
}

test(nothing_is_skipped_with_the_reason)
{
	set_up(0, 512);
	run("full", "0", "0");
	check_equal(figure_count, 0);
	check_string(said, "the file: 0 bytes, which is smaller than one of its blocks\n");
	close(scratch.fd);
}

test(less_than_a_block_is_skipped_with_the_reason)
{
	set_up(4095, 4096);
	run("surface", "0", "0");
	check_equal(figure_count, 0);
	check_string(said, "the file: 4095 bytes, which is smaller than one of its blocks\n");
	close(scratch.fd);
}

test(one_sector_is_verified)
{
	for (unsigned mode = 0; mode < 3; mode++) {
		set_up(700, 512);
		run((const char *[]){ "full", "sample", "surface" }[mode], "0", "0");
		check_string(said, "");
		check_equal(figure("block.verify.bytes"), 512);
		check_equal(figure("block.verify.errors"), 0);
		check_equal(figure("block.verify.share"), 1000000);
		close(scratch.fd);
	}
}

test(blocks_of_16_kib_are_verified_whole)
{
	set_up(MIB + 16384, 16384);
	run("full", "100000", "0");
	check_string(said, "");
	check_equal(figure("block.verify.bytes"), 98304);
	check_equal(address_in(MIB + 12288), MIB + 12288);
	close(scratch.fd);
}

test(less_than_a_block_asked_for_is_skipped)
{
	set_up(MIB, 512);
	run("full", "4095", "0");
	check_equal(figure_count, 0);
	check(strstr(said, "not one block may be verified"));
	close(scratch.fd);
}

test(read_only_device_is_read_but_not_written)
{
	set_up(MIB, 512);
	scratch.read_only = true;
	run("full", "0", "0");
	check_equal(figure_count, 0);
	check(strstr(said, "nothing may be written to it"));
	check_equal(address_in(0), 0);
	run("surface", "0", "0");
	check_string(said, "");
	check_equal(figure("block.verify.bytes"), MIB);
	close(scratch.fd);
}

/* With the nonce of an earlier run its data would pass where no write arrives. */
test(nothing_is_written_with_a_nonce_that_was_given)
{
	set_up(MIB, 512);
	run("full", "0", "5");
	check_equal(figure_count, 0);
	check(strstr(said, "nonce goes with verify=only"));
	check_equal(address_in(0), 0);
	close(scratch.fd);
}

test(odd_end_is_counted_by_its_sectors)
{
	set_up(5632, 512);
	run("only", "0", "5");
	check_equal(figure("block.verify.errors"), 4);
	check(strstr(said, "4 blocks of 4 KiB (512 B at the odd end) are zeroed"));
	close(scratch.fd);
}

test(cap_on_wear_bounds_what_is_written)
{
	set_up(4 * MIB, 512);
	write_left_bytes = MIB + 1000;
	run("full", "0", "0");
	check_equal(figure("block.verify.bytes"), MIB);
	run("surface", "0", "0");
	check_equal(figure("block.verify.bytes"), 4 * MIB);
	write_left_bytes = 0;
	run("full", "0", "0");
	check(!figure_count && strstr(said, "wear"));
	write_left_bytes = UINT64_MAX;
	close(scratch.fd);
}

test(figures_bear_the_role_of_the_device)
{
	set_up(MIB, 512);
	strcpy(scratch.role, "nvme0n1");
	run("full", "0", "0");
	check_string(figures[0].points[0].value, "nvme0n1");
	close(scratch.fd);
}

/* 3 TiB are more than 2^32 sectors: each address must be whole. */
test(sample_of_3_tib_reaches_the_last_sectors)
{
	const uint64_t size_bytes = 3 * TIB + 1536;

	set_up(size_bytes, 512);
	run("sample", "4m", "0");
	check_string(said, "");
	check_equal(figure("block.verify.errors"), 0);
	check(figure("block.verify.bytes") > 3 * MIB);
	check_equal(address_in(size_bytes - 512), size_bytes - 512);
	check_equal(address_in(2 * TIB), 2 * TIB);
	check_equal(address_in(0), 0);
	run("only", "4m", nonce);
	check(strstr(said, "zeroed"));
	close(scratch.fd);
}

/* What a device with 32-bit sector numbers would do to the same. */
test(wrap_at_2_tib_is_found)
{
	static char block[SCRATCH_BLOCK_BYTES];
	const uint64_t size_bytes = 3 * TIB, high_bytes = 2 * TIB;

	set_up(size_bytes, 512);
	run("sample", "4m", "0");
	check_string(said, "");
	check_equal(pread(scratch.fd, block, sizeof block, (off_t)high_bytes), sizeof block);
	check_equal(pwrite(scratch.fd, block, sizeof block, 0), sizeof block);
	run("only", "8k", nonce);
	check(strstr(said, "the first at byte 0: it holds what belongs at byte 2199023255552: the device wraps at 2199023255552 bytes"));
	close(scratch.fd);
}

/* A loop device that ends at 16 MiB, where 32 MiB were checked. */
test(sample_of_a_device_that_shrank_is_its_fault)
{
	char path[] = "/tmp/assay-verify.XXXXXX";
	int fd = mkstemp(path);
	struct loop loop;
	bool attached;

	check(fd >= 0 && !ftruncate(fd, 16 * MIB));
	attached = !loop_attach(path, false, &loop);
	unlink(path);
	close(fd);
	if (!attached)
		return;
	set_up(32 * MIB, 512);
	close(scratch.fd);
	scratch.fd = loop.fd;
	run("sample", "4m", "0");
	check(strstr(said, " writes failed, the first at byte "));
	check(strstr(said, ": the device now ends at byte 16777216"));
	check(!strstr(said, "refused by this system"));
	loop_detach(&loop);
}
