/*
 * param.h: the parameters of a step, declared once.
 *
 * The same names serve in a board file ("params"), on the command line (--set STEP.PARAM=VALUE) and on the kernel
 * command line, and make the help text.  A value is a list: `a,b,c`, or a range `lo:hi:*2` or `lo:hi:+step`
 * (hi included when hit).
 */
#ifndef PARAM_H
#define PARAM_H

#include <stdint.h>

#include "capacity.h"

enum param_type {
	PARAM_END_OF_LIST,
	PARAM_SIZES,     /* bytes: 4k = 4096, KiB and kB exact */
	PARAM_SIZE,      /* one of them */
	PARAM_COUNTS,    /* whole numbers; the word in .words, if there is one, is 0: "all", "auto" */
	PARAM_COUNT,
	PARAM_NUMBERS,   /* of things of which one is number 0: CPUs, nodes; or words out of .words, PARAM_OF_WORD each */
	PARAM_RATES,     /* per second; `max` is 0: as fast as it goes */
	PARAM_DURATION,  /* ns; a bare number is seconds */
	PARAM_PERCENT,   /* whole per cent */
	PARAM_DECIMAL,   /* thousandths: 1.2 is 1200 */
	PARAM_WORDS,     /* a list of words out of .words */
	PARAM_WORD,      /* one of them */
	PARAM_BITRATE,   /* bit/s, decimal as iperf3's -b: 10M is 10^7; 0: as fast as it goes */
	PARAM_TEXT,      /* any text, of at most MAX_PARAM_TEXT - 1 bytes */
};

enum { MAX_PARAM_TEXT = 256 };

#define PARAM_OF_WORD(index) (UINT64_MAX - (index)) /* the number that stands for a word among PARAM_NUMBERS */

enum level { LEVEL_SHORT, LEVEL_MEDIUM, LEVEL_LONG, LEVEL_COUNT };

struct param {
	const char *name;
	enum param_type type;
	const char *def;         /* at level short, and at the others unless they say otherwise */
	const char *def_medium;  /* NULL: as short */
	const char *def_long;    /* NULL: as medium */
	const char *flag;        /* as a command's option, the value of the bare word (--hipri); NULL: a value must follow */
	const char *words;       /* for PARAM_WORDS and PARAM_WORD: "reads|1:1|copy"; of PARAM_COUNT(S) the one that stands for 0 */
	uint64_t min, max;       /* of each number; max 0: no upper bound */
	const char *help;
};
#define PARAM_END { .type = PARAM_END_OF_LIST }

struct param_value {
	unsigned count;
	union {
		uint64_t numbers[MAX_LIST]; /* bytes, counts, per second, ns, per cent or thousandths; for words the index in .words */
		char text[MAX_PARAM_TEXT];  /* of PARAM_TEXT */
	};
};

/* Parses text into value.  0, or -EINVAL with one line in fault that names the word and what is accepted. */
int param_parse(const struct param *param, const char *text, struct param_value *value, char *fault, unsigned fault_size);

/* The word number index of `a|b|c`, copied to word (cut at size). */
void param_word(const struct param *param, uint64_t index, char *word, unsigned size);

#endif
