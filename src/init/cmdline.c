/* cmdline.c: see cmdline.h.  Pure: text in, words out. */
#include <stdbool.h>
#include <string.h>

#include "init/cmdline.h"
#include "lib/number.h"
#include "lib/text.h"

#define PREFIX "assay."

static void fault(struct cmdline *cmdline, const char *word, const char *what)
{
	struct text text;

	if (cmdline->fault[0])
		return;
	text = TEXT(cmdline->fault);
	text_add_format(&text, "%.100s: %s", word, what);
}

void cmdline_clear(struct cmdline *cmdline)
{
	static char name[] = "run";

	memset(cmdline, 0, sizeof(*cmdline));
	cmdline->argv[0] = name;
	cmdline->argc = 1;
}

/* Keeps `--` and the part of word behind the prefix as an option of the command. */
static void add_option(struct cmdline *cmdline, const char *word)
{
	struct text option = text_in(cmdline->bytes + cmdline->used, sizeof(cmdline->bytes) - cmdline->used);

	text_add(&option, "--");
	text_add(&option, word + strlen(PREFIX));
	for (unsigned i = 1; i < cmdline->argc; i++)
		if (!strcmp(cmdline->argv[i], option.at))
			return;
	if (cmdline->argc == CMDLINE_WORDS || option.cut || option.length + 1 >= option.size) {
		fault(cmdline, word, "too many words of assay on the kernel's command line");
		return;
	}
	cmdline->argv[cmdline->argc++] = option.at;
	cmdline->used += option.length + 1;
}

/* Adds what the word says to a list of that size. */
static void add_to_list(struct cmdline *cmdline, char *list, size_t size, const char *word, const char *value, const char *too_many)
{
	size_t used = strlen(list);
	struct text text = text_in(list + used, size - used);

	text_add_format(&text, "%s%s", used ? "," : "", value);
	if (text.cut)
		fault(cmdline, word, too_many);
}

/* The kernel hands some words over twice. */
static void add_address(struct cmdline *cmdline, const char *word, const char *value)
{
	if (!text_in_list(cmdline->ip, ',', value))
		add_to_list(cmdline, cmdline->ip, sizeof(cmdline->ip), word, value, "too many addresses");
}

static void set_server(struct cmdline *cmdline, const char *word)
{
	static char name[] = "serve";

	if (strchr(word, '='))
		fault(cmdline, word, "has no value; the server's options are words of their own, assay.idle-timeout=60s for example");
	cmdline->serves = true;
	cmdline->argv[0] = name;
}

static void set_end(struct cmdline *cmdline, const char *word, const char *value)
{
	static const char *const ends[] = { [END_POWEROFF] = "poweroff", [END_HALT] = "halt", [END_REBOOT] = "reboot" };

	for (unsigned i = END_POWEROFF; i <= END_REBOOT; i++) {
		if (!strcmp(value, ends[i])) {
			cmdline->end = i;
			return;
		}
	}
	fault(cmdline, word, "poweroff, halt or reboot is meant");
}

static bool is_key(const char *word, const char *key)
{
	return text_starts(word + strlen(PREFIX), key);
}

void cmdline_add_word(struct cmdline *cmdline, const char *word)
{
	const char *value = strchr(word, '=');

	if (!text_starts(word, PREFIX))
		return;
	value = value ? value + 1 : "";
	if (is_key(word, "result=")) {
		add_to_list(cmdline, cmdline->result, sizeof(cmdline->result), word, value, "too many devices");
	} else if (is_key(word, "ip=")) {
		add_address(cmdline, word, value);
	} else if (is_key(word, "gateway=")) {
		if (!text_copy(cmdline->gateway, sizeof(cmdline->gateway), value))
			fault(cmdline, word, "longer than any address");
	} else if (is_key(word, "serve") && strchr("=", word[strlen(PREFIX "serve")])) {
		set_server(cmdline, word);
	} else if (is_key(word, "wait=")) {
		if (number_parse_duration(value, &cmdline->wait_ns))
			fault(cmdline, word, "not a time such as 5s or 500ms");
	} else if (is_key(word, "end=")) {
		set_end(cmdline, word, value);
	} else {
		add_option(cmdline, word);
	}
}

/* Copies the word at text without its quotes, as the kernel does: a quote keeps spaces together wherever it is, and
 * is taken off at both ends of the word or of the value.  Returns what is behind the word. */
static const char *next_word(const char *text, char *word, size_t size)
{
	struct text out = text_in(word, size);
	const char *start = text, *value = NULL;
	bool quoted = false;

	for (; *text && (quoted || *text != ' '); text++) {
		if (*text == '"')
			quoted = !quoted;
		if (*text == '=' && !value)
			value = text + 1;
	}
	if (*start == '"' || (value && *value == '"')) {
		const char *quote = *start == '"' ? start : value;
		const char *end = text - 1 > quote && text[-1] == '"' ? text - 1 : text;

		text_add_bytes(&out, start, quote - start);
		text_add_bytes(&out, quote + 1, end - quote - 1);
	} else {
		text_add_bytes(&out, start, text - start);
	}
	return text;
}

void cmdline_add(struct cmdline *cmdline, const char *text)
{
	static char word[CMDLINE_BYTES];

	if (strlen(text) >= sizeof(word)) {
		fault(cmdline, "/proc/cmdline", "longer than 4095 bytes");
		return;
	}
	while (*text) {
		if (strchr(" \n\t", *text)) {
			text++;
			continue;
		}
		text = next_word(text, word, sizeof(word));
		cmdline_add_word(cmdline, text_trim(word));
	}
}
