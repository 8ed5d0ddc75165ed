/* last_line.c: writing and checking the last line. */
#include <string.h>

#include "lib/crc32c.h"
#include "lib/number.h"
#include "lib/text.h"
#include "run/last_line.h"

static const char mark[] = " crc32c=";

/* White space in a name would make the line ambiguous. */
static void add_word(struct text *text, const char *word)
{
	if (!*word)
		word = "none";
	for (; *word; word++)
		text_add_bytes(text, (unsigned char)*word > ' ' && (unsigned char)*word < 127 ? word : "_", 1);
}

void last_line_write(struct text *text, enum verdict verdict, const char *board, const char *serial,
                     const struct tally *tally, const char *record)
{
	size_t start = text->length;

	text_add_format(text, "assay: %s board=", verdict_word(verdict));
	add_word(text, board);
	text_add(text, " serial=");
	add_word(text, serial);
	text_add_format(text, " steps=%u figures=%u failed=%u errors=%u warned=%u unjudged=%u partial=%s record=%s", tally->steps,
	                tally->figures, tally->failed, tally->errors, tally->warned, tally->unjudged,
	                tally->simulated ? "simulated" : tally->partial ? "yes" : "no", record);
	text_add_format(text, "%s%08x", mark, crc32c(0, text->at + start, text->length - start));
}

bool last_line_read(const char *line, enum verdict *verdict)
{
	const char *crc = text_find(line, mark);
	uint64_t told;

	if (!text_starts(line, "assay: ") || !crc || strlen(crc) != strlen(mark) + 8)
		return false;
	if (number_parse_hex(crc + strlen(mark), &told) || told != crc32c(0, line, (size_t)(crc - line)))
		return false;
	for (enum verdict v = VERDICT_PASS; v <= VERDICT_INTERRUPTED; v++) {
		size_t n = strlen(verdict_word(v));
		if (!strncmp(line + 7, verdict_word(v), n) && line[7 + n] == ' ') {
			*verdict = v;
			return true;
		}
	}
	return false;
}
