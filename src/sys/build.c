/* build.c: see build.h.  Method: elf(5), the notes that the program headers point to. */
#include "build.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"

enum { MAX_ID_BYTES = 32 };

static char hex[2 * MAX_ID_BYTES + 1];

static size_t padded(size_t bytes)
{
	return (bytes + 3) & ~(size_t)3;
}

static void read_notes(const uint8_t *at, size_t bytes)
{
	ElfW(Nhdr) note;

	while (bytes >= sizeof(note)) {
		const uint8_t *id;
		size_t whole;
		memcpy(&note, at, sizeof(note));
		id = at + sizeof(note) + padded(note.n_namesz);
		whole = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (whole > bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(at + sizeof(note), "GNU", 4) &&
		    note.n_descsz <= MAX_ID_BYTES) {
			struct text text = TEXT(hex);
			number_add_hex(&text, id, note.n_descsz);
			return;
		}
		at += whole;
		bytes -= whole;
	}
}

/* The first object is the program itself. */
static int read_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			read_notes((const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz);
	return 1;
}

const char *build_id(void)
{
	if (!*hex)
		dl_iterate_phdr(read_program, NULL);
	return hex;
}
