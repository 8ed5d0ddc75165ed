/* identify.c: see identify.h.  Device tree first, DMI next; disks and ports are in files of their own. */
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/identify.h"
#include "sys/identify_disk.h"
#include "sys/map.h"

/* The strings of `compatible` end in NULs; here they are lines. */
static void read_compatible(char *to, size_t size)
{
	ssize_t length = file_read("/proc/device-tree/compatible", to, size);

	for (ssize_t i = 0; i + 1 < length; i++)
		if (!to[i])
			to[i] = '\n';
	text_trim(to);
}

/* What firmware says when nobody told it a serial number. */
static bool is_placeholder(const char *serial)
{
	static const char *const placeholders[] = {
		"to be filled by o.e.m.", "default string", "not specified", "not applicable", "system serial number",
		"chassis serial number", "none", "n/a", "unknown", "0", "0123456789", "123456789",
	};

	for (unsigned i = 0; i < COUNT_OF(placeholders); i++)
		if (!strcasecmp(serial, placeholders[i]))
			return true;
	return false;
}

static void read_serial(char *to, size_t size)
{
	static const char *const paths[] = {
		"/proc/device-tree/serial-number", "/sys/class/dmi/id/product_serial", "/sys/class/dmi/id/board_serial",
	};

	for (unsigned i = 0; i < COUNT_OF(paths); i++) {
		file_string(to, size, "%s", paths[i]);
		if (is_placeholder(to))
			*to = '\0';
		if (*to)
			return;
	}
}

static int find_arch(char *line, void *context)
{
	const char *arch = text_starts(line, "CPU implementer") ? "aarch64" : text_starts(line, "vendor_id") ? "x86_64" : NULL;

	if (arch)
		text_copy(context, sizeof(((struct identity *)0)->arch), arch);
	return arch != NULL;
}

/*
 * A captured tree tells its own: /proc/sys/kernel/arch is there from kernel 6.1 on, before that the shape of cpuinfo
 * tells.  Of this machine uname is right also where a binary runs translated, on a kernel of another architecture.
 */
static void read_kernel(struct identity *identity)
{
	struct utsname name;

	file_string(identity->kernel, sizeof(identity->kernel), "/proc/sys/kernel/osrelease");
	file_string(identity->arch, sizeof(identity->arch), "/proc/sys/kernel/arch");
	if (!*identity->arch)
		file_each_line("/proc/cpuinfo", find_arch, identity->arch);
	if (uname(&name))
		return;
	if (!*identity->kernel)
		text_copy(identity->kernel, sizeof(identity->kernel), name.release);
	if (!*identity->arch || !file_is_simulated())
		text_copy(identity->arch, sizeof(identity->arch), name.machine);
}

static int count_cpu_line(char *line, void *context)
{
	unsigned *count = context;

	*count += text_starts(line, "cpu") && line[3] >= '0' && line[3] <= '9';
	return 0;
}

static void read_cpus(struct identity *identity)
{
	char list[4096];

	cpu_model(identity->cpu_model, sizeof(identity->cpu_model));
	if (file_read("/sys/devices/system/cpu/online", list, sizeof(list)) > 0)
		identity->cpus_online = cpu_list_count(list);
	else
		file_each_line("/proc/stat", count_cpu_line, &identity->cpus_online);
	if (file_read("/sys/devices/system/cpu/possible", list, sizeof(list)) > 0)
		identity->cpus_possible = cpu_list_count(list);
}

static int find_total(char *line, void *context)
{
	const char *at = line + strlen("MemTotal:");
	uint64_t kib;

	if (!text_starts(line, "MemTotal:") || !number_take(&at, &kib))
		return 0;
	*(uint64_t *)context = kib * KIB;
	return 1;
}

static void read_memory(struct identity *identity)
{
	file_each_line("/proc/meminfo", find_total, &identity->memory_bytes);
	if (!identity->memory_bytes && !file_is_simulated())
		identity->memory_bytes = map_total_bytes();
}

/* qemu-user answers for /proc/self, yet not for /proc/thread-self; without /proc its own name is left. */
static bool is_translated(void)
{
	char program[MAX_PATH] = "", name[16] = "";
	const char *slash;
	long length = sys_call(SYS_readlinkat, AT_FDCWD, "/proc/thread-self/exe", program, sizeof(program) - 1);

	program[length > 0 ? length : 0] = '\0';
	slash = strrchr(program, '/');
	prctl(PR_GET_NAME, name);
	return (slash && text_starts(slash, "/qemu-")) || text_starts(name, "qemu-");
}

void identify_machine(struct identity *identity)
{
	memset(identity, 0, sizeof(*identity));
	read_kernel(identity);
	read_compatible(identity->compatible, sizeof(identity->compatible));
	file_string(identity->sku, sizeof(identity->sku), "/proc/device-tree/chosen/nvidia,sku");
	read_serial(identity->serial, sizeof(identity->serial));
	file_string(identity->vendor, sizeof(identity->vendor), "/sys/class/dmi/id/sys_vendor");
	file_string(identity->product, sizeof(identity->product), "/sys/class/dmi/id/product_name");
	file_string(identity->bios_version, sizeof(identity->bios_version), "/sys/class/dmi/id/bios_version");
	read_cpus(identity);
	text_copy(identity->emulator, sizeof(identity->emulator), is_translated() ? "qemu-user" : cpu_emulator());
	read_memory(identity);
	identify_disks(identity);
	identify_ports(identity);
}
