/* probe_board.c: see probe.h. */
#include <errno.h> /* the names of errors only */
#include <string.h>

#include "cli/cli.h"
#include "cli/probe.h"
#include "env/sensor.h"
#include "event.h"
#include "lib/text.h"
#include "sys/file.h"

static void add_wanted(const struct board *board, struct text *text)
{
	for (unsigned i = 0; i < board->match_device_tree_count; i++)
		text_add_format(text, "%s%s", i ? " and " : "device tree with ", board->match_device_tree[i]);
	if (board->match_product[0])
		text_add_format(text, "%sDMI product \"%s\"", text->length ? " or " : "", board->match_product);
	if (board->match_arch[0])
		text_add_format(text, "%s%s", text->length ? ", " : "", board->match_arch);
}

void probe_fit(const struct board *board, const struct identity *identity)
{
	static const char *const words[] = { "does not fit", "fits", "fits exactly" };
	unsigned fit = board_fit(board, identity);
	char wanted[400];
	struct text text = TEXT(wanted);

	add_wanted(board, &text);
	cli_print("  %-16s %-13s it is for: %s\n", board->name, words[fit < COUNT_OF(words) ? fit : COUNT_OF(words) - 1], wanted);
}

static void print_sku(const struct board *board, const struct identity *identity)
{
	const struct sku *sku = board_sku(board, identity);
	char fault[200];

	if (!board->sku_count)
		return;
	cli_print("  %-16s %s\n", "SKU", sku ? sku->name : "none of the declared ones, or several");
	if (sku && !board_sku_is_whole(sku, identity, fault, sizeof fault))
		cli_print("  %-16s but %s\n", "", fault);
}

static const char *found_name(int index, const char *name, bool required)
{
	if (index >= 0)
		return name;
	if (index == -EEXIST)
		return "several devices fit";
	return required ? "MISSING" : "not there";
}

static void print_parts(const struct board *board, const struct identity *identity)
{
	for (unsigned i = 0; i < board->storage_count; i++) {
		const struct storage_role *role = &board->storage[i];
		int index = board_find_disk(role, identity);

		cli_print("  storage %-8s %s\n", role->role, found_name(index, identity->disks[index < 0 ? 0 : index].name, role->required));
	}
	for (unsigned i = 0; i < board->network_count; i++) {
		const struct network_port *port = &board->network[i];
		int index = board_find_port(port, identity);

		cli_print("  port %-11s %s\n", port->port, found_name(index, identity->ports[index < 0 ? 0 : index].name, port->required));
	}
}

/* ---- sensors ---- */

/* The channel of a hwmon device that bears a label: "/sys/class/hwmon/hwmon2" and 1. */
struct channel { const struct sensor *sensor; char folder[64]; unsigned number; };

static int find_channel(const char *name, void *context)
{
	struct channel *channel = context;
	char text[64];

	file_string(text, sizeof text, "/sys/class/hwmon/%s/name", name);
	if (strcmp(text, channel->sensor->hwmon))
		return 0;
	for (channel->number = 1; channel->number <= 8; channel->number++) {
		file_string(text, sizeof text, "/sys/class/hwmon/%s/in%u_label", name, channel->number);
		if (!strcmp(text, channel->sensor->label)) {
			struct text folder = TEXT(channel->folder);

			text_add_format(&folder, "/sys/class/hwmon/%s", name);
			return 1;
		}
	}
	return 0;
}

static bool print_rail(const struct sensor *sensor)
{
	struct channel channel = { .sensor = sensor };
	uint64_t mv, ma;

	if (file_each("/sys/class/hwmon", find_channel, &channel) != 1 ||
	    file_number(&mv, "%s/in%u_input", channel.folder, channel.number) ||
	    file_number(&ma, "%s/curr%u_input", channel.folder, channel.number))
		return false;
	cli_print("  %-18s %llu mV, %llu mA\n", sensor->name, (unsigned long long)mv, (unsigned long long)ma);
	return true;
}

static bool print_clock(const struct sensor *sensor)
{
	char first[256];
	uint64_t max;
	int64_t value;
	int err = sensor_read(sensor, &value);

	if (err == -EINVAL && !sensor->hwmon[0]) {
		file_string(first, sizeof first, "%s", sensor->path);
		cli_print("  %-18s %s\n", sensor->name, first);
		return true;
	}
	if (err)
		return false;
	if (!sensor->unit_hz)
		cli_print("  %-18s %lld", sensor->name, (long long)value);
	else
		cli_print("  %-18s %s", sensor->name, cli_value(milli_whole((uint64_t)value * sensor->unit_hz), "Hz"));
	if (sensor->max_path[0] && !file_number(&max, "%s", sensor->max_path))
		cli_print(" of at most %s", sensor->unit_hz ? cli_value(milli_whole(max * sensor->unit_hz), "Hz") : cli_value(milli_whole(max), "1"));
	cli_print("\n");
	return true;
}

static bool print_temperature(const struct sensor *sensor)
{
	int64_t milli;
	int err = sensor_read(sensor, &milli);

	if (err == -EAGAIN)
		cli_print("  %-18s its part is off now\n", sensor->name);
	else if (!err)
		cli_print("  %-18s %s\n", sensor->name, cli_value(milli, "degC"));
	return !err || err == -EAGAIN;
}

static bool print_counter(const struct sensor *sensor)
{
	int64_t value;

	if (sensor_read(sensor, &value))
		return false;
	cli_print("  %-18s %lld\n", sensor->name, (long long)value);
	return true;
}

static void print_sensors(const char *title, const struct sensor *sensors, unsigned count, bool (*print)(const struct sensor *))
{
	char missing[400];
	struct text text = TEXT(missing);

	if (count)
		cli_print("%s\n", title);
	for (unsigned i = 0; i < count; i++)
		if (!print(&sensors[i]))
			text_add_format(&text, "%s%s", text.length ? ", " : "", sensors[i].name);
	if (text.length)
		cli_print("  %-18s %s\n", "not readable here", missing);
}

void probe_board(const struct board *board, const struct identity *identity)
{
	const struct stack *stack = board_stack(board, identity);

	cli_print("\nboard %s: %s (%s)\n", board->name, board->title, board->source);
	print_sku(board, identity);
	cli_print("  %-16s %s\n", "software stack", stack ? stack->name : "none that the board file knows");
	print_parts(board, identity);
	if (!stack)
		return;
	print_sensors("clocks", stack->clocks, stack->clock_count, print_clock);
	print_sensors("throttling and faults", stack->throttle, stack->throttle_count, print_counter);
	print_sensors("temperatures", stack->temperatures, stack->temperature_count, print_temperature);
	print_sensors("rails", stack->rails, stack->rail_count, print_rail);
}
