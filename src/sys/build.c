/* build.c: see build.h.  Method: elf(5), the notes that the program headers point to. */
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/build.h"

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

/* The linker's name for where the file begins in memory; the notes lie in the same segment, as far behind it as in the file. */
extern const uint8_t __ehdr_start[];

const char *build_id(void)
{
	const ElfW(Ehdr) *header = (const void *)__ehdr_start;
	const ElfW(Phdr) *parts = (const void *)(__ehdr_start + header->e_phoff);

	for (unsigned i = 0; i < header->e_phnum && !*hex; i++)
		if (parts[i].p_type == PT_NOTE)
			read_notes(__ehdr_start + parts[i].p_offset, parts[i].p_memsz);
	return hex;
}
