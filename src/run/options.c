/* options.c: the table of the common options. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "run/options.h"

struct option {
	const char *name, *value, *help;
	size_t offset;   /* of a const char * in struct options; sets have none */
	bool is_word;    /* of the record: at most 63 bytes */
};

#define AT(field) offsetof(struct options, field)
#define MANY ((size_t)-1)
#define LATER ((size_t)-2)

static const struct option table[] = {
	{ "board", "NAME|FILE", "board file; default: the built-in one that fits", AT(board), false },
	{ "level", "short|medium|long", "how much is measured (short)", AT(level_word), false },
	{ "only", "STEP,...", "these steps only; the run is partial", AT(only), false },
	{ "skip", "STEP,...", "all but these; the run is partial", AT(skip), false },
	{ "set", "STEP.PARAM=VALUE", "a step's parameter; may stand several times", MANY, false },
	{ "record", "FILE", "writes the record, OCP JSONL", AT(record), false },
	{ "format", "text|jsonl|ktap", "standard output (text); of `assay block` fio-json, of `assay net` iperf3-json, too", AT(format_word), false },
	{ "scratch", "DEV|FILE|auto", "may be overwritten: a file, a partition named assay-scratch, or auto", AT(scratch), false },
	{ "destroy", "SERIAL", "gives up what is on the device to be written: the serial number of its drive", AT(destroy), false },
	{ "peer", "HOST", "the other end of the network steps: `assay serve`, or an iperf3 server", AT(peer), false },
	{ "sysroot", "DIR", "reads /proc and /sys from there: a simulated run, never PASS", AT(sysroot), false },
	{ "station", "ID", "for the record", AT(station), true },
	{ "operator", "ID", "for the record", AT(operator), true },
	{ "serial", "SN", "the board's serial number, where it does not tell it itself", AT(serial), true },
	{ "seed", "N", "of random orders and places (never of a nonce)", AT(seed_word), false },
	{ "slack", "TIME", "what a step may take beyond twice its plan before it is ended (30s)", AT(slack_word), false },
	{ "kernel-log", "FILE", "for tests: read in place of the kernel's log; the run is simulated", AT(kernel_log), false },
	{ "lock", "", "", LATER, false },
};

static const struct option *find(const char *name, size_t length)
{
	for (unsigned i = 0; i < COUNT_OF(table); i++)
		if (strlen(table[i].name) == length && !memcmp(table[i].name, name, length))
			return &table[i];
	return NULL;
}

static void defaults(struct options *options)
{
	memset(options, 0, sizeof *options);
	for (unsigned i = 0; i < COUNT_OF(table); i++)
		if (table[i].offset < LATER)
			*(const char **)(void *)((char *)options + table[i].offset) = "";
	options->slack_ns = SECONDS(30);
}

__attribute__((format(printf, 3, 4))) static int fault_of(char *fault, unsigned size, const char *format, ...)
{
	struct text out = text_in(fault, size);
	va_list args;

	va_start(args, format);
	text_add_vformat(&out, format, args);
	va_end(args);
	return -EINVAL;
}

static int add_set(struct options *options, const char *word, char *fault, unsigned size)
{
	char *copy, *equals, *dot;

	if (options->set_count == MAX_SETS)
		return fault_of(fault, size, "--set %s: more than 32 of them", word);
	copy = options->set_words[options->set_count];
	if (!text_copy(copy, sizeof options->set_words[0], word))
		return fault_of(fault, size, "--set %s: too long", word);
	equals = strchr(copy, '=');
	if (equals)
		*equals = 0;
	dot = strrchr(copy, '.');
	if (!equals || !dot)
		return fault_of(fault, size, "--set %s: not STEP.PARAM=VALUE, such as block.read.bs=4k", word);
	*dot = 0;
	options->sets[options->set_count++] = (struct setting){ copy, dot + 1, equals + 1 };
	return 0;
}

static int put(struct options *options, const struct option *option, const char *value, char *fault, unsigned size)
{
	if (!*value)
		return fault_of(fault, size, "--%s is empty: leave it out, or give %s", option->name, option->value);
	if (option->is_word && strlen(value) > 63)
		return fault_of(fault, size, "--%s is longer than 63 bytes", option->name);
	if (option->offset == MANY)
		return add_set(options, value, fault, size);
	*(const char **)(void *)((char *)options + option->offset) = value;
	return 0;
}

/* Every name that the command takes, for the nearest one: the common options, then its steps' parameters. */
static const char *any_name(unsigned index, const void *context)
{
	const struct step *const *own = context;

	if (index < COUNT_OF(table))
		return table[index].name;
	index -= COUNT_OF(table);
	for (; own && *own; own++)
		for (const struct param *param = (*own)->params; param && param->type; param++)
			if (!index--)
				return param->name;
	return NULL;
}

static int unknown(const char *word, size_t length, const struct step *const *own, char *fault, unsigned size)
{
	char name[48];
	struct text text = TEXT(name), out = text_in(fault, size);
	const char *nearest;

	text_add_bytes(&text, word, length);
	nearest = text_nearest(name, any_name, own);
	text_add_format(&out, "unknown option --%s", name);
	if (nearest)
		text_add_format(&out, " (did you mean --%s?)", nearest);
	return -EINVAL;
}

static int word_of(const char *const *words, unsigned count, const char *word)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			return (int)i;
	return *word ? -EINVAL : 0;
}

static int check_words(struct options *options, char *fault, unsigned size)
{
	static const char *const levels[] = { "short", "medium", "long" };
	static const char *const formats[] = { "text", "jsonl", "ktap", "fio-json", "iperf3-json" };
	int level = word_of(levels, COUNT_OF(levels), options->level_word);
	int format = word_of(formats, COUNT_OF(formats), options->format_word);

	if (level < 0)
		return fault_of(fault, size, "--level %s: not short, medium or long", options->level_word);
	if (format < 0)
		return fault_of(fault, size, "--format %s: not text, jsonl, ktap, fio-json or iperf3-json", options->format_word);
	options->level = (enum level)level;
	options->format = (enum format)format;
	if (*options->seed_word && number_parse(options->seed_word, &options->seed))
		return fault_of(fault, size, "--seed %s: not a whole number", options->seed_word);
	if (*options->slack_word && (number_parse_duration(options->slack_word, &options->slack_ns) || options->slack_ns > SECONDS(86400)))
		return fault_of(fault, size, "--slack %s: not a time such as 30s, at most a day", options->slack_word);
	if (*options->only && *options->skip)
		return fault_of(fault, size, "--only and --skip exclude each other");
	return 0;
}

/* The steps' parameter of that name, and which step's it is. */
static const struct param *find_own(const struct step *const *own, const char *name, size_t length, const struct step **step)
{
	for (; own && *own; own++)
		for (const struct param *param = (*own)->params; param && param->type; param++)
			if (strlen(param->name) == length && !memcmp(param->name, name, length)) {
				*step = *own;
				return param;
			}
	return NULL;
}

static int put_own(struct options *options, const struct step *step, const struct param *param, const char *value, char *fault, unsigned size)
{
	if (!*value)
		return fault_of(fault, size, "--%s is empty: leave it out, or give %s", param->name, param->help);
	if (options->set_count == MAX_SETS)
		return fault_of(fault, size, "--%s: more than %d settings", param->name, MAX_SETS);
	options->sets[options->set_count++] = (struct setting){ step->name, param->name, value };
	return 0;
}

/* `--name value`, `--name=value` or a bare flag; *i is left on the last word used. */
static int read_option(struct options *options, const struct step *const *own, int count, char **words, int *i, char *fault, unsigned size)
{
	const char *name = words[*i] + 2, *equals = strchr(name, '='), *value;
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *option = find(name, length);
	const struct step *step = NULL;
	const struct param *param = option ? NULL : find_own(own, name, length, &step);

	if (!option && !param)
		return unknown(name, length, own, fault, size);
	if (option && option->offset == LATER)
		return fault_of(fault, size, "--%s is not in this version", option->name);
	if (param && param->flag && !equals)
		return put_own(options, step, param, param->flag, fault, size);
	if (!equals && ++*i == count)
		return fault_of(fault, size, "--%s needs a value: %s", name, option ? option->value : param->help);
	value = equals ? equals + 1 : words[*i];
	return option ? put(options, option, value, fault, size) : put_own(options, step, param, value, fault, size);
}

int options_parse(struct options *options, const struct step *const *own, int count, char **words, const char **others,
                  unsigned other_size, unsigned *other_count, char *fault, unsigned fault_size)
{
	defaults(options);
	*other_count = 0;
	for (int i = 0; i < count; i++) {
		int err = 0;

		if (words[i][0] == '-' && words[i][1] == '-' && words[i][2])
			err = read_option(options, own, count, words, &i, fault, fault_size);
		else if (words[i][0] == '-' || *other_count == other_size)
			err = fault_of(fault, fault_size, "unexpected word \"%s\"", words[i]);
		else
			others[(*other_count)++] = words[i];
		if (err)
			return err;
	}
	return check_words(options, fault, fault_size);
}

void options_help(struct text *text)
{
	for (unsigned i = 0; i < COUNT_OF(table); i++) {
		char left[48];
		struct text l = TEXT(left);

		if (table[i].offset == LATER)
			continue;
		text_add_format(&l, "--%s %s", table[i].name, table[i].value);
		text_add_format(text, "  %-26s %s\n", left, table[i].help);
	}
}
