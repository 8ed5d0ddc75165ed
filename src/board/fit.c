/*
 * fit.c: which board file, SKU, software stack, disk and port a machine's identity fits.  Pure: it reads nothing.
 */
#include <ctype.h>
#include <errno.h> /* the names of errors only */
#include <string.h>

#include "board.h"
#include "identity.h"
#include "lib/text.h"

enum { FITS_NOT, FITS_ARCH, FITS_MACHINE };

static bool fits_device_tree(const struct board *board, const struct identity *identity)
{
	for (unsigned i = 0; i < board->match_device_tree_count; i++)
		if (!text_find(identity->compatible, board->match_device_tree[i]))
			return false;
	return board->match_device_tree_count;
}

static bool fits_dmi(const struct board *board, const struct identity *identity)
{
	return board->match_product[0] && !strcmp(board->match_product, identity->product) &&
	       (!board->match_vendor[0] || !strcmp(board->match_vendor, identity->vendor));
}

unsigned board_fit(const struct board *board, const struct identity *identity)
{
	if (board->match_arch[0] && strcmp(board->match_arch, identity->arch))
		return FITS_NOT;
	if (fits_device_tree(board, identity) || fits_dmi(board, identity))
		return FITS_MACHINE;
	if (board->match_device_tree_count || board->match_product[0])
		return FITS_NOT;
	return board->match_arch[0] ? FITS_ARCH : FITS_NOT;
}

static bool sku_has_part(const struct sku *sku, const struct identity *identity)
{
	return sku->part[0] && text_starts(identity->sku, sku->part);
}

static bool sku_has_size(const struct sku *sku, const struct identity *identity)
{
	uint32_t cpus = identity->cpus_possible ? identity->cpus_possible : identity->cpus_online;

	if (!sku->cpus && !sku->memory_min_bytes && !sku->memory_max_bytes)
		return false;
	return (!sku->cpus || sku->cpus == cpus) && identity->memory_bytes >= sku->memory_min_bytes &&
	       (!sku->memory_max_bytes || identity->memory_bytes <= sku->memory_max_bytes);
}

static bool parts_are_known(const struct board *board)
{
	for (unsigned i = 0; i < board->sku_count; i++)
		if (board->skus[i].part[0])
			return true;
	return false;
}

const struct sku *board_sku(const struct board *board, const struct identity *identity)
{
	bool by_part = identity->sku[0] && parts_are_known(board);
	const struct sku *found = NULL;

	for (unsigned i = 0; i < board->sku_count; i++) {
		const struct sku *sku = &board->skus[i];

		if (!(by_part ? sku_has_part(sku, identity) : sku_has_size(sku, identity)))
			continue;
		if (found)
			return NULL;
		found = sku;
	}
	return found;
}

bool board_sku_is_whole(const struct sku *sku, const struct identity *identity, char *fault, size_t fault_size)
{
	struct text text = text_in(fault, fault_size);

	if (sku->cpus && identity->cpus_online < sku->cpus)
		text_add_format(&text, "%u CPUs are online where %s has %u: a power mode, or another module", identity->cpus_online,
		                sku->name, sku->cpus);
	else if (sku->cpus && identity->cpus_online > sku->cpus)
		text_add_format(&text, "%u CPUs are online where %s has %u: another module", identity->cpus_online, sku->name, sku->cpus);
	else if (identity->memory_bytes < sku->memory_min_bytes)
		text_add_format(&text, "%llu bytes of memory where %s has at least %llu", (unsigned long long)identity->memory_bytes,
		                sku->name, (unsigned long long)sku->memory_min_bytes);
	else if (sku->memory_max_bytes && identity->memory_bytes > sku->memory_max_bytes)
		text_add_format(&text, "%llu bytes of memory where %s has at most %llu: ECC off, or another module",
		                (unsigned long long)identity->memory_bytes, sku->name, (unsigned long long)sku->memory_max_bytes);
	return !text.length;
}

/* 5.1 is not the beginning of 5.10. */
static bool release_starts(const char *release, const char *prefix, size_t length)
{
	return !strncmp(release, prefix, length) &&
	       !(isdigit((unsigned char)prefix[length - 1]) && isdigit((unsigned char)release[length]));
}

static bool stack_has_kernel(const struct stack *stack, const char *release)
{
	const char *at = stack->kernel;

	while (*at) {
		size_t length = strcspn(at, "|");

		if (length && release_starts(release, at, length))
			return true;
		at += length + (at[length] == '|');
	}
	return false;
}

const struct stack *board_stack(const struct board *board, const struct identity *identity)
{
	const struct stack *other = NULL;

	for (unsigned i = 0; i < board->stack_count; i++) {
		if (stack_has_kernel(&board->stacks[i], identity->kernel))
			return &board->stacks[i];
		if (!board->stacks[i].kernel[0])
			other = &board->stacks[i];
	}
	return other;
}

static bool path_has(const char *path, const char *part, size_t length)
{
	for (const char *at = path; *at; at++)
		if (!strncmp(at, part, length) && (at == path || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

bool board_path_has(const char *path, const char *part)
{
	return part[0] && path_has(path, part, strlen(part));
}

static bool disk_plays(const struct disk *disk, const struct storage_role *role)
{
	return (!role->bus[0] || !strcmp(disk->bus, role->bus)) &&
	       (!role->bus_path[0] || board_path_has(disk->bus_path, role->bus_path)) &&
	       (!role->model[0] || text_has_nocase(disk->model, role->model));
}

static bool port_plays(const struct port *port, const struct network_port *role)
{
	const char *at = role->device;

	while (*at) {
		size_t length = strcspn(at, "|");

		if (length && path_has(port->bus_path, at, length))
			return true;
		at += length + (at[length] == '|');
	}
	return false;
}

int board_find_disk(const struct storage_role *role, const struct identity *identity)
{
	int found = -ENODEV;

	for (unsigned i = 0; i < identity->disk_count; i++) {
		if (!disk_plays(&identity->disks[i], role))
			continue;
		if (found >= 0)
			return -EEXIST;
		found = (int)i;
	}
	return found;
}

int board_find_port(const struct network_port *port, const struct identity *identity)
{
	int found = -ENODEV;

	for (unsigned i = 0; i < identity->port_count; i++) {
		if (!port_plays(&identity->ports[i], port))
			continue;
		if (found >= 0)
			return -EEXIST;
		found = (int)i;
	}
	return found;
}
