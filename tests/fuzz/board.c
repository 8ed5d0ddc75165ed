/*
 * board.c: the board file parser against mutated board files: board SEED COUNT FILE...
 *
 * Whatever the text, the parser must return 0 or -EINVAL, name a line and a column when it refuses, keep every count
 * within its table and every string ended, and refuse what it accepts as soon as anything stands behind it.  The text
 * lies in a heap block of its exact size, so that the address sanitizer sees a read beyond it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "lib/random.h"

enum { TEXT_MAX = MAX_BOARD_BYTES };

static struct random source;
static struct board board;
static char text[TEXT_MAX];
static size_t size;

static size_t below(size_t bound)
{
	return (size_t)random_below(&source, bound);
}

static void put(size_t at, size_t removed, const char *bytes, size_t count)
{
	char copy[64];

	count = count > sizeof copy ? sizeof copy : count;
	if (size - removed + count > TEXT_MAX)
		return;
	memcpy(copy, bytes, count);
	memmove(text + at + count, text + at + removed, size - at - removed);
	memcpy(text + at, copy, count);
	size = size - removed + count;
}

static void mutate(void)
{
	static const char *const words[] = { "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "-1", "0", "1e999", "0.0001",
		"9223372036854775807", "18446744073709551616", "\\u0000", "\\ud800", "\xff", "\n", "\r\n", "\"min\":2,", "\"max\":null,",
		"[k=v]", "a.b", "[[[[[[[[", "\"limits\":{", "\xef\xbb\xbf", "|", "/" };
	size_t at = below(size), length = below(size - at < 40 ? size - at + 1 : 40);
	const char *word = words[below(COUNT_OF(words))];
	char byte = (char)below(256);

	switch (below(6)) {
	case 0: put(at, 1, &byte, 1); break;
	case 1: put(at, length, "", 0); break;
	case 2: put(below(size), 0, text + at, length); break;
	case 3: put(at, 0, word, strlen(word)); break;
	case 4: put(at, 1, word, strlen(word)); break;
	case 5: size = at + 1; break;
	}
	if (!size)
		text[size++] = '{';
}

static int fail(const char *what, const char *fault)
{
	fprintf(stderr, "%s: %s\n", what, fault);
	fwrite(text, 1, size, stderr);
	return 1;
}

#define ENDS(string) (memchr(string, 0, sizeof(string)) != NULL)

static bool is_sound(void)
{
	bool sound = board.sku_count <= MAX_SKUS && board.storage_count <= MAX_STORAGE && board.network_count <= MAX_NETWORK &&
	             board.stack_count <= MAX_STACKS && board.limit_count <= MAX_LIMITS && board.param_count <= MAX_BOARD_PARAMS &&
	             board.failure_count <= MAX_FAILURES && ENDS(board.name) && board.name[0] && ENDS(board.title);

	for (unsigned i = 0; sound && i < board.limit_count; i++)
		sound = ENDS(board.limits[i].metric) && board_limit(&board, board.limits[i].metric) == &board.limits[i];
	return sound;
}

/* With `behind` more bytes of garbage behind the text. */
static int parse(const char *garbage, char *fault, size_t fault_size)
{
	size_t more = strlen(garbage);
	char *block = malloc(size + more ? size + more : 1);
	int result;

	memcpy(block, text, size);
	memcpy(block + size, garbage, more);
	result = board_parse(&board, "f", block, size + more, fault, fault_size);
	free(block);
	return result;
}

static int try(unsigned *accepted)
{
	char fault[200] = "";
	unsigned line, column;
	int result = parse("", fault, sizeof fault);

	if (result != 0 && result != -EINVAL)
		return fail("neither 0 nor -EINVAL", fault);
	if (result)
		return sscanf(fault, "f:%u:%u: ", &line, &column) == 2 && line && column ? 0 : fail("a fault without its place", fault);
	++*accepted;
	if (!is_sound())
		return fail("accepted, and not sound", "");
	return parse("x", fault, sizeof fault) && parse("{}", fault, sizeof fault) && parse(",", fault, sizeof fault)
	       ? 0 : fail("accepted with garbage behind it", "");
}

static size_t load(const char *path, char *to)
{
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(to, 1, TEXT_MAX, file) : 0;

	if (file)
		fclose(file);
	return length;
}

int main(int argc, char **argv)
{
	static char original[TEXT_MAX];
	unsigned accepted = 0, count = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	if (argc < 4)
		return 2;
	random_seed(&source, strtoull(argv[1], NULL, 0));
	for (unsigned i = 0; i < count; i++) {
		size_t length = load(argv[3 + i % (unsigned)(argc - 3)], original);

		memcpy(text, original, length);
		size = length;
		for (size_t n = below(4) + !!i; n; n--)
			mutate();
		if (!size || try(&accepted))
			return 1;
	}
	printf("%u texts, %u accepted\n", count, accepted);
	return !accepted;
}
