/*
 * text.h: building and comparing strings without a heap.
 *
 * struct text is a buffer that is always NUL-terminated; what does not fit is cut and `cut` set, for the caller to
 * look at where a cut would be a lie.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *at;
	size_t size, length;
	bool cut;
};

struct text text_in(char *buffer, size_t size);
#define TEXT(buffer) text_in(buffer, sizeof(buffer))

void text_add(struct text *text, const char *string);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_add_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_vformat(struct text *text, const char *format, va_list args);

/* Writes to to, cut at size; returns false when it was cut. */
bool text_format(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Copies string to to, cut at size; returns false when it was cut. */
bool text_copy(char *to, size_t size, const char *string);
/* strstr, for short texts: a twentieth of the C library's size. */
char *text_find(const char *string, const char *part);
bool text_starts(const char *string, const char *prefix);
bool text_ends(const char *string, const char *suffix);
bool text_has_nocase(const char *string, const char *part);
/* Is word one of the separator-separated words of list? */
bool text_in_list(const char *list, char separator, const char *word);
/* The next word of a line in place: *at is left behind it.  "" at the end. */
char *text_word(char **at);
/* Cuts white space and newlines off both ends, in place; returns string. */
char *text_trim(char *string);

/* The number of single-byte edits between two words (for "did you mean"); 64 when one has 64 bytes or more. */
unsigned text_distance(const char *a, const char *b);

/* The nearest of names to word, or one that it begins; NULL when none is near enough to be meant (one edit, and one more
 * for every four bytes of word).  get(i) returns NULL behind the last. */
const char *text_nearest(const char *word, const char *(*get)(unsigned index, const void *context), const void *context);

#endif
