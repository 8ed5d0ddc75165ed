/*
 * cmdline.h: the kernel's command line -> the options of the run (or the server) and of init itself.
 *
 * A word `assay.level=short` becomes the option `--level=short`, `assay.lock` becomes `--lock`; the words of others are
 * ignored.  Quoting is the kernel's: "assay.param=a b" and assay.param="a b" are one word, the quotes go.
 * Init's own:
 *     assay.result=DEVICE,...  where the last line goes: ttyS1 or /dev/ttyS1; `qemu` is QEMU's exit device; may be repeated
 *     assay.wait=TIME          how long drives have at least to appear (a bare number is seconds)
 *     assay.ip=ADDRESS/PREFIX@INTERFACE,...   and assay.gateway=ADDRESS: see network.h; ip may be repeated
 *     assay.serve              process 1 serves network tests in place of the run, and all other words are options of `assay serve`
 *     assay.end=poweroff|halt|reboot   what happens after the verdict; halt leaves it on the screen
 */
#ifndef INIT_CMDLINE_H
#define INIT_CMDLINE_H

#include <stdbool.h>
#include <stdint.h>

enum { CMDLINE_WORDS = 32, CMDLINE_BYTES = 4096 };

enum init_end { END_POWEROFF, END_HALT, END_REBOOT };

struct cmdline {
	unsigned argc;
	char *argv[CMDLINE_WORDS + 1]; /* "run" or "serve", the options, NULL; all point into bytes */
	bool serves;
	char result[96], ip[400], gateway[72];
	uint64_t wait_ns;
	enum init_end end;
	char fault[200];               /* the first word that makes no sense; "" when all do */
	unsigned used;
	char bytes[CMDLINE_BYTES];
};

void cmdline_clear(struct cmdline *cmdline);
/* A whole command line, as /proc/cmdline shows it. */
void cmdline_add(struct cmdline *cmdline, const char *text);
/* One word, already without quotes.  A word that was there before is ignored: the kernel hands init what is behind
 * `--` as arguments, too. */
void cmdline_add_word(struct cmdline *cmdline, const char *word);

#endif
