/* claims.c: see claims.h. */
#include <string.h>

#include "lib/text.h"
#include "report/claims.h"

enum { INDENT = 6, VERDICT_WIDTH = 14, WORDS_WIDTH = 38, GAP = 2,
       EVIDENCE_WIDTH = CLAIMS_WIDTH - INDENT - VERDICT_WIDTH - WORDS_WIDTH - 2 * GAP };

void claims_split(const struct event *event, struct claim_text *claim)
{
	char *newline;

	text_copy(claim->bytes, sizeof claim->bytes, event->message);
	newline = strchr(claim->bytes, '\n');
	claim->verdict = claim_word(event->aux <= CLAIM_NOT_COMPARABLE ? (enum claim)event->aux : CLAIM_CANNOT_TELL);
	claim->words = claim->bytes;
	claim->evidence = newline ? newline + 1 : "";
	if (newline)
		*newline = 0;
	for (char *at = (char *)claim->evidence; *at; at++)
		if ((unsigned char)*at < ' ')
			*at = ' ';
}

/* The next line of *at, at most width bytes, broken between words where there are any. */
static unsigned take_line(const char **at, unsigned width, const char **line)
{
	unsigned length, end;

	while (**at == ' ')
		++*at;
	*line = *at;
	length = (unsigned)strnlen(*at, width + 1);
	if (length > width) {
		for (length = width; length && (*at)[length] != ' '; length--)
			;
		if (!length)
			length = width;
	}
	*at += length;
	for (end = length; end && (*line)[end - 1] == ' '; end--)
		;
	return end;
}

static int put_claim(struct output *output, const char *verdict, const char *words, const char *evidence)
{
	char buffer[160];
	int err = 0;

	do {
		struct text text = TEXT(buffer);
		const char *left, *right;
		unsigned left_bytes = take_line(&words, WORDS_WIDTH, &left), right_bytes = take_line(&evidence, EVIDENCE_WIDTH, &right);

		text_add_format(&text, "%*s%-*s", INDENT, "", VERDICT_WIDTH + GAP, verdict);
		text_add_format(&text, "%.*s", (int)left_bytes, left);
		if (right_bytes)
			text_add_format(&text, "%*s%.*s", (int)(WORDS_WIDTH - left_bytes) + GAP, "", (int)right_bytes, right);
		text_add(&text, "\n");
		err = output->write(output, text.at, text.length);
		verdict = "";
	} while (!err && (*words || *evidence));
	return err;
}

int claims_put(struct output *output, const struct claim_text *claims, unsigned count)
{
	int err = count ? put_claim(output, "verdict", "claim", "evidence") : 0;

	for (unsigned i = 0; i < count && !err; i++)
		err = put_claim(output, claims[i].verdict, claims[i].words, claims[i].evidence);
	return err;
}
