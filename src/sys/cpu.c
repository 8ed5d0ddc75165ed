/* cpu.c: see cpu.h; what the hardware itself must be asked stands in sys/<arch>/cpu_arch.c. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/file.h"

enum { THREAD_STACK_BYTES = 256 << 10, MASK_WORD_BITS = 8 * sizeof(unsigned long) };

/* Larger than any list of ours: the kernel refuses a mask that is shorter than its own. */
struct mask { unsigned long words[8192 / MASK_WORD_BITS]; };

static struct mask mask_at_start;
static pthread_once_t mask_saved = PTHREAD_ONCE_INIT;

static bool mask_has(const struct mask *mask, unsigned cpu)
{
	return mask->words[cpu / MASK_WORD_BITS] >> cpu % MASK_WORD_BITS & 1;
}

static void mask_add(struct mask *mask, unsigned cpu)
{
	mask->words[cpu / MASK_WORD_BITS] |= 1ul << cpu % MASK_WORD_BITS;
}

static int read_mask(struct mask *mask)
{
	long bytes;

	memset(mask, 0, sizeof(*mask));
	bytes = sys_call(SYS_sched_getaffinity, 0, sizeof(*mask), mask);
	return bytes < 0 ? bytes : 0;
}

static void save_mask(void)
{
	if (read_mask(&mask_at_start))
		mask_add(&mask_at_start, 0);
}

void cpu_allowed(struct cpu_list *list)
{
	pthread_once(&mask_saved, save_mask);
	list->count = 0;
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++)
		if (mask_has(&mask_at_start, cpu))
			list->cpus[list->count++] = cpu;
}

static int pin(const struct mask *wanted)
{
	struct mask got;
	long err;

	pthread_once(&mask_saved, save_mask);
	err = sys_call(SYS_sched_setaffinity, 0, sizeof(*wanted), wanted);
	if (!err)
		err = read_mask(&got);
	return err ? err : memcmp(&got, wanted, sizeof(got)) ? -EIO : 0;
}

int cpu_pin(unsigned cpu)
{
	struct mask mask = { 0 };

	if (cpu >= MAX_CPUS)
		return -EINVAL;
	mask_add(&mask, cpu);
	return pin(&mask);
}

int cpu_pin_all(const struct cpu_list *list)
{
	struct mask mask = { 0 };

	for (unsigned i = 0; i < list->count; i++)
		mask_add(&mask, list->cpus[i]);
	return pin(&mask);
}

int cpu_current(void)
{
	return sched_getcpu();
}

/* The next range of `0-3,8`; moves list behind it; false at the end. */
static bool next_range(const char **list, uint64_t *from, uint64_t *to)
{
	if (!number_take(list, from))
		return false;
	*to = *from;
	if (**list == '-') {
		++*list;
		number_take(list, to);
	}
	*list += **list == ',';
	return *to >= *from;
}

unsigned cpu_list_count(const char *list)
{
	uint64_t from, to;
	unsigned count = 0;

	while (next_range(&list, &from, &to))
		count += to - from + 1;
	return count;
}

bool cpu_list_has(const char *list, unsigned cpu)
{
	uint64_t from, to;

	while (next_range(&list, &from, &to))
		if (from <= cpu && cpu <= to)
			return true;
	return false;
}

int cpu_node(unsigned cpu)
{
	char list[4096];

	for (unsigned node = 0; node < MAX_NODES; node++)
		if (file_read_here(list, sizeof(list), "/sys/devices/system/node/node%u/cpulist", node) > 0 && cpu_list_has(list, cpu))
			return node;
	return 0;
}

uint64_t cpu_frequency_hz(unsigned cpu)
{
	uint64_t khz;

	file_number(&khz, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	return khz * 1000;
}

uint64_t cpu_throttle_count(void)
{
	static const char *const names[] = { "core_throttle_count", "package_throttle_count" };
	uint64_t sum = 0, count;
	struct cpu_list list;

	cpu_allowed(&list);
	for (unsigned i = 0; i < list.count; i++)
		for (unsigned n = 0; n < COUNT_OF(names); n++)
			if (!file_number(&count, "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s", list.cpus[i], names[n]))
				sum += count;
	return sum;
}

uint64_t cpu_cache_bytes_of(unsigned cpu, unsigned level)
{
	for (unsigned index = 0; index < 10; index++) {
		char text[32];
		const char *unit = text;
		uint64_t number, size;
		if (file_read_here(text, sizeof(text), "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, index) <= 0)
			break;
		if (number_parse(text_trim(text), &number) || number != level)
			continue;
		file_read_here(text, sizeof(text), "/sys/devices/system/cpu/cpu%u/cache/index%u/type", cpu, index);
		if (text_starts(text, "Instruction"))
			continue;
		file_read_here(text, sizeof(text), "/sys/devices/system/cpu/cpu%u/cache/index%u/size", cpu, index);
		number_take(&unit, &size);
		return *unit == 'K' ? size * KIB : *unit == 'M' ? size * MIB : size;
	}
	return 0;
}

uint64_t cpu_cache_bytes(unsigned level)
{
	return cpu_cache_bytes_of(0, level);
}

bool cpu_is_online(unsigned cpu)
{
	char list[4096];

	return file_read_here(list, sizeof(list), "/sys/devices/system/cpu/online") <= 0 || cpu_list_has(list, cpu);
}

/* ---- the model ---- */

struct part { uint16_t implementer, part; const char *name; };

/* Arm's MIDR_EL1 numbers: an Arm kernel tells no name. */
static const struct part parts[] = {
	{ 0x41, 0xd03, "Cortex-A53" }, { 0x41, 0xd05, "Cortex-A55" }, { 0x41, 0xd07, "Cortex-A57" }, { 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" }, { 0x41, 0xd0a, "Cortex-A75" }, { 0x41, 0xd0b, "Cortex-A76" }, { 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd40, "Neoverse-V1" }, { 0x41, 0xd41, "Cortex-A78" }, { 0x41, 0xd42, "Cortex-A78AE" }, { 0x41, 0xd49, "Neoverse-N2" },
	{ 0x4e, 0x003, "Denver 2" }, { 0x4e, 0x004, "Carmel" },
};

struct model_search { char *to; unsigned size; uint64_t implementer, part; };

static int find_model(char *line, void *context)
{
	struct model_search *search = context;
	char *value = strchr(line, ':');

	if (!value)
		return 0;
	*value++ = '\0';
	text_trim(line);
	text_trim(value);
	if (!strcmp(line, "model name"))
		return text_copy(search->to, search->size, value), 1;
	if (!strcmp(line, "CPU implementer"))
		number_parse_hex(value, &search->implementer);
	if (!strcmp(line, "CPU part"))
		number_parse_hex(value, &search->part);
	return search->implementer && search->part;
}

void cpu_model(char *to, unsigned size)
{
	struct model_search search = { .to = to, .size = size };

	to[0] = '\0';
	file_each_line("/proc/cpuinfo", find_model, &search);
	if (!search.part || *to)
		return;
	for (unsigned i = 0; i < COUNT_OF(parts); i++)
		if (parts[i].implementer == search.implementer && parts[i].part == search.part) {
			text_copy(to, size, parts[i].name);
			return;
		}
	text_format(to, size, "implementer 0x%02x part 0x%03x", (unsigned)search.implementer, (unsigned)search.part);
}

bool cpu_leave_real_time(void)
{
	const struct sched_param ordinary = { 0 };
	long policy = sys_call(SYS_sched_getscheduler, 0) & ~SCHED_RESET_ON_FORK;

	return (policy == SCHED_FIFO || policy == SCHED_RR) && !sys_call(SYS_sched_setscheduler, 0, SCHED_OTHER, &ordinary);
}

int thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
	pthread_attr_t attributes;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, THREAD_STACK_BYTES);
	err = pthread_create(thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	return -err;
}
