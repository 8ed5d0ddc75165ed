/*
 * file.h: reading the kernel's files (/proc, /sys, debugfs, device tree), under another root when --sysroot is given,
 * and copying what is read when a capture is on.
 *
 * Paths are absolute, as on the board.  Only sys/ and the steps' env engines read such files, and only by this.
 */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int file_root(const char *path);          /* --sysroot: 0 or -errno; "" is / */
bool file_is_simulated(void);             /* is a sysroot set? */
/* Every file read from here on is also written below folder (which must exist, empty); NULL: off.  With scrub,
 * serial numbers and MAC addresses are replaced by same-length fillers.  0 or -errno; when it is switched off, the
 * first fault there was in writing the copies. */
int file_capture(const char *folder, bool scrub);

/* Reads a whole small file, NUL-terminated, cut at size - 1.  Returns its length or -errno. */
ssize_t file_read(const char *path, char *to, size_t size);
ssize_t file_readf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same, trimmed of white space; the empty string when it is not there. */
void file_string(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A decimal number from a file: 0 or -errno. */
int file_number(uint64_t *number, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a path leads to, through all symbolic links, canonical and without the sysroot: length or -errno. */
ssize_t file_link(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool file_exists(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The path to open for it on this machine, all links resolved below the sysroot: 0 or -errno. */
int file_here(const char *path, char *to, size_t size);

/* Reads a whole ordinary file of the user's (no sysroot, no capture): length, -EFBIG when it does not fit, or -errno. */
ssize_t file_load(const char *path, char *to, size_t size);

/* Calls each(name, context) for every entry of a folder but . and .., sorted by name with numbers in order (cpu2
 * before cpu10), until it returns non-zero; returns that, 0, or -errno. */
int file_each(const char *path, int (*each)(const char *name, void *context), void *context);

/* Calls each(line, context) for every line (without newline) of a long file such as /proc/interrupts, until it returns
 * non-zero; returns that, 0, or -errno (-EFBIG: a line of MAX_LINE bytes or more). */
int file_each_line(const char *path, int (*each)(char *line, void *context), void *context);

/* Of the very machine that this runs on, whatever --sysroot says, and never captured: what the program itself may
 * use (memory, CPUs, its own maps). */
ssize_t file_read_here(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int file_each_line_here(const char *path, int (*each)(char *line, void *context), void *context);

#endif
