/* guardian.h: what guard.c tells the guardian process, one message a packet, and that process itself. */
#ifndef GUARDIAN_H
#define GUARDIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capacity.h"

enum { MAX_GUARDED_TEXT = 512 };

/* Of a place: all of a file is a setting; else it is the word of 8 bytes at that offset, its text its value in hex. */
#define GUARD_WHOLE UINT64_MAX

enum guard_kind {
	GUARD_SAVE = 1, /* path, offset, and text, what is there: a write is about to happen */
	GUARD_WROTE,    /* text: what the last one saved reads after the write, were it refused or not */
	GUARD_FORGET,   /* path, offset: the last one saved of that place is back as it was */
	GUARD_GROUP,    /* group: to be ended with the main process; 0: none any more, what it left changed is restored, then answered with GUARD_GROUP_GONE */
	GUARD_END,      /* restore, then answer with an int32_t: how many could not be restored */
};

enum { GUARD_GROUP_GONE = -1 };

struct guard_message {
	uint32_t kind;
	int32_t group;
	uint32_t of_step; /* of GUARD_SAVE: a step's child changes it, and puts it back itself unless it is killed */
	uint32_t is_command; /* of GUARD_SAVE: text is what undoes it; it never reads back */
	uint64_t offset;
	char path[2 * MAX_PATH]; /* on this machine */
	char text[MAX_GUARDED_TEXT];
};

/*
 * Runs the guardian on its end of the socket pair until it is told to end or the main process is gone; never returns.
 * The process is watched by its pidfd: a child of it may hold its end of the socket open.  Without one (-errno, before
 * kernel 5.3 and where they are forbidden) the end of the messages must do.
 *
 * It answers with an int32_t: 0 once it is out of reach of what ends the main process, to each end of a group, and to GUARD_END.
 */
void guardian_run(int fd, int process_fd) __attribute__((noreturn));

/* The whole content of a settings file, or a word of it, NUL-terminated: 0; -EFBIG; or -errno. */
int guardian_read(const char *path, uint64_t offset, char text[MAX_GUARDED_TEXT]);
int guardian_write(const char *path, uint64_t offset, const char *text);
/* The word in brackets of "always [madvise] never", else all of it, without white space at its ends. */
void guardian_setting(const char *text, char setting[MAX_GUARDED_TEXT]);
/* Do both say the same: equal but for white space, by the chosen word, or but for leading zeros? */
bool guardian_same(const char *a, const char *b);

#endif
