#include "test.h"

#include "capacity.h"
#include "sys/file.h"
#include "sys/memory_type.h"
#include "sys_dmi.h"
#include "sys_tree.h"

static struct memory_type type;

/* From a block of its exact size: the address sanitizer sees a read beyond it. */
static void parse_exactly(const uint8_t *bytes, size_t count)
{
	uint8_t *block = malloc(count ? count : 1);

	memcpy(block, bytes, count);
	memory_type_parse(block, count, &type);
	free(block);
}

static void parse(void)
{
	parse_exactly(dmi, dmi_bytes);
}

test(two_channels_with_two_modules_each)
{
	dmi_two_channels();
	parse();
	check_equal(type.modules, 4);
	check_equal(type.channels, 2);
	check_equal(type.width_bits, 64);
	check_equal(type.speed_mt_per_s, 2400);
	check_equal(type.bound_bytes_per_s, 2 * 8 * 2400000000ull);
	check_string(type.text, "DMI: 2 channels x 64 bit x 2400 MT/s");
}

test(channel_in_the_bank_locator)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "DIMM 0", .bank = "P0 CHANNEL A", .width = 64, .configured = 3200 });
	dmi_module(&(struct dmi_module){ .locator = "DIMM 1", .bank = "P0 CHANNEL A", .width = 64, .configured = 3200 });
	dmi_module(&(struct dmi_module){ .locator = "DIMM 0", .bank = "P1 CHANNEL A", .width = 64, .configured = 3200 });
	dmi_end();
	parse();
	check_equal(type.channels, 2);
}

test(same_channel_of_two_processors_is_two)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "ChannelA-DIMM0", .bank = "NODE 1", .width = 64, .configured = 2133 });
	dmi_module(&(struct dmi_module){ .locator = "ChannelA-DIMM0", .bank = "NODE 2", .width = 64, .configured = 2133 });
	dmi_module(&(struct dmi_module){ .locator = "ChannelB-DIMM0", .bank = "BANK 0", .width = 64, .configured = 2133, .array = 1 });
	dmi_module(&(struct dmi_module){ .locator = "ChannelB-DIMM0", .bank = "BANK 0", .width = 64, .configured = 2133, .array = 2 });
	dmi_end();
	parse();
	check_equal(type.channels, 4);
}

test(locators_that_name_no_channel_are_a_channel_each)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A1", .bank = "", .width = 64, .configured = 2933 });
	dmi_module(&(struct dmi_module){ .locator = "A2", .bank = "channel", .width = 64, .configured = 2933 });
	dmi_end();
	parse();
	check_equal(type.channels, 2);
	check_string(type.text, "DMI: 2 modules x 64 bit x 2933 MT/s");
}

test(empty_sockets_do_not_count)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "ChannelA-DIMM0", .bank = "BANK 0", .width = 64, .configured = 2400 });
	dmi_module(&(struct dmi_module){ .locator = "ChannelB-DIMM0", .bank = "BANK 1", .width = 0xffff, .is_empty = true });
	dmi_end();
	parse();
	check_equal(type.modules, 1);
	check_string(type.text, "DMI: 1 channel x 64 bit x 2400 MT/s");
}

test(speed_it_is_made_for_stands_in_for_the_configured_one)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A", .bank = "", .width = 64, .speed = 1600 });
	dmi_end();
	parse();
	check_equal(type.speed_mt_per_s, 1600);
}

test(extended_speeds_count_where_the_word_says_so)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A", .bank = "", .width = 64, .configured = 0xffff, .extended = 70000 });
	dmi_end();
	parse();
	check_equal(type.speed_mt_per_s, 70000);
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A", .bank = "", .width = 64, .configured = 0xffff, .extended = 70000, .length = 0x22 });
	dmi_end();
	parse();
	check_equal(type.bound_bytes_per_s, 0); /* an older structure has no such field */
}

test(largest_width_and_speed_make_the_bound)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A", .bank = "", .width = 32, .configured = 2400 });
	dmi_module(&(struct dmi_module){ .locator = "B", .bank = "", .width = 64, .configured = 2133 });
	dmi_end();
	parse();
	check_equal(type.bound_bytes_per_s, 2 * 8 * 2400000000ull);
}

/* One module of which nobody knows how fast it is: a sum over the others would be too low a bound. */
static void parse_with(struct dmi_module odd)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "A", .bank = "", .width = 64, .configured = 2400 });
	dmi_module(&odd);
	dmi_end();
	parse();
}

test(module_that_tells_too_little_leaves_no_bound)
{
	static const struct dmi_module odd[] = {
		{ .locator = "B", .bank = "", .width = 0xffff, .configured = 2400 },
		{ .locator = "B", .bank = "", .width = 0, .configured = 2400 },
		{ .locator = "B", .bank = "", .width = 63, .configured = 2400 },
		{ .locator = "B", .bank = "", .width = 64 },
		{ .locator = "B", .bank = "", .width = 64, .configured = 0xffff, .extended = 0x7fffffff },
	};

	for (unsigned i = 0; i < COUNT_OF(odd); i++) {
		parse_with(odd[i]);
		check_equal(type.modules, 2);
		check_equal(type.bound_bytes_per_s, 0);
		check_equal(type.width_bits, 0);
		check_string(type.text, "");
	}
}

test(empty_table_tells_nothing)
{
	parse_exactly(dmi, 0);
	check_equal(type.modules, 0);
	check_equal(type.bound_bytes_per_s, 0);
	dmi_start();
	dmi_end();
	parse();
	check_equal(type.modules, 0);
}

test(table_cut_anywhere_tells_nothing)
{
	dmi_two_channels();
	for (size_t bytes = 0; bytes < dmi_bytes; bytes++) {
		parse_exactly(dmi, bytes);
		check_equal(type.modules, 0);
		check_equal(type.bound_bytes_per_s, 0);
	}
}

test(structure_longer_than_the_table_or_shorter_than_its_header)
{
	dmi_two_channels();
	for (unsigned length = 0; length < 4; length++) {
		dmi[1] = (uint8_t)length;
		parse();
		check_equal(type.modules, 0);
	}
	memset(dmi, 0xff, sizeof(dmi));
	parse_exactly(dmi, 100);
	check_equal(type.modules, 0);
}

test(string_numbers_that_do_not_exist_are_no_locators)
{
	dmi_start();
	dmi_module(&(struct dmi_module){ .locator = "", .bank = "", .width = 64, .configured = 2400 });
	dmi[dmi_bytes - 2 - 0x5c + 0x10] = 200;
	dmi_end();
	parse();
	check_equal(type.modules, 1);
	check_equal(type.channels, 1);
}

test(table_is_read_below_the_sysroot)
{
	tree_start();
	file_root(tree);
	memory_type_read(&type);
	check_equal(type.modules, 0);
	dmi_two_channels();
	tree_put_bytes("/sys/firmware/dmi/tables/DMI", (const char *)dmi, dmi_bytes);
	memory_type_read(&type);
	check_equal(type.channels, 2);
	file_root("");
	tree_end();
}

test(scrubbed_capture_has_no_table)
{
	char copies[64] = "/tmp/assay-unit.XXXXXX", path[128], command[96];

	tree_start();
	check(mkdtemp(copies) != NULL);
	dmi_two_channels();
	tree_put_bytes("/sys/firmware/dmi/tables/DMI", (const char *)dmi, dmi_bytes);
	file_root(tree);
	snprintf(path, sizeof(path), "%s/sys/firmware/dmi/tables/DMI", copies);
	check_equal(file_capture(copies, true), 0);
	memory_type_read(&type);
	check_equal(file_capture(NULL, false), 0);
	check_equal(type.channels, 2);
	check(access(path, F_OK) != 0);
	snprintf(command, sizeof(command), "rm -rf '%s'/*", copies);
	check_equal(system(command), 0);
	check_equal(file_capture(copies, false), 0);
	memory_type_read(&type);
	check_equal(file_capture(NULL, false), 0);
	check(access(path, F_OK) == 0);
	file_root("");
	tree_end();
	snprintf(command, sizeof(command), "rm -rf '%s'", copies);
	check_equal(system(command), 0);
}
