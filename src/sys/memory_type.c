/*
 * memory_type.c: see memory_type.h.
 *
 * The bytes are the firmware's: every offset is held against the length that a structure states, and that against the table.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "capacity.h"
#include "lib/text.h"
#include "sys/file.h"
#include "sys/memory_type.h"

enum {
	TYPE_MEMORY_DEVICE = 17, TYPE_END = 127, HEADER_BYTES = 4,
	/* offsets in a memory device */
	AT_ARRAY = 0x04, AT_DATA_WIDTH = 0x0a, AT_SIZE = 0x0c, AT_LOCATOR = 0x10, AT_BANK = 0x11, AT_SPEED = 0x15,
	AT_CONFIGURED = 0x20, AT_EXTENDED_SPEED = 0x54, AT_EXTENDED_CONFIGURED = 0x58,
	NOT_TOLD = 0xffff,
	/* beyond these it is garbage */
	WIDTH_BITS_MAX = 1024, SPEED_MT_MIN = 100, SPEED_MT_MAX = 100000, MODULES_MAX = 2048,
};

struct table { const uint8_t *at, *end; };

/* One structure: its formatted part, and its strings, each with a NUL, behind them one more. */
struct item { const uint8_t *at; const char *strings; };

static bool take_item(struct table *table, struct item *item)
{
	const uint8_t *at = table->at;
	size_t left = (size_t)(table->end - at);

	if (left < HEADER_BYTES || at[1] < HEADER_BYTES || at[1] > left)
		return false;
	*item = (struct item){ at, (const char *)at + at[1] };
	for (at += at[1]; table->end - at >= 2; at++)
		if (!at[0] && !at[1]) {
			table->at = at + 2;
			return true;
		}
	return false;
}

static unsigned byte_of(const struct item *item, unsigned offset)
{
	return offset < item->at[1] ? item->at[offset] : 0;
}

static unsigned word_of(const struct item *item, unsigned offset)
{
	return offset + 1 < item->at[1] ? byte_of(item, offset) | byte_of(item, offset + 1) << 8 : 0;
}

/* String number n, 1 the first; "" where there is none. */
static const char *string_of(const struct item *item, unsigned offset)
{
	const char *string = item->strings;
	unsigned number = byte_of(item, offset);

	if (!number)
		return "";
	while (--number && *string)
		string += strlen(string) + 1;
	return string;
}

static bool is_module(const struct item *item)
{
	return item->at[0] == TYPE_MEMORY_DEVICE && word_of(item, AT_SIZE);
}

/* 0: not told. */
static unsigned speed_of(const struct item *item, unsigned offset, unsigned extended)
{
	unsigned speed = word_of(item, offset);

	return speed == NOT_TOLD ? word_of(item, extended) | (word_of(item, extended + 2) & 0x7fff) << 16 : speed;
}

/* ---- which modules share a channel ---- */

/* The length of `P0 CHANNEL A` in a locator that begins so; 0 when it names no channel. */
static size_t channel_length(const char *locator)
{
	static const char word[] = "channel";
	const char *at = locator, *name;

	while (*at && strncasecmp(at, word, sizeof(word) - 1))
		at++;
	if (!*at)
		return 0;
	at += sizeof(word) - 1;
	at += strspn(at, " _-.:#");
	for (name = at; isalnum((unsigned char)*at); at++) {
	}
	return at > name ? (size_t)(at - locator) : 0;
}

/* Where a module sits: the locator that names its channel, and the other one. */
struct seat { unsigned array; const char *channel, *other; size_t length; };

static struct seat seat_of(const struct item *item)
{
	const char *device = string_of(item, AT_LOCATOR), *bank = string_of(item, AT_BANK);
	size_t length = channel_length(device);

	if (length)
		return (struct seat){ word_of(item, AT_ARRAY), device, bank, length };
	return (struct seat){ word_of(item, AT_ARRAY), bank, device, channel_length(bank) };
}

/* "BANK 1", "DIMM 0": only where on the channel; anything else may tell the processor. */
static bool is_slot(const char *locator)
{
	return !strncasecmp(locator, "bank", 4) || !strncasecmp(locator, "dimm", 4);
}

static bool share_channel(const struct seat *a, const struct seat *b)
{
	return a->length && a->length == b->length && a->array == b->array && !memcmp(a->channel, b->channel, a->length) &&
	       (!strcmp(a->other, b->other) || (is_slot(a->other) && is_slot(b->other)));
}

/* Is it the first module of its channel?  Those before it are looked through again: there is no list to overflow. */
static bool opens_channel(struct table table, const struct item *module)
{
	struct seat seat = seat_of(module), other;
	struct item item;

	while (take_item(&table, &item) && item.at != module->at) {
		if (!is_module(&item))
			continue;
		other = seat_of(&item);
		if (share_channel(&seat, &other))
			return false;
	}
	return true;
}

/* ---- summing up ---- */

struct sum { struct memory_type type; bool lacks_something, names_channels; };

static void add_module(struct sum *sum, struct table table, const struct item *module)
{
	unsigned width = word_of(module, AT_DATA_WIDTH), speed = speed_of(module, AT_CONFIGURED, AT_EXTENDED_CONFIGURED);
	struct memory_type *type = &sum->type;

	if (!speed)
		speed = speed_of(module, AT_SPEED, AT_EXTENDED_SPEED);
	if (!width || width % 8 || width > WIDTH_BITS_MAX || !speed || speed > SPEED_MT_MAX)
		sum->lacks_something = true;
	type->modules++;
	type->channels += opens_channel(table, module);
	sum->names_channels &= seat_of(module).length != 0;
	if (width > type->width_bits)
		type->width_bits = width;
	if (speed > type->speed_mt_per_s)
		type->speed_mt_per_s = speed;
}

static void tell(struct sum *sum, struct memory_type *type)
{
	type->modules = sum->type.modules;
	type->channels = sum->type.channels;
	if (!type->modules || sum->lacks_something || sum->type.speed_mt_per_s < SPEED_MT_MIN)
		return;
	*type = sum->type;
	type->bound_bytes_per_s = (uint64_t)type->channels * type->width_bits / 8 * type->speed_mt_per_s * 1000000;
	text_format(type->text, sizeof(type->text), "DMI: %u %s%s x %u bit x %u MT/s", type->channels, sum->names_channels ? "channel" : "module",
	            type->channels > 1 ? "s" : "", type->width_bits, type->speed_mt_per_s);
}

void memory_type_parse(const uint8_t *bytes, size_t count, struct memory_type *type)
{
	struct table table = { bytes, bytes + count }, whole = table;
	struct sum sum = { .names_channels = true };
	struct item item;

	memset(type, 0, sizeof(*type));
	while (take_item(&table, &item)) {
		if (item.at[0] == TYPE_END) {
			tell(&sum, type);
			return;
		}
		if (!is_module(&item))
			continue;
		if (sum.type.modules == MODULES_MAX)
			return;
		add_module(&sum, whole, &item);
	}
}

void memory_type_read(struct memory_type *type)
{
	static char table[128 << 10];
	ssize_t length = file_read("/sys/firmware/dmi/tables/DMI", table, sizeof(table));

	memory_type_parse((const uint8_t *)table, length > 0 ? (size_t)length : 0, type);
}
