/*
 * dmi.c: the parser of DMI tables against mutated tables: dmi SEED COUNT.
 *
 * Whatever the bytes, what it tells must fit together: no bound without modules, width and speed, never more channels than
 * modules, and the words' figures.  The table lies in a heap block of its exact size, so that the address sanitizer sees a
 * read beyond it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "sys/memory_type.h"
#include "unit/sys_dmi.h"

static struct random source;

static size_t below(size_t bound)
{
	return (size_t)random_below(&source, bound);
}

static void make(void)
{
	static const char *const locators[] = { "", "ChannelA-DIMM0", "ChannelB-DIMM1", "P0 CHANNEL C", "A1", "channel", "Channel " };

	dmi_start();
	for (size_t n = below(9); n; n--)
		dmi_module(&(struct dmi_module){ .locator = locators[below(7)], .bank = locators[below(7)], .width = 64, .configured = 3200,
			.array = (unsigned)below(2), .is_empty = !below(8), .length = (unsigned)(below(4) ? 0 : 4 + below(0x58)) });
	dmi_end();
}

static void mutate(void)
{
	for (size_t n = below(6); n; n--)
		dmi[below(dmi_bytes)] = (uint8_t)(below(2) ? below(256) : 0);
	if (!below(4))
		dmi_bytes = below(dmi_bytes + 1);
}

static bool is_sound(const struct memory_type *type)
{
	bool has_bound = type->bound_bytes_per_s != 0;

	if (!memchr(type->text, 0, sizeof(type->text)) || has_bound != (type->text[0] != 0) || type->channels > type->modules)
		return false;
	return !has_bound || (type->channels && type->bound_bytes_per_s == (uint64_t)type->channels * type->width_bits / 8 * type->speed_mt_per_s * 1000000);
}

int main(int argc, char **argv)
{
	unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 0, told = 0;

	if (argc < 3)
		return 2;
	random_seed(&source, strtoull(argv[1], NULL, 0));
	for (unsigned i = 0; i < count; i++) {
		struct memory_type type;
		uint8_t *block;

		make();
		mutate();
		block = malloc(dmi_bytes ? dmi_bytes : 1);
		memcpy(block, dmi, dmi_bytes);
		memory_type_parse(block, dmi_bytes, &type);
		free(block);
		if (!is_sound(&type)) {
			fprintf(stderr, "not sound: %u modules, %u channels, \"%.72s\"\n", type.modules, type.channels, type.text);
			return 1;
		}
		told += type.bound_bytes_per_s != 0;
	}
	printf("%u tables, %u with a bound\n", count, told);
	return !told;
}
