/*
 * console.h: where init talks to people, and how the run's output gets there.
 *
 * Init's own lines start with `init: `, so that they are never taken for the last line of a run.
 */
#ifndef INIT_CONSOLE_H
#define INIT_CONSOLE_H

#include <stddef.h>

/* Standard input, output and errors are /dev/console, unless the kernel (or who started us) has opened them. */
void console_open(void);
/* Kernel messages stay in the kernel's log: on a serial console they land inside our lines. */
void console_hush_kernel(void);
void console_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The text as it is; an error is ignored: there is nobody else to tell. */
void console_write(const char *text, size_t length);
/* Waits, at most 2 s, until a terminal has sent what was written to it. */
void console_drain(int fd);

#endif
