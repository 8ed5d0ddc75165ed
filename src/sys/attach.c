/* attach.c: see attach.h. */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/attach.h"
#include "sys/file.h"
#include "sys/identify_disk.h"

void attach_parse_choice(const char *content, char *word, unsigned size)
{
	const char *open = strchr(content, '['), *close = open ? strchr(open, ']') : NULL;
	struct text text = text_in(word, size);

	if (close)
		text_add_bytes(&text, open + 1, (size_t)(close - open) - 1);
	else
		text_add(&text, content);
}

int attach_parse_errors(const char *content, uint64_t *total)
{
	const char *at = text_find(content, "TOTAL_ERR_");

	if (!at || !(at = strchr(at, ' ')))
		return -EINVAL;
	return number_take(&at, total) ? 0 : -EINVAL;
}

static uint64_t queue_number(const struct disk *disk, const char *file)
{
	uint64_t number;

	return file_number(&number, "/sys/block/%s/queue/%s", disk->name, file) ? 0 : number;
}

static void read_choice(char *word, unsigned size, const char *path)
{
	char content[128];

	file_string(content, sizeof content, "%s", path);
	attach_parse_choice(content, word, size);
}

static void read_queue_choice(const struct disk *disk, char *word, unsigned size, const char *file)
{
	char path[MAX_PATH];

	text_format(path, sizeof path, "/sys/block/%s/queue/%s", disk->name, file);
	read_choice(word, size, path);
}

static int64_t numa_node(const struct disk *disk)
{
	char folder[MAX_PATH];
	uint64_t node;

	/* It is -1, which is no number of ours, where the machine has no nodes. */
	return identify_above(disk, "numa_node", folder, sizeof folder) && !file_number(&node, "%s/numa_node", folder) ? (int64_t)node : -1;
}

static void read_end(const char *folder, char *link, unsigned size)
{
	char speed[2][32];
	uint64_t width[2];

	file_string(speed[0], sizeof speed[0], "%s/current_link_speed", folder);
	file_string(speed[1], sizeof speed[1], "%s/max_link_speed", folder);
	if (file_number(&width[0], "%s/current_link_width", folder) || file_number(&width[1], "%s/max_link_width", folder))
		return;
	text_format(link, size, "%s x%llu, at most %s x%llu", speed[0], (unsigned long long)width[0], speed[1], (unsigned long long)width[1]);
}

static void read_ends(const struct disk *disk, struct queue *queue)
{
	char folder[MAX_PATH];
	int64_t milli;

	if (!identify_above(disk, "current_link_speed", folder, sizeof folder))
		return;
	read_end(folder, queue->link, sizeof queue->link);
	/* "Unknown" is no number. */
	if (!number_parse_milli(queue->link, strspn(queue->link, "0123456789."), &milli))
		queue->link_milli_gt = (uint64_t)milli;
	file_number(&queue->link_width, "%s/current_link_width", folder);
	*strrchr(folder, '/') = '\0';
	read_end(folder, queue->port_link, sizeof queue->port_link);
}

void attach_read(const struct disk *disk, struct queue *queue)
{
	uint64_t cmdq;

	*queue = (struct queue){
		.max_sectors_kb = queue_number(disk, "max_sectors_kb"), .max_hw_sectors_kb = queue_number(disk, "max_hw_sectors_kb"),
		.nr_requests = queue_number(disk, "nr_requests"), .read_ahead_kb = queue_number(disk, "read_ahead_kb"),
		.rotational = disk->rotational, .io_poll = queue_number(disk, "io_poll"), .numa_node = numa_node(disk),
	};
	read_queue_choice(disk, queue->scheduler, sizeof queue->scheduler, "scheduler");
	read_queue_choice(disk, queue->write_cache, sizeof queue->write_cache, "write_cache");
	read_choice(queue->aspm, sizeof queue->aspm, "/sys/module/pcie_aspm/parameters/policy");
	queue->cmdq = !file_number(&cmdq, "/sys/block/%s/device/cmdq_en", disk->name) && cmdq;
	file_string(queue->firmware, sizeof queue->firmware, "/sys/block/%s/device/%s", disk->name,
	            !strcmp(disk->bus, "nvme") ? "firmware_rev" : !strcmp(disk->bus, "mmc") ? "fwrev" : "rev");
	if (!strcmp(disk->bus, "nvme"))
		read_ends(disk, queue);
}

static int errors_of(const char *folder, const char *kind, uint64_t *count)
{
	char content[1024];
	ssize_t length = file_readf(content, sizeof content, "%s/aer_dev_%s", folder, kind);

	*count = 0;
	return length < 0 ? (int)length : attach_parse_errors(content, count);
}

int attach_errors(const struct disk *disk, enum aer kind, uint64_t *drive, uint64_t *port)
{
	static const char *const names[] = { "correctable", "nonfatal", "fatal" };
	char folder[MAX_PATH];
	bool told;

	*drive = *port = 0;
	if (!identify_above(disk, "current_link_speed", folder, sizeof folder))
		return -ENOENT;
	told = !errors_of(folder, names[kind], drive);
	*strrchr(folder, '/') = '\0';
	/* What one end does wrong is often seen by the other alone. */
	told |= !errors_of(folder, names[kind], port);
	return told ? 0 : -ENOENT;
}
