/* choose.c: a board file by name, by path, or by what the machine is. */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "run/choose.h"
#include "sys/call.h"
#include "sys/file.h"

const char *choose_name(unsigned index, const void *context)
{
	const struct embedded *embedded = board_embedded(index);

	(void)context;
	return embedded ? embedded->name : NULL;
}

static int parse_embedded(struct board *board, const struct embedded *embedded, char *fault, unsigned fault_size)
{
	char name[64];
	struct text text = TEXT(name);

	text_add_format(&text, "%s.json", embedded->name);
	int err = board_parse(board, name, embedded->json, embedded->size, fault, fault_size);
	if (!err)
		text_copy(board->source, sizeof board->source, "built in");
	return err;
}

int choose_file(struct board *board, const char *path, char *fault, unsigned fault_size)
{
	static char json[MAX_BOARD_BYTES + 2];
	ssize_t size = file_load(path, json, sizeof json);
	struct text text = text_in(fault, fault_size);

	if (size < 0) {
		text_add_format(&text, "board file %s: %s", path, sys_error((int)size));
		return -EINVAL;
	}
	return board_parse(board, path, json, (size_t)size, fault, fault_size);
}

static int by_name(struct board *board, const char *name, char *fault, unsigned fault_size)
{
	struct text text = text_in(fault, fault_size);
	const char *nearest;

	for (unsigned i = 0; board_embedded(i); i++)
		if (!strcmp(board_embedded(i)->name, name))
			return parse_embedded(board, board_embedded(i), fault, fault_size);
	nearest = text_nearest(name, choose_name, NULL);
	text_add_format(&text, "no board \"%s\"", name);
	if (nearest)
		text_add_format(&text, " (did you mean %s?)", nearest);
	text_add(&text, "; built in are");
	for (unsigned i = 0; board_embedded(i); i++)
		text_add_format(&text, " %s", board_embedded(i)->name);
	text_add(&text, "; a file is given by its path");
	return -EINVAL;
}

static int by_fit(struct board *board, const struct identity *identity, char *fault, unsigned fault_size)
{
	const struct embedded *best = NULL;
	unsigned best_fit = 0;

	for (unsigned i = 0; board_embedded(i); i++) {
		int err = parse_embedded(board, board_embedded(i), fault, fault_size);

		if (err)
			return err;
		if (board_fit(board, identity) > best_fit) {
			best_fit = board_fit(board, identity);
			best = board_embedded(i);
		}
	}
	if (best)
		return parse_embedded(board, best, fault, fault_size);
	struct text text = text_in(fault, fault_size);
	text_add_format(&text, "no built-in board file fits this machine (%s): give one with --board FILE", identity->arch);
	return -EINVAL;
}

int choose_board(struct board *board, const char *wanted, const struct identity *identity, char *fault, unsigned fault_size)
{
	if (!*wanted)
		return by_fit(board, identity, fault, fault_size);
	if (strchr(wanted, '/') || text_ends(wanted, ".json"))
		return choose_file(board, wanted, fault, fault_size);
	return by_name(board, wanted, fault, fault_size);
}
