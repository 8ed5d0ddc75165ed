/* sys_dmi.h: made-up DMI tables for the tests of sys/memory_type.c: type 17 as DSP0134 3.3 has it, 0x5c bytes long. */
#ifndef SYS_DMI_H
#define SYS_DMI_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static uint8_t dmi[4096];
static size_t dmi_bytes;

struct dmi_module {
	const char *locator, *bank;
	unsigned width, configured, speed, extended, array, length; /* length 0: all */
	bool is_empty;
};

static inline void dmi_start(void)
{
	static const uint8_t bios[] = { 0, 4, 0, 0, 'B', 0, 'C', 0, 0 };

	memcpy(dmi, bios, sizeof(bios));
	dmi_bytes = sizeof(bios);
}

static inline void dmi_put(uint8_t *at, unsigned value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static inline void dmi_string(const char *string)
{
	memcpy(dmi + dmi_bytes, string, strlen(string) + 1);
	dmi_bytes += strlen(string) + 1;
}

static inline void dmi_module(const struct dmi_module *module)
{
	unsigned length = module->length ? module->length : 0x5c;
	uint8_t *at = dmi + dmi_bytes;

	memset(at, 0, 0x5c);
	at[0] = 17;
	at[1] = (uint8_t)length;
	dmi_put(at + 0x04, module->array, 2);
	dmi_put(at + 0x0a, module->width, 2);
	dmi_put(at + 0x0c, module->is_empty ? 0 : 8192, 2);
	at[0x10] = *module->locator ? 1 : 0;
	at[0x11] = !*module->bank ? 0 : *module->locator ? 2 : 1;
	dmi_put(at + 0x15, module->speed, 2);
	dmi_put(at + 0x20, module->configured, 2);
	dmi_put(at + 0x58, module->extended, 4);
	dmi_bytes += length;
	if (*module->locator)
		dmi_string(module->locator);
	if (*module->bank)
		dmi_string(module->bank);
	if (!*module->locator && !*module->bank)
		dmi[dmi_bytes++] = 0;
	dmi[dmi_bytes++] = 0;
}

static inline void dmi_end(void)
{
	static const uint8_t end[] = { 127, 4, 0xff, 0xff, 0, 0 };

	memcpy(dmi + dmi_bytes, end, sizeof(end));
	dmi_bytes += sizeof(end);
}

static inline void dmi_two_channels(void)
{
	static const char *const locators[] = { "ChannelA-DIMM0", "ChannelA-DIMM1", "ChannelB-DIMM0", "ChannelB-DIMM1" };
	static const char *const banks[] = { "BANK 0", "BANK 1", "BANK 2", "BANK 3" };

	dmi_start();
	for (unsigned i = 0; i < 4; i++)
		dmi_module(&(struct dmi_module){ .locator = locators[i], .bank = banks[i], .width = 64, .configured = 2400, .speed = 2666 });
	dmi_end();
}

#endif
