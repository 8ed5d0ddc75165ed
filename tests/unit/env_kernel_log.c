#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "capacity.h"
#include "env/kernel_fault.h"
#include "sys/call.h"
#include "sys/kernel_log.h"
#include "test.h"

test(a_record_is_taken_apart)
{
	char line[] = "3,344,1180904656,-;usb 1-1: it, broke; badly";
	struct kernel_record record;

	check_equal(kernel_log_parse(line, &record), 0);
	check_equal(record.level, 3);
	check_equal(record.sequence, 344);
	check(record.from_kernel);
	check_string(record.message, "usb 1-1: it, broke; badly");
}

test(what_user_space_logs_is_told_from_the_kernels)
{
	char line[] = "11,345,1,-;I/O error";
	struct kernel_record record;

	check_equal(kernel_log_parse(line, &record), 0);
	check_equal(record.level, 3);
	check(!record.from_kernel);
}

test(lines_that_are_no_records_are_refused)
{
	char continued[] = " SUBSYSTEM=pci", empty[] = "", words[] = "hello", half[] = "4,17";
	struct kernel_record record;

	check_equal(kernel_log_parse(continued, &record), -EINVAL);
	check_equal(kernel_log_parse(empty, &record), -EINVAL);
	check_equal(kernel_log_parse(words, &record), -EINVAL);
	check_equal(kernel_log_parse(half, &record), -EINVAL);
}

static unsigned seen;
static char last[64];

static void note(const struct kernel_record *record, void *context)
{
	(void)context;
	seen++;
	snprintf(last, sizeof last, "%s", record->message);
}

test(a_log_longer_than_the_buffer_is_read_whole)
{
	char folder[] = "/tmp/assay-log-XXXXXX", path[64], line[64];
	uint64_t lost;

	seen = 0;
	check(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/log", folder);
	int fd = sys_open(path, O_CREAT | O_WRONLY, 0600);
	for (unsigned i = 0; i < 2000; i++) {
		int length = snprintf(line, sizeof line, "6,%u,%u,-;record number %u\n SUBSYSTEM=x\n", i, i, i);
		check_equal(sys_write_all(fd, line, (size_t)length), 0);
	}
	sys_close(fd);
	fd = kernel_log_open(path);
	check(fd >= 0);
	check_equal(kernel_log_read(fd, note, NULL, &lost), 0);
	check_equal(seen, 2000);
	check_string(last, "record number 1999");
	check_equal(lost, 0);
	sys_close(fd);
	unlink(path);
	rmdir(folder);
}

test(records_that_are_missing_are_counted_by_their_numbers)
{
	static const char log[] = "6,10,1,-;first\n6,11,2,-;second\n6,15,3,-;behind three that are gone\n6,17,4,-;behind one\n";
	char folder[] = "/tmp/assay-log-XXXXXX", path[64];
	uint64_t lost;

	seen = 0;
	check(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/log", folder);
	int fd = sys_open(path, O_CREAT | O_WRONLY, 0600);
	check_equal(sys_write_all(fd, log, sizeof log - 1), 0);
	sys_close(fd);
	fd = kernel_log_open(path);
	check_equal(kernel_log_read(fd, note, NULL, &lost), 0);
	check_equal(seen, 4);
	check_equal(lost, 4);
	sys_close(fd);
	unlink(path);
	rmdir(folder);
}

test(a_log_that_is_not_there_is_an_error)
{
	check_equal(kernel_log_open("/tmp/assay-no-such-log"), -ENOENT);
}

static const char *name_of(const char *message)
{
	const char *name;

	kernel_fault(message, &name);
	return name;
}

test(hardware_faults_are_known)
{
	static const char *const faults[][2] = {
		{ "mce: [Hardware Error]: CPU 0: Machine Check Exception: 5 Bank 4: be00000000800400", "machine check" },
		{ "{1}[Hardware Error]: event severity: fatal", "machine check" },
		{ "[Hardware Error]: Uncorrected, software restartable error.", "machine check" },
		{ "EDAC MC0: 1 UE memory read error on CPU_SrcID#0", "uncorrected memory error" },
		{ "Memory failure: 0x12345: recovery action for dirty LRU page: Recovered", "uncorrected memory error" },
		{ "blk_update_request: I/O error, dev nvme0n1, sector 2048 op 0x0:(READ)", "I/O error" },
		{ "Buffer I/O error on dev sda, logical block 0, async page read", "I/O error" },
		{ "critical medium error, dev nvme0n1, sector 2048 op 0x0:(READ)", "medium error" },
		{ "pcieport 0000:00:1c.0: AER: Uncorrected (Fatal) error received: 0000:01:00.0", "uncorrected PCIe error" },
		{ "pcieport 0000:00:1c.0: AER: Uncorrectable (Non-Fatal) error message received from 0000:01:00.0", "uncorrected PCIe error" },
		{ "nvme 0000:01:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer", "uncorrected PCIe error" },
		{ "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff", "NVMe controller down" },
		{ "thermal thermal_zone0: critical temperature reached, shutting down", "thermal shutdown" },
		{ "igb 0000:02:00.0 eth0: igb: eth0 NIC Link is Down", "link down" },
		{ "pcieport 0004:00:00.0: pciehp: Slot(0): Link Down", "link down" },
	};

	for (unsigned i = 0; i < COUNT_OF(faults); i++) {
		check_equal(kernel_fault(faults[i][0], NULL), KERNEL_FAULT);
		check_string(name_of(faults[i][0]), faults[i][1]);
	}
}

test(what_corrects_itself_is_for_a_human_to_look_at)
{
	static const char *const looks[] = {
		"EDAC MC0: 1 CE memory read error on CPU_SrcID#0",
		"pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0",
		"pcieport 0000:00:1c.0: AER: Correctable error message received from 0000:01:00.0",
		"nvme 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
		"mce: [Hardware Error]: Machine check events logged",
		"CPU0: Core temperature above threshold, cpu clock throttled (total events = 1)",
	};

	for (unsigned i = 0; i < COUNT_OF(looks); i++)
		check_equal(kernel_fault(looks[i], NULL), KERNEL_LOOK);
}

test(a_good_board_says_such_things)
{
	static const char *const harmless[] = {
		"I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0",
		"Buffer I/O error on dev sr0, logical block 0, async page read",
		"I/O error, dev loop0, sector 8 op 0x0:(READ) flags 0x0",
		"ata2: SATA link down (SStatus 0 SControl 300)",
		"eth0: Link is Up - 1Gbps/Full",
		"loop0: detected capacity change from 0 to 524288",
		"clocksource: Watchdog skew",
	};

	for (unsigned i = 0; i < COUNT_OF(harmless); i++)
		check_equal(kernel_fault(harmless[i], NULL), KERNEL_NOTHING);
}

test(switching_off_prefetchers_is_our_own_doing)
{
	check(kernel_fault_is_ours("msr: Write to unrecognized MSR 0x1a4 by assay\\x0aPlease report to x86@kernel.org."));
	check(kernel_fault_is_ours("msr: Write to unrecognized MSR 0x1a4 by assay-guardian (pid: 812)."));
	check(kernel_fault_is_ours("msr: See https://git.kernel.org/pub/scm/linux/kernel/git/tip/tip.git/about for details."));
	check(kernel_fault_is_ours("msr: Write to unrecognized MSR 0x1a4 by init (pid: 1)."));
	check(!kernel_fault_is_ours("msr: Write to unrecognized MSR 0x1b0 by assay (pid: 812)."));
}
