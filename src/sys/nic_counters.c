/* nic_counters.c: what an interface and the receive path have counted. */
#include <errno.h>
#include <linux/ethtool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/interrupts.h"
#include "sys/nic_ethtool.h"

enum { MAX_TOLD = 2048 }; /* statistics of one driver */

static uint64_t statistic(const char *name, const char *which)
{
	char file[48];

	text_format(file, sizeof file, "statistics/%s", which);
	return nic_number(name, file);
}

/* Drivers have a name of their own for it: rx_pause, rx_flow_control_xon, mac_rx_pause_frames, ... */
static void note_pause(struct nic_counters *counters, const char *name, uint64_t value)
{
	bool receives = text_find(name, "rx") != NULL, sends = text_find(name, "tx") != NULL;

	if (receives == sends || !(text_find(name, "pause") || text_find(name, "xon") || text_find(name, "xoff") || text_find(name, "flow_control")))
		return;
	counters->has_pause = true;
	*(receives ? &counters->pause_rx : &counters->pause_tx) += value;
}

/* Those that are 0 tell nothing: a name that is missing before and there behind has risen. */
static void read_driver(const char *name, struct nic_counters *counters)
{
	static struct { struct ethtool_gstrings head; char names[MAX_TOLD][ETH_GSTRING_LEN]; } strings;
	static struct { struct ethtool_stats head; uint64_t values[MAX_TOLD]; } values;
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	unsigned count;

	if (nic_ethtool(name, &info) || !info.n_stats)
		return;
	count = info.n_stats < MAX_TOLD ? info.n_stats : MAX_TOLD;
	counters->untold = info.n_stats - count;
	if (counters->untold) /* the kernel writes them all, whatever is asked for */
		return;
	strings.head = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_STATS, .len = count };
	values.head = (struct ethtool_stats){ .cmd = ETHTOOL_GSTATS, .n_stats = count };
	if (nic_ethtool(name, &strings) || nic_ethtool(name, &values))
		return;
	for (unsigned i = 0; i < count && i < strings.head.len && i < values.head.n_stats; i++) {
		strings.names[i][ETH_GSTRING_LEN - 1] = '\0';
		note_pause(counters, strings.names[i], values.values[i]);
		if (!values.values[i])
			continue;
		if (counters->count == NIC_STATISTICS) {
			counters->untold++;
			continue;
		}
		text_copy(counters->names[counters->count], NIC_STATISTIC_NAME, strings.names[i]);
		counters->values[counters->count++] = values.values[i];
	}
}

int nic_counters(const char *name, struct nic_counters *counters)
{
	static const struct { const char *file; size_t at; } files[] = {
		{ "rx_bytes", offsetof(struct nic_counters, rx_bytes) }, { "tx_bytes", offsetof(struct nic_counters, tx_bytes) },
		{ "rx_packets", offsetof(struct nic_counters, rx_packets) }, { "tx_packets", offsetof(struct nic_counters, tx_packets) },
		{ "rx_errors", offsetof(struct nic_counters, rx_errors) }, { "tx_errors", offsetof(struct nic_counters, tx_errors) },
		{ "rx_dropped", offsetof(struct nic_counters, rx_dropped) }, { "tx_dropped", offsetof(struct nic_counters, tx_dropped) },
		{ "rx_missed_errors", offsetof(struct nic_counters, rx_missed) }, { "rx_crc_errors", offsetof(struct nic_counters, rx_crc_errors) },
	};

	memset(counters, 0, sizeof *counters);
	if (!nic_number(name, "ifindex"))
		return -ENODEV;
	for (unsigned i = 0; i < COUNT_OF(files); i++)
		*(uint64_t *)(void *)((char *)counters + files[i].at) = statistic(name, files[i].file);
	read_driver(name, counters);
	return 0;
}

/* ---- the receive path ---- */

/* Words of 8 hex digits: packets, drops, squeezes, ...; the thirteenth, where there is one (kernel 5.10 on), is the CPU. */
void softnet_take_line(const char *line, unsigned number, struct softnet *softnet)
{
	uint64_t words[13] = { 0 };
	unsigned count = 0;

	if (softnet->count == MAX_CPUS)
		return;
	for (; count < COUNT_OF(words) && *line; count++) {
		char word[20];
		size_t length;

		line += strspn(line, " ");
		length = strcspn(line, " ");
		if (!length || length >= sizeof word)
			break;
		memcpy(word, line, length);
		word[length] = '\0';
		if (number_parse_hex(word, &words[count]))
			break;
		line += length;
	}
	if (count < 3)
		return;
	softnet->cpus[softnet->count] = (uint16_t)(count == 13 ? words[12] : number);
	softnet->processed[softnet->count] = words[0];
	softnet->dropped[softnet->count] = words[1];
	softnet->squeezed[softnet->count++] = words[2];
}

struct lines { unsigned count; struct softnet *softnet; };

static int each_softnet_line(char *line, void *context)
{
	struct lines *lines = context;

	softnet_take_line(line, lines->count++, lines->softnet);
	return 0;
}

int softnet_read(struct softnet *softnet)
{
	struct lines lines = { .softnet = softnet };
	int err;

	softnet->count = 0;
	err = file_each_line_here("/proc/net/softnet_stat", each_softnet_line, &lines);
	return err < 0 ? err : 0;
}

/* ---- interrupts ---- */

static bool is_word_end(char c)
{
	return !c || !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

static bool has_word(const char *action, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = action; length && (at = text_find(at, word)); at++)
		if ((at == action || is_word_end(at[-1])) && is_word_end(at[length]))
			return true;
	return false;
}

bool nic_owns_action(const char *action, const char *interface, const char *device)
{
	return has_word(action, interface) || has_word(action, device);
}

struct interrupt_walk {
	const char *interface;
	char device[64], msi[96];          /* msi: the folder with the numbers of its lines; "": its driver may have none */
	unsigned columns;
	uint16_t cpus[MAX_CPUS];
	struct nic_interrupts *interrupts; /* NULL: only where they go is wanted */
	struct nic *nic;
};

static void take_counts(const char *counts, const char *action, const struct interrupt_walk *walk)
{
	struct nic_interrupts *interrupts = walk->interrupts;
	uint64_t count, sum = 0;

	for (unsigned i = 0; i < walk->columns && number_take(&counts, &count); i++) {
		interrupts->by_cpu[walk->cpus[i]] += count;
		sum += count;
	}
	if (interrupts->lines < MAX_NET_QUEUES) {
		text_copy(interrupts->names[interrupts->lines], sizeof interrupts->names[0], action);
		interrupts->total[interrupts->lines++] = sum;
	}
}

static void note_target(const char *number, struct nic *nic)
{
	struct text text = TEXT(nic->irq_cpus);
	char list[32];

	nic->irqs++;
	if (file_read_here(list, sizeof list, "/proc/irq/%s/effective_affinity_list", number) <= 0)
		return;
	text_trim(list);
	text.length = strlen(nic->irq_cpus);
	if (!text_in_list(nic->irq_cpus, ' ', list))
		text_add_format(&text, "%s%s", text.length ? " " : "", list);
}

/* By the line's number where the bus tells which are the device's, whatever the driver calls them; else by what it calls them. */
static bool owns(const struct interrupt_walk *walk, const char *number, const char *action)
{
	char kind[16];

	return (*walk->msi && file_read_here(kind, sizeof kind, "%s/%s", walk->msi, number) > 0) || nic_owns_action(action, walk->interface, walk->device);
}

static int each_interrupt(char *line, void *context)
{
	struct interrupt_walk *walk = context;
	char *colon = strchr(line, ':'), *action, *number;

	if (!walk->columns)
		return walk->columns = interrupts_columns(line, walk->cpus), 0;
	if (!colon)
		return 0;
	*colon = '\0';
	text_trim(colon + 1);
	number = text_trim(line);
	action = strrchr(colon + 1, ' ');
	if (!action || !owns(walk, number, action + 1))
		return 0;
	if (walk->interrupts)
		take_counts(colon + 1, action + 1, walk);
	else
		note_target(number, walk->nic);
	return 0;
}

static int walk_interrupts(const char *name, struct nic_interrupts *interrupts, struct nic *nic)
{
	static struct interrupt_walk walk;
	char path[64], target[MAX_PATH];
	ssize_t length;
	const char *last;

	walk = (struct interrupt_walk){ .interface = name, .interrupts = interrupts, .nic = nic };
	text_format(path, sizeof path, "/sys/class/net/%s/device", name);
	length = readlink(path, target, sizeof target - 1);
	if (length > 0) {
		target[length] = '\0';
		last = strrchr(target, '/');
		text_copy(walk.device, sizeof walk.device, last ? last + 1 : target);
		/* A virtio device's lines are those of the PCI function that it is; of any other, what is above is a bridge. */
		text_format(walk.msi, sizeof walk.msi, "%s/%smsi_irqs", path, text_starts(walk.device, "virtio") ? "../" : "");
	}
	return file_each_line_here("/proc/interrupts", each_interrupt, &walk);
}

int nic_interrupts(const char *name, struct nic_interrupts *interrupts)
{
	int err;

	memset(interrupts, 0, sizeof *interrupts);
	err = walk_interrupts(name, interrupts, NULL);
	return err < 0 ? err : 0;
}

void nic_read_irqs(struct nic *nic)
{
	walk_interrupts(nic->name, NULL, nic);
}
