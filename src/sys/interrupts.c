/* interrupts.c: see interrupts.h. */
#include <string.h>

#include "event.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/file.h"
#include "sys/identify_disk.h"
#include "sys/interrupts.h"

unsigned interrupts_columns(char *line, uint16_t cpus[MAX_CPUS])
{
	unsigned columns = 0;
	char *word;
	uint64_t cpu;

	while (*(word = text_word(&line)) && columns < MAX_CPUS)
		if (text_starts(word, "CPU") && !number_parse(word + 3, &cpu) && cpu < MAX_CPUS)
			cpus[columns++] = (uint16_t)cpu;
	return columns;
}

/* Where the kernel sends it: one CPU, as a rule; -1 where it does not tell. */
static int target_of(unsigned number)
{
	char list[64];
	const char *at = list;
	uint64_t cpu;

	file_string(list, sizeof list, "/proc/irq/%u/effective_affinity_list", number);
	return number_take(&at, &cpu) ? (int)cpu : -1;
}

static void note_target(struct interrupt_lines *lines, unsigned number, const char *action)
{
	int target;

	/* An NVMe drive's queue 0 takes its administration only. */
	if (text_ends(action, "q0"))
		return;
	target = target_of(number);
	if (target >= 0 && lines->target >= 0 && target != lines->target)
		lines->interrupts->spread = true;
	lines->target = lines->target < 0 ? target : lines->target;
}

int interrupts_take_line(char *line, void *context)
{
	struct interrupt_lines *lines = context;
	char *colon = strchr(line, ':'), *action;
	const char *counts;
	uint64_t number, count;

	if (!lines->columns)
		return lines->interrupts->cpus = lines->columns = interrupts_columns(line, lines->cpus), 0;
	if (!colon)
		return 0;
	*colon = '\0';
	counts = colon + 1;
	text_trim(colon + 1);
	action = strrchr(colon + 1, ' ');
	if (number_parse(text_trim(line), &number) || !action || number > UINT32_MAX || !lines->is_mine((unsigned)number, action + 1, lines->context))
		return 0;
	lines->interrupts->lines++;
	for (unsigned i = 0; i < lines->columns && number_take(&counts, &count); i++)
		lines->interrupts->counts[lines->cpus[i]] += (uint32_t)count;
	note_target(lines, (unsigned)number, action + 1);
	return 0;
}

struct owner { char folder[MAX_PATH], host[16]; uint64_t number; bool many; };

static bool is_owners(unsigned number, const char *action, void *context)
{
	const struct owner *owner = context;

	if (owner->many)
		return file_exists("%s/msi_irqs/%u", owner->folder, number);
	return owner->number ? number == owner->number : owner->host[0] && !strcmp(action, owner->host);
}

/* The host's name stands in the path of what hangs on it: .../mmc_host/mmc0/mmc0:0001. */
static void find_owner(const struct disk *disk, struct owner *owner)
{
	const char *host = text_find(disk->bus_path, "mmc_host/");
	struct text name = TEXT(owner->host);

	/* Every PCI function has `irq`; msi_irqs of one further up would be a bridge's. */
	if (identify_above(disk, "irq", owner->folder, sizeof owner->folder)) {
		owner->many = file_exists("%s/msi_irqs", owner->folder);
		file_number(&owner->number, "%s/irq", owner->folder);
	}
	if (host) {
		host += strlen("mmc_host/");
		text_add_bytes(&name, host, strcspn(host, "/"));
	}
}

void interrupts_read(const struct disk *disk, struct interrupts *interrupts)
{
	struct owner owner = { .number = 0 };
	struct interrupt_lines lines = { .is_mine = is_owners, .context = &owner, .interrupts = interrupts, .target = -1 };

	memset(interrupts, 0, sizeof *interrupts);
	find_owner(disk, &owner);
	file_each_line("/proc/interrupts", interrupts_take_line, &lines);
}

void interrupts_share(const struct interrupts *before, const struct interrupts *after, struct interrupt_share *share)
{
	uint32_t most = 0;

	*share = (struct interrupt_share){ .ppm_milli = VALUE_NONE };
	for (unsigned cpu = 0; cpu < MAX_CPUS; cpu++) {
		uint32_t count = after->counts[cpu] - (before ? before->counts[cpu] : 0);

		share->total += count;
		if (count > most) {
			most = count;
			share->cpu = cpu;
		}
	}
	if (share->total)
		share->ppm_milli = milli_ratio(most * 1000000ull, share->total);
}
