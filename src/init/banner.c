/* banner.c: see banner.h.  The font has the letters that verdicts are made of. */
#include <stdint.h>

#include "init/banner.h"

enum { ROWS = 5, COLUMNS = 5 };

/* One octal digit pair a row, from the top; the bits are the columns, the highest is the left one. */
static const uint8_t font[26][ROWS] = {
	['A' - 'A'] = { 016, 021, 037, 021, 021 },
	['D' - 'A'] = { 036, 021, 021, 021, 036 },
	['E' - 'A'] = { 037, 020, 036, 020, 037 },
	['F' - 'A'] = { 037, 020, 036, 020, 020 },
	['I' - 'A'] = { 016, 004, 004, 004, 016 },
	['L' - 'A'] = { 020, 020, 020, 020, 037 },
	['M' - 'A'] = { 021, 033, 025, 021, 021 },
	['N' - 'A'] = { 021, 031, 025, 023, 021 },
	['O' - 'A'] = { 016, 021, 021, 021, 016 },
	['P' - 'A'] = { 036, 021, 036, 020, 020 },
	['R' - 'A'] = { 036, 021, 036, 022, 021 },
	['S' - 'A'] = { 017, 020, 016, 001, 036 },
	['T' - 'A'] = { 037, 004, 004, 004, 004 },
	['U' - 'A'] = { 021, 021, 021, 021, 016 },
};

static void add_row(struct text *text, const char *word, unsigned row)
{
	for (; *word; word++) {
		uint8_t bits = *word >= 'A' && *word <= 'Z' ? font[*word - 'A'][row] : 0;

		for (int column = COLUMNS - 1; column >= 0; column--)
			text_add(text, bits >> column & 1 ? "#" : " ");
		if (word[1])
			text_add(text, "  ");
	}
	text_add(text, "\n");
}

void banner_add(struct text *text, const char *word)
{
	text_add(text, "\n");
	for (unsigned row = 0; row < ROWS; row++)
		add_row(text, word, row);
	text_add(text, "\n");
}
