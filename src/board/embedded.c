/* embedded.c: the board files that the build put into the binary, compressed as one (toolchain/embed). */
#include "board.h"
#include "lib/inflate.h"

/* The table, each json a part of the text; the text is there once it has been unpacked. */
extern const struct embedded embedded_boards[];
extern char embedded_text[], embedded_text_end[];
extern const char embedded_packed[], embedded_packed_end[];

static void unpack(void)
{
	static bool unpacked;

	if (!unpacked)
		inflate(embedded_packed, (size_t)(embedded_packed_end - embedded_packed), embedded_text,
		        (size_t)(embedded_text_end - embedded_text));
	unpacked = true;
}

const struct embedded *board_embedded(unsigned index)
{
	unpack();
	for (unsigned i = 0; i <= index; i++)
		if (!embedded_boards[i].name)
			return NULL;
	return &embedded_boards[index];
}
