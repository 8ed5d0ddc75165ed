/* seal.c: writing the closing lines of a record, and checking them. */
#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "report/line.h"
#include "report/seal.h"

enum { DIGITS = 64 };

static const char seal_key[] = ",\"seal\":\"";
static const char seal_name[] = "\"extension\":{\"name\":\"record.seal\",";
static const char zeros[DIGITS + 1] = "0000000000000000000000000000000000000000000000000000000000000000";

const char *seal_status(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
	case VERDICT_FAIL: return "COMPLETE";
	case VERDICT_MEASURED: return "SKIP";
	default: return "ERROR";
	}
}

const char *seal_result(enum verdict verdict)
{
	return verdict == VERDICT_PASS ? "PASS" : verdict == VERDICT_FAIL ? "FAIL" : "NOT_APPLICABLE";
}

static void sha256_text(const char *bytes, size_t size, char hex[65])
{
	struct sha256 sha;

	sha256_start(&sha);
	sha256_add(&sha, bytes, size);
	sha256_hex(&sha, hex);
}

static void write_closing(struct text *text, const struct run_end *end, unsigned step, uint64_t sequence)
{
	line_begin_step(text, sequence, end->time_ns, step);
	line_open(text, "testStepEnd");
	line_add_string(text, "status", "COMPLETE");
	line_end(text, 3);
	line_begin(text, sequence + 1, end->time_ns);
	line_open(text, "testRunArtifact");
	line_open(text, "testRunEnd");
	line_add_string(text, "status", seal_status(end->verdict));
	line_add_string(text, "result", seal_result(end->verdict));
	line_end(text, 3);
}

static void add_tally(struct text *text, const struct run_end *end)
{
	const struct tally *tally = end->tally;

	line_add_string(text, "verdict", verdict_word(end->verdict));
	line_add_number(text, "steps", tally->steps);
	line_add_number(text, "figures", tally->figures);
	line_add_number(text, "failed", tally->failed);
	line_add_number(text, "errors", tally->errors);
	line_add_number(text, "warned", tally->warned);
	line_add_number(text, "unjudged", tally->unjudged);
	line_add_number(text, "skipped", tally->skipped);
	line_add_bool(text, "partial", tally->partial);
	line_add_bool(text, "simulated", tally->simulated);
}

static void write_extension(struct text *text, const char *before_hex, const char *closing_hex, const struct run_end *end,
                            unsigned step, uint64_t sequence)
{
	size_t start = text->length;
	char hex[65];

	line_begin_step(text, sequence, end->time_ns, step);
	line_open(text, "extension");
	line_add_string(text, "name", "record.seal");
	line_open(text, "content");
	add_tally(text, end);
	line_add_string(text, "sha256", before_hex);
	line_add_string(text, "status", seal_status(end->verdict));
	line_add_string(text, "result", seal_result(end->verdict));
	line_add_number(text, "sequenceNumber", sequence + 2);
	line_add_string(text, "closing", closing_hex);
	line_add_string(text, "seal", zeros);
	line_end(text, 4);
	sha256_text(text->at + start, text->length - start, hex);
	memcpy(text_find(text->at + start, seal_key) + strlen(seal_key), hex, DIGITS);
}

void seal_write(struct text *text, const struct sha256 *before, const struct run_end *end, unsigned step, uint64_t *sequence)
{
	char closing[1024], closing_hex[65], before_hex[65];
	struct text tail = TEXT(closing);
	struct sha256 sha = *before;
	size_t start = text->length;

	line_begin_step(text, (*sequence)++, end->time_ns, step);
	line_open(text, "testStepStart");
	line_add_string(text, "name", "record.seal");
	line_end(text, 3);
	sha256_add(&sha, text->at + start, text->length - start);
	sha256_hex(&sha, before_hex);

	write_closing(&tail, end, step, *sequence + 1);
	sha256_text(closing, tail.length, closing_hex);
	write_extension(text, before_hex, closing_hex, end, step, *sequence);
	text_add(text, closing);
	*sequence += 3;
}

/* ---- checking ---- */

static int refuse(struct seal_check *check, const char *why)
{
	text_copy(check->fault, sizeof check->fault, why);
	return -EINVAL;
}

/* The line that starts n newlines before the end; NULL when there are fewer. */
static const char *line_from_end(const char *bytes, size_t size, unsigned n)
{
	const char *at = bytes + size;

	while (at > bytes)
		if (*--at == '\n' && at != bytes + size - 1 && !--n)
			return at + 1;
	return NULL;
}

static uint64_t count_lines(const char *bytes, size_t size)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	return lines;
}

/* Copies the value of `"key":"` or `"key":` in the seal's line. */
static bool field(const char *line, const char *key, char *to, size_t size)
{
	char quoted[40];
	struct text find = TEXT(quoted), out = text_in(to, size);
	const char *at;

	text_add_format(&find, "\"%s\":", key);
	at = text_find(line, quoted);
	if (!at)
		return false;
	at += strlen(quoted);
	at += *at == '"';
	text_add_bytes(&out, at, strcspn(at, "\",}"));
	return !out.cut;
}

static bool field_is(const char *line, const char *key, const char *hex)
{
	char found[72];

	return field(line, key, found, sizeof found) && !strcmp(found, hex);
}

/* The seal over its own line: with zeros in place of its digits. */
static bool seal_holds(char *line, size_t length)
{
	char *seal = text_find(line, seal_key), told[65], hex[65];

	if (!seal || strlen(seal) < strlen(seal_key) + DIGITS)
		return false;
	seal += strlen(seal_key);
	memcpy(told, seal, DIGITS);
	told[DIGITS] = 0;
	memcpy(seal, zeros, DIGITS);
	sha256_text(line, length, hex);
	memcpy(seal, told, DIGITS);
	return !strcmp(told, hex);
}

static bool verdict_follows(const char *line, const char *last, enum verdict *verdict)
{
	char word[16], want[160];
	struct text text = TEXT(want);

	if (!field(line, "verdict", word, sizeof word))
		return false;
	for (*verdict = VERDICT_PASS; strcmp(verdict_word(*verdict), word); (*verdict)++)
		if (*verdict == VERDICT_INTERRUPTED)
			return false;
	text_add_format(&text, "\"testRunEnd\":{\"status\":\"%s\",\"result\":\"%s\"}}}\n", seal_status(*verdict), seal_result(*verdict));
	return field_is(line, "status", seal_status(*verdict)) && field_is(line, "result", seal_result(*verdict)) &&
	       text_ends(last, want);
}

int seal_verify(const char *bytes, size_t size, struct seal_check *check)
{
	static char line[MAX_LINE];
	char hex[65], last[512];
	struct text text = TEXT(line), end = TEXT(last);
	const char *seal, *closing;

	*check = (struct seal_check){ .lines = count_lines(bytes, size) };
	sha256_text(bytes, size, check->sha256);
	if (!size || bytes[size - 1] != '\n')
		return refuse(check, "the last line is cut off, or the file is empty");
	seal = line_from_end(bytes, size, 3);
	closing = line_from_end(bytes, size, 2);
	if (!seal)
		return refuse(check, "fewer lines than a sealed record has");
	text_add_bytes(&text, seal, (size_t)(closing - seal));
	if (text.cut || strlen(line) != text.length || !text_find(line, seal_name))
		return refuse(check, "the third line from the end is not record.seal: the record is unfinished, or lines were cut off or added");
	if (!seal_holds(line, text.length))
		return refuse(check, "the seal's own line was changed");
	sha256_text(bytes, (size_t)(seal - bytes), hex);
	if (!field_is(line, "sha256", hex))
		return refuse(check, "a line before the seal was changed, added or lost");
	sha256_text(closing, size - (size_t)(closing - bytes), hex);
	if (!field_is(line, "closing", hex))
		return refuse(check, "a line behind the seal was changed: the verdict cannot be trusted");
	text_add_bytes(&end, line_from_end(bytes, size, 1), (size_t)(bytes + size - line_from_end(bytes, size, 1)));
	if (!verdict_follows(line, last, &check->verdict))
		return refuse(check, "the verdict in the seal is not the one that ends the record");
	return 0;
}
