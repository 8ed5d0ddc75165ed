/*
 * options.h: the options common to the commands, as one table: the same names serve on the command line (--level short,
 * --level=short), on the kernel's (assay.level=short), and make the help text.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "param.h"
#include "step/context.h"

enum format { FORMAT_TEXT, FORMAT_JSONL, FORMAT_KTAP, FORMAT_FIO_JSON, FORMAT_IPERF3_JSON };

struct options {
	const char *board, *only, *skip, *peer, *record, *scratch, *destroy, *sysroot, *station, *operator, *serial; /* "" when not given */
	const char *kernel_log;    /* for tests: a file in place of /dev/kmsg */
	const char *level_word, *format_word, *seed_word, *slack_word;
	enum level level;
	enum format format;
	uint64_t seed;
	uint64_t slack_ns;         /* what a step may take beyond what is planned */
	unsigned set_count;
	struct setting sets[MAX_SETS];
	char set_words[MAX_SETS][128]; /* what .sets points into */
};

/*
 * Reads the words behind the command.  A command's own options are the parameters of its steps (ended by NULL; NULL: none): they
 * become settings.  What is no option goes to others (at most other_size of them, counted in *other_count).
 * 0; or -EINVAL with one line in fault that names the word and the nearest right one.
 */
int options_parse(struct options *options, const struct step *const *own, int count, char **words, const char **others, unsigned other_size,
                  unsigned *other_count, char *fault, unsigned fault_size);

/* Writes the help lines of all options to text. */
struct text;
void options_help(struct text *text);

#endif
