/*
 * json.c: the JSON parser against generated and mutated texts: json SEED COUNT [dump]
 *
 * Whatever the text, the parser must return 0 or -EINVAL and name a place inside the text when it refuses.  What it
 * accepts must survive being written anew by the reading and writing functions, twice to the same bytes, and must be
 * refused once it lacks its last bracket or is put into any of the wrong texts that jsmn alone would let pass.
 * With dump, each text is also printed in hex behind `+` (accepted) or `-`, for a judgement by someone else's parser.
 * The text lies in a heap block of its exact size, so that the address sanitizer sees a read beyond it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/random.h"

enum { TEXT_MAX = 16384, GENERATED_DEPTH = 6 };

static struct random source;
static struct json json;
static char bytes[TEXT_MAX];
static struct text made; /* in bytes; not always ended by a NUL that counts */

static unsigned below(size_t bound)
{
	return (unsigned)random_below(&source, bound);
}

/* ---- making texts ---- */

static const char *const scalars[] = { "0", "-0", "12", "1.5", "-1.5e3", "1E+2", "true", "false", "null", "18446744073709551616",
	"\"\"", "\"a\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"{[,:]}\"" };
static const char *const spaces[] = { "", "", "", " ", "\n", "\r\n", "\t" };

static void add_space(void)
{
	text_add(&made, spaces[below(COUNT_OF(spaces))]);
}

static void add_value(unsigned depth);

static void add_elements(unsigned depth, bool keyed)
{
	for (unsigned i = 0, count = below(4); i < count; i++) {
		text_add(&made, i ? "," : "");
		add_space();
		if (keyed)
			text_add_format(&made, "\"k%u\":", below(64) ? i : 0);
		add_value(depth + 1);
		add_space();
	}
}

static void add_value(unsigned depth)
{
	unsigned kind = depth < GENERATED_DEPTH ? below(4) : 0;

	add_space();
	if (kind < 2) {
		text_add(&made, scalars[below(COUNT_OF(scalars))]);
		return;
	}
	text_add(&made, kind == 2 ? "[" : "{");
	add_elements(depth, kind == 3);
	text_add(&made, kind == 2 ? "]" : "}");
}

static void put(size_t at, size_t removed, const char *from, size_t count)
{
	char copy[64];

	count = count > sizeof(copy) ? sizeof(copy) : count;
	if (made.length - removed + count >= TEXT_MAX)
		return;
	memcpy(copy, from, count);
	memmove(bytes + at + count, bytes + at + removed, made.length - at - removed);
	memcpy(bytes + at, copy, count);
	made.length = made.length - removed + count;
}

static void mutate(void)
{
	static const char *const words[] = { "{", "}", "[", "]", ",", ":", "\"", "\\", "tru", "nulll", "01", "1.", ".5", "+1", "1e", "-",
		"\\ud800", "\\udc00", "\\u12", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xef\xbb\xbf", "\x01", "\x7f", "/**/", "'a'", "NaN",
		"[[[[[[[[[[[[[[[[", "]]]]]]]]]]]]]]]]", "{\"a\":1,\"a\":2}", " 1" };
	size_t at = below(made.length + 1), rest = made.length - at, length = below((rest < 12 ? rest : 12) + 1);
	const char *word = words[below(COUNT_OF(words))];
	char byte = (char)below(256);

	switch (below(5)) {
	case 0: put(at, rest != 0, &byte, 1); break;
	case 1: put(at, length, "", 0); break;
	case 2: put(below(made.length + 1), 0, bytes + at, length); break;
	case 3: put(at, 0, word, strlen(word)); break;
	case 4: made.length = at; break;
	}
}

/* ---- judging the parser ---- */

static int fail(const char *what, const char *fault)
{
	fprintf(stderr, "%s: %s\n", what, fault);
	fwrite(bytes, 1, made.length, stderr);
	fputc('\n', stderr);
	return 1;
}

static int parse(const char *text, size_t size, char *fault, size_t fault_size)
{
	static char *block;

	free(block); /* the last text: its tokens are read until the next one */
	block = malloc(size ? size : 1);
	memcpy(block, text, size);
	return json_parse(&json, "f", block, size, fault, fault_size);
}

static void write_anew(struct text *to, int token)
{
	const jsmntok_t *at = &json.tokens[token];
	enum json_type type = json_type(&json, token);
	char string[TEXT_MAX];

	if (type == JSON_STRING && json_string(&json, token, string, sizeof(string)) == 0) {
		json_add_string(to, string);
		return;
	}
	if (type != JSON_OBJECT && type != JSON_ARRAY) {
		bool quoted = type == JSON_STRING;

		text_add_bytes(to, json.text + at->start - quoted, (size_t)(at->end - at->start) + 2 * quoted);
		return;
	}
	text_add(to, type == JSON_OBJECT ? "{" : "[");
	for (int next = json_first(&json, token); next >= 0; next = json_next(&json, next)) {
		json_add_separator(to);
		write_anew(to, next);
		if (type == JSON_OBJECT) {
			text_add(to, ":");
			write_anew(to, json_value(&json, next));
		}
	}
	text_add(to, type == JSON_OBJECT ? "}" : "]");
}

static int lives_again(void)
{
	static char first[8 * TEXT_MAX], second[8 * TEXT_MAX];
	struct text once = TEXT(first), twice = TEXT(second);
	int count = json.count;
	char fault[200];

	write_anew(&once, 0);
	if (parse(first, once.length, fault, sizeof(fault)) || json.count != count)
		return fail("what was written anew is refused or another", fault);
	write_anew(&twice, 0);
	return strcmp(first, second) ? fail("what was written anew changes", second) : 0;
}

/* The faults that jsmn alone lets pass, with a good value at each %. */
static const char *const wrongs[] = { "{\"a\":%,}", "[%,]", "[%,,%]", "{%}", "{\"a\"}", "{\"a\":% \"b\":%}", "[% %]", "[01,%]", "[%,tru]",
	"[\"a\":%]", "% %", "{} %", "{\"a\":%,\"a\":%}", "{\"a\":%,\"\\u0061\":%}", "[%", "%]", "{\"a\":%]", "[%}", "[%,1.]", "[%,\"\\ud800\"]",
	"[%,\"\\x\"]", "[%,\"\t\"]" };

static int is_refused_inside(const char *wrong)
{
	static char whole[4 * TEXT_MAX];
	struct text text = TEXT(whole);
	char fault[200];

	for (; *wrong; wrong++) {
		if (*wrong == '%')
			text_add_bytes(&text, bytes, made.length);
		else
			text_add_bytes(&text, wrong, 1);
	}
	return parse(whole, text.length, fault, sizeof(fault)) == -EINVAL ? 0 : fail("accepted inside", whole);
}

static int accepted_is_sound(void)
{
	char fault[200];
	bool bare = json_type(&json, 0) != JSON_OBJECT && json_type(&json, 0) != JSON_ARRAY;
	size_t mark = made.length - json.size, end = mark + (size_t)json.tokens[0].end;

	if (lives_again())
		return 1;
	if (!bare && parse(bytes, end - 1, fault, sizeof(fault)) != -EINVAL)
		return fail("accepted without its end", "");
	for (unsigned i = 0; i < COUNT_OF(wrongs); i++)
		if (is_refused_inside(wrongs[i]))
			return 1;
	return 0;
}

static unsigned lines_of(void)
{
	unsigned lines = 1;

	for (size_t i = 0; i < made.length; i++)
		lines += bytes[i] == '\n';
	return lines;
}

static int try(bool dump, unsigned *accepted)
{
	char fault[200] = "";
	unsigned line, column;
	int result = parse(bytes, made.length, fault, sizeof(fault));

	if (dump) {
		putchar(result ? '-' : '+');
		for (size_t i = 0; i < made.length; i++)
			printf("%02x", (unsigned char)bytes[i]);
		putchar('\n');
	}
	if (result != 0 && result != -EINVAL)
		return fail("neither 0 nor -EINVAL", fault);
	if (result)
		return sscanf(fault, "f:%u:%u: ", &line, &column) == 2 && line && line <= lines_of() && column &&
		       column <= made.length + 1 ? 0 : fail("a fault without its place", fault);
	++*accepted;
	return accepted_is_sound();
}

int main(int argc, char **argv)
{
	unsigned accepted = 0, count = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	random_seed(&source, argc > 1 ? strtoull(argv[1], NULL, 0) : 0);
	for (unsigned i = 0; i < count; i++) {
		made = TEXT(bytes);
		add_value(0);
		for (unsigned n = below(4); n; n--)
			mutate();
		if (try(argc > 3, &accepted))
			return 1;
	}
	fprintf(stderr, "%u texts, %u accepted\n", count, accepted);
	return !accepted || accepted == count;
}
