/* embedded.c: the board files that the build put into the binary (toolchain/embed). */
#include "board.h"

extern const struct embedded embedded_boards[];

const struct embedded *board_embedded(unsigned index)
{
	for (unsigned i = 0; i <= index; i++)
		if (!embedded_boards[i].name)
			return NULL;
	return &embedded_boards[index];
}
