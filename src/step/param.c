/*
 * param.c: a step's parameter from its text: one value, a list `a,b,c`, or a range `lo:hi:*2` or `lo:hi:+step`.
 */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "param.h"

static const char *const accepted[] = {
	[PARAM_SIZES] = "sizes such as 4k,128k or 4k:1m:*2",
	[PARAM_SIZE] = "a size such as 128k",
	[PARAM_COUNTS] = "whole numbers such as 1,32 or 1:32:*2",
	[PARAM_COUNT] = "a whole number",
	[PARAM_NUMBERS] = "numbers such as 0,4 or 0:7:+1",
	[PARAM_RATES] = "rates a second such as 10,100, or max",
	[PARAM_DURATION] = "a time such as 2s or 500ms",
	[PARAM_PERCENT] = "whole per cent",
	[PARAM_DECIMAL] = "a number of at most three decimals",
	[PARAM_BITRATE] = "bits a second such as 500K, 10M or 1.5G (powers of 1000)",
};

static int word_index(const char *words, const char *word, uint64_t *index)
{
	size_t length = strlen(word);

	for (*index = 0; length && *words; (*index)++) {
		size_t n = strcspn(words, "|");
		if (n == length && !memcmp(words, word, n))
			return 0;
		words += n + (words[n] == '|');
	}
	return -EINVAL;
}

void param_word(const struct param *param, uint64_t index, char *word, unsigned size)
{
	const char *at = param->words;
	struct text text = text_in(word, size);

	while (index-- && *at)
		at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|');
	text_add_bytes(&text, at, strcspn(at, "|"));
}

static int parse_decimal(const char *text, uint64_t *number)
{
	int64_t milli;
	int err = number_parse_milli(text, strlen(text), &milli);

	if (err || milli < 0)
		return err ? err : -EINVAL;
	*number = (uint64_t)milli;
	return 0;
}

static int parse_count(const struct param *param, const char *text, uint64_t *number)
{
	int err;

	if (param->words && !word_index(param->words, text, number)) {
		*number = param->type == PARAM_NUMBERS ? PARAM_OF_WORD(*number) : 0;
		return 0;
	}
	err = text_starts(text, "0x") ? number_parse_hex(text, number) : number_parse(text, number);
	if (!err && (*number < param->min || (param->type == PARAM_NUMBERS && *number > param->max)))
		return -ERANGE;
	return err;
}

/* k, m, g, t in either case are powers of 1000. */
static int parse_bitrate(const char *text, uint64_t *number)
{
	static const char suffixes[] = "kmgt";
	size_t length = strlen(text);
	const char *suffix = length ? strchr(suffixes, text[length - 1] | 0x20) : NULL;
	uint64_t unit = 1;
	int64_t milli;

	for (const char *at = suffixes; suffix && at <= suffix; at++)
		unit *= 1000;
	if (number_parse_milli(text, length - (suffix != NULL), &milli) || milli < 0 || (unit == 1 && milli % 1000))
		return -EINVAL;
	return __builtin_mul_overflow((uint64_t)milli, unit, number) ? -ERANGE : (*number /= 1000, 0);
}

static int parse_one(const struct param *param, const char *text, uint64_t *number)
{
	switch (param->type) {
	case PARAM_SIZES:
	case PARAM_SIZE:
		return number_parse_size(text, number);
	case PARAM_DURATION:
		return number_parse_duration(text, number);
	case PARAM_WORDS:
	case PARAM_WORD:
		return word_index(param->words, text, number);
	case PARAM_BITRATE:
		return parse_bitrate(text, number);
	case PARAM_DECIMAL:
		return parse_decimal(text, number);
	case PARAM_RATES:
		*number = 0; /* stands for "max", so 0 itself is no rate */
		if (!strcmp(text, "max"))
			return 0;
		return number_parse(text, number) || !*number ? -EINVAL : 0;
	default:
		return parse_count(param, text, number);
	}
}

static bool takes_words(const struct param *param)
{
	return param->type == PARAM_WORDS || param->type == PARAM_WORD;
}

static bool in_bounds(const struct param *param, uint64_t number)
{
	if (takes_words(param) || (param->type == PARAM_RATES && !number))
		return true;
	/* A word's; parse_count() has seen to it that no number of that value comes by here. */
	if (param->words && (param->type == PARAM_NUMBERS ? number > PARAM_OF_WORD(MAX_LIST) : !number))
		return true;
	return number >= param->min && (!param->max || number <= param->max);
}

static bool takes_list(const struct param *param)
{
	return param->type == PARAM_SIZES || param->type == PARAM_COUNTS || param->type == PARAM_NUMBERS || param->type == PARAM_RATES ||
	       param->type == PARAM_WORDS;
}

static int add(const struct param *param, struct param_value *value, uint64_t number)
{
	if (!in_bounds(param, number))
		return -ERANGE;
	for (unsigned i = 0; i < value->count; i++)
		if (value->numbers[i] == number)
			return -EEXIST; /* two figures of one name */
	if (value->count == MAX_LIST || (value->count && !takes_list(param)))
		return -E2BIG;
	value->numbers[value->count++] = number;
	return 0;
}

/* lo:hi:*2 or lo:hi:+step */
static int add_range(const struct param *param, struct param_value *value, char *text)
{
	char *high_text = strchr(text, ':'), *step_text;
	uint64_t low, high, step;
	int err;

	*high_text++ = 0;
	step_text = strchr(high_text, ':');
	if (!step_text || (step_text[1] != '*' && step_text[1] != '+') || takes_words(param))
		return -EINVAL;
	*step_text++ = 0;
	if (parse_one(param, text, &low) || parse_one(param, high_text, &high) || low > high)
		return -EINVAL;
	if (*step_text == '*' ? number_parse(step_text + 1, &step) || step < 2 || !low
	                      : parse_one(param, step_text + 1, &step) || !step)
		return -EINVAL;
	for (uint64_t number = low; number <= high; ) {
		uint64_t next;

		err = add(param, value, number);
		if (err)
			return err;
		if (*step_text == '*' ? __builtin_mul_overflow(number, step, &next) : __builtin_add_overflow(number, step, &next))
			break;
		number = next;
	}
	return 0;
}

static int add_item(const struct param *param, struct param_value *value, char *text)
{
	uint64_t number;
	int err;

	if (takes_list(param) && !takes_words(param) && strchr(text, ':'))
		return add_range(param, value, text);
	err = parse_one(param, text, &number);
	return err ? err : add(param, value, number);
}

static void add_number(struct text *out, const struct param *param, uint64_t number)
{
	if (param->type == PARAM_DURATION)
		number_add_duration(out, number);
	else if (param->type == PARAM_SIZES || param->type == PARAM_SIZE)
		number_add_size(out, number);
	else
		text_add_format(out, "%llu", (unsigned long long)number);
}

static void explain(const struct param *param, const char *text, int err, char *fault, unsigned size)
{
	struct text out = text_in(fault, size);

	text_add_format(&out, "%s: ", param->name);
	if (err == -EEXIST) {
		text_add_format(&out, "\"%s\" has a value twice", text);
	} else if (err == -E2BIG) {
		text_add_format(&out, "\"%s\" has more values than %d", text, takes_list(param) ? MAX_LIST : 1);
	} else if (err == -ERANGE) {
		text_add_format(&out, "\"%s\" is outside ", text);
		add_number(&out, param, param->min);
		text_add(&out, " to ");
		if (param->max)
			add_number(&out, param, param->max);
		else
			text_add(&out, "what fits");
	} else if (takes_words(param)) {
		text_add_format(&out, "\"%s\" is not out of %s", text, param->words);
	} else {
		text_add_format(&out, "\"%s\" is not what it takes: %s", text, accepted[param->type]);
		if (param->words)
			text_add_format(&out, ", or %s", param->words);
	}
}

static int parse_text(const struct param *param, const char *text, struct param_value *value, char *fault, unsigned fault_size)
{
	value->count = 1;
	if (text_copy(value->text, sizeof value->text, text))
		return 0;
	text_format(fault, fault_size, "%s: longer than %d bytes", param->name, MAX_PARAM_TEXT - 1);
	return -EINVAL;
}

int param_parse(const struct param *param, const char *text, struct param_value *value, char *fault, unsigned fault_size)
{
	char copy[256], *item = copy;
	int err = text_copy(copy, sizeof copy, text) ? 0 : -E2BIG;

	if (param->type == PARAM_TEXT)
		return parse_text(param, text, value, fault, fault_size);
	value->count = 0;
	while (!err && item) {
		char *comma = takes_list(param) ? strchr(item, ',') : NULL;

		if (comma)
			*comma++ = 0;
		err = add_item(param, value, item);
		item = comma;
	}
	if (err)
		explain(param, text, err, fault, fault_size);
	return err ? -EINVAL : 0;
}
