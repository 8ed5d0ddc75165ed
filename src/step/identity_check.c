/* identity_check.c: one function a declared property; what was found and what is declared stand in every line. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "lib/number.h"
#include "lib/text.h"
#include "step/identity_check.h"

struct mouth { identity_say *say; void *context; };

__attribute__((format(printf, 3, 4)))
static void tell(const struct mouth *mouth, enum event_kind kind, const char *format, ...)
{
	char message[MAX_MESSAGE];
	struct text text = TEXT(message);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	mouth->say(mouth->context, kind, message);
}

static void list_skus(const struct board *board, struct text *text)
{
	for (unsigned i = 0; i < board->sku_count; i++) {
		const struct sku *sku = &board->skus[i];

		text_add_format(text, "%s%s (%u CPUs, %llu to %llu bytes)", i ? ", " : "", sku->name, sku->cpus,
		                (unsigned long long)sku->memory_min_bytes, (unsigned long long)sku->memory_max_bytes);
	}
}

void identity_check_sku(const struct board *board, const struct identity *identity, identity_say *say, void *context)
{
	const struct mouth mouth = { say, context };
	const struct sku *sku = board_sku(board, identity);
	char declared[256];
	struct text text = TEXT(declared);

	if (!board->sku_count)
		return;
	if (sku) {
		tell(&mouth, EVENT_LOG, "SKU %s, part %s", sku->name, identity->sku[0] ? identity->sku : "not told");
		if (!board_sku_is_whole(sku, identity, declared, sizeof declared))
			tell(&mouth, EVENT_FAIL, "%s", declared);
		return;
	}
	list_skus(board, &text);
	tell(&mouth, EVENT_FAIL, "no single declared SKU is this machine: part %s, %u CPUs, %llu bytes of memory; declared: %s",
	     identity->sku[0] ? identity->sku : "not told", identity->cpus_online, (unsigned long long)identity->memory_bytes, declared);
}

/* A module tells its serial number by its device tree, from its EEPROM. */
void identity_check_serial(const struct board *board, const struct identity *identity, identity_say *say, void *context)
{
	if (board->match_device_tree_count && !identity->serial[0])
		say(context, EVENT_FAIL, "no serial number: bad EEPROM");
}

/* What is told of a link, its speed or its width; "" where nothing is. */
enum { FOUND, DECLARED, DEVICE, PORT, TOLD }; /* DEVICE, PORT: the most that this end can do */

/* "16.0 GT/s PCIe" is 16000, "x4" is 4000; -1: no number */
static int64_t milli_of(const char *told)
{
	int64_t milli;

	told += *told == 'x';
	return number_parse_milli(told, strspn(told, "0123456789."), &milli) ? -1 : milli;
}

/* A link must train at what is declared, and at what both of its ends can do, as far as they tell. */
static void check_link(const struct mouth *mouth, const char *part, const char *what, const char *const *told)
{
	int64_t milli[TOLD];
	unsigned both;

	for (unsigned i = 0; i < TOLD; i++)
		milli[i] = milli_of(told[i]);
	both = milli[DEVICE] < milli[PORT] ? DEVICE : PORT;
	if (milli[FOUND] < 0) {
		if (milli[DECLARED] >= 0)
			tell(mouth, EVENT_ERROR, "%s: the link %s is not told; declared %s", part, what, told[DECLARED]);
		return;
	}
	if (milli[FOUND] < milli[DECLARED] || milli[FOUND] < milli[both])
		tell(mouth, EVENT_FAIL, "%s: the link trained at %s, %s %s", part, told[FOUND],
		     milli[FOUND] < milli[DECLARED] ? "declared" : "both ends can do",
		     told[milli[FOUND] < milli[DECLARED] ? DECLARED : both]);
}

void identity_check_link(const struct storage_role *role, const struct disk *disk, identity_say *say, void *context)
{
	const struct mouth mouth = { say, context };
	const uint32_t widths[TOLD] = { disk->link_width, role->link_width, disk->link_width_max, disk->port_width_max };
	const char *told[TOLD] = { disk->link_speed, role->link_speed, disk->link_speed_max, disk->port_speed_max };
	char part[64], texts[TOLD][12];

	text_format(part, sizeof part, "%s (%s)", role->role, disk->name);
	check_link(&mouth, part, "speed", told);
	for (unsigned i = 0; i < TOLD; i++) {
		text_format(texts[i], sizeof texts[i], widths[i] ? "x%u" : "", widths[i]);
		told[i] = texts[i];
	}
	check_link(&mouth, part, "width", told);
}

static void check_size(const struct mouth *mouth, const struct storage_role *role, const struct disk *disk)
{
	if (disk->size_bytes < role->size_min_bytes)
		tell(mouth, EVENT_FAIL, "%s (%s): %llu bytes, declared at least %llu", role->role, disk->name,
		     (unsigned long long)disk->size_bytes, (unsigned long long)role->size_min_bytes);
}

static void check_mode(const struct mouth *mouth, const struct storage_role *role, const struct disk *disk)
{
	if (!role->mode[0])
		return;
	if (!disk->mode[0])
		tell(mouth, role->required ? EVENT_ERROR : EVENT_SKIP,
		     "%s (%s): bus mode not told: debugfs not mounted, or not readable; declared %s", role->role, disk->name, role->mode);
	else if (strncasecmp(disk->mode, role->mode, strlen(role->mode)))
		tell(mouth, EVENT_FAIL, "%s (%s): bus mode %s, declared %s", role->role, disk->name, disk->mode, role->mode);
}

static const char *place(const struct storage_role *role)
{
	return role->bus_path[0] ? role->bus_path : role->model[0] ? role->model : role->bus[0] ? role->bus : "anywhere";
}

int identity_check_storage(const struct storage_role *role, const struct identity *identity, identity_say *say, void *context)
{
	const struct mouth mouth = { say, context };
	int index = board_find_disk(role, identity);
	const struct disk *disk = &identity->disks[index < 0 ? 0 : index];

	if (index == -EEXIST)
		tell(&mouth, EVENT_ERROR, "several devices fit the role %s (%s)", role->role, place(role));
	else if (index < 0 && role->required)
		tell(&mouth, EVENT_FAIL, "declared device missing: %s (%s)", role->role, place(role));
	else if (index < 0)
		tell(&mouth, EVENT_SKIP, "not there, and not required: %s (%s)", role->role, place(role));
	if (index < 0)
		return index;
	tell(&mouth, EVENT_LOG, "%s: %s, %s, %llu bytes, %s %s", role->role, disk->name, disk->model,
	     (unsigned long long)disk->size_bytes, disk->bus_path, disk->mode);
	identity_check_link(role, disk, say, context);
	check_size(&mouth, role, disk);
	check_mode(&mouth, role, disk);
	return index;
}

/* What a module with an empty or broken EEPROM shows. */
static bool is_no_address(const char *address)
{
	return !strcmp(address, "00:00:00:00:00:00") || !strcmp(address, "ff:ff:ff:ff:ff:ff");
}

static void check_found_port(const struct mouth *mouth, const struct network_port *declared, const struct port *port)
{
	tell(mouth, EVENT_LOG, "port %s: %s, driver %s, address %s, %s", declared->port, port->name,
	     port->driver[0] ? port->driver : "not told", port->address, port->operstate);
	if (is_no_address(port->address))
		tell(mouth, EVENT_FAIL, "port %s (%s): its address is %s: bad EEPROM", declared->port, port->name, port->address);
	if (!declared->speed_mbit_per_s)
		return;
	if (!port->carrier)
		tell(mouth, EVENT_SKIP, "port %s (%s): no link, so no speed to compare with %u Mbit/s", declared->port, port->name,
		     declared->speed_mbit_per_s);
	else if (!port->speed_mbit_per_s)
		tell(mouth, EVENT_ERROR, "port %s (%s): its speed is not told; declared %u Mbit/s", declared->port, port->name,
		     declared->speed_mbit_per_s);
	else if (port->speed_mbit_per_s < declared->speed_mbit_per_s)
		tell(mouth, EVENT_FAIL, "port %s (%s): the link trained at %u Mbit/s, declared %u", declared->port, port->name,
		     port->speed_mbit_per_s, declared->speed_mbit_per_s);
}

void identity_check_port(const struct network_port *port, const struct identity *identity, identity_say *say, void *context)
{
	const struct mouth mouth = { say, context };
	int index = board_find_port(port, identity);

	if (index == -EEXIST)
		tell(&mouth, EVENT_ERROR, "several ports fit %s (%s)", port->port, port->device);
	else if (index < 0 && port->required)
		tell(&mouth, EVENT_FAIL, "declared device missing: port %s (%s)", port->port, port->device);
	else if (index < 0)
		tell(&mouth, EVENT_SKIP, "not there, and not required: port %s (%s)", port->port, port->device);
	else
		check_found_port(&mouth, port, &identity->ports[index]);
}
