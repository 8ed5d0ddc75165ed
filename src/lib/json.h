/*
 * json.h: strict JSON over jsmn, which only tokenizes: json_parse checks the whole text first and refuses whatever
 * RFC 8259 refuses, then repeated keys, depth beyond MAX_JSON_DEPTH and more than MAX_JSON_TOKENS.  A BOM at the start
 * and CRLF are accepted.
 *
 * Reading is by token index; 0 is the root.  Nothing is copied until a value is asked for.
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capacity.h"
#include "lib/text.h"

#define JSMN_HEADER
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include "jsmn.h"

struct json {
	const char *name;   /* for faults: the file's name */
	const char *text;
	size_t size;
	int count;          /* of tokens */
	jsmntok_t tokens[MAX_JSON_TOKENS];
};

enum json_type { JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_NUMBER, JSON_TRUE, JSON_FALSE, JSON_NULL };

/* 0, or -EINVAL with `NAME:LINE:COLUMN: what` in fault.  Columns count characters (UTF-8), from 1.  The text needs no
 * NUL at its end; it and name must outlive json. */
int json_parse(struct json *json, const char *name, const char *text, size_t size, char *fault, size_t fault_size);

/* The same for what others write: of a repeated key, the first is read. */
int json_parse_repeating(struct json *json, const char *name, const char *text, size_t size, char *fault, size_t fault_size);

enum json_type json_type(const struct json *json, int token);
int json_size(const struct json *json, int token);               /* members or elements */
int json_first(const struct json *json, int token);              /* first key or element; -1: none */
int json_next(const struct json *json, int token);               /* next key or element of the same parent; -1: none */
int json_value(const struct json *json, int key);                /* the value of a key token */
int json_member(const struct json *json, int object, const char *key); /* its value; -1: absent */
bool json_is(const struct json *json, int token, const char *string);  /* a string or key equal to it (unescaped) */
/* All: 0; -EINVAL when it is not of that kind; -ERANGE when it does not fit; -ENAMETOOLONG for a string. */
int json_string(const struct json *json, int token, char *to, size_t size); /* unescaped UTF-8; a NUL in it is -EINVAL */
int json_unsigned(const struct json *json, int token, uint64_t *number);
int json_milli(const struct json *json, int token, int64_t *milli);
/* Where a token begins: line and column (in characters) from 1. */
void json_place(const struct json *json, int token, unsigned *line, unsigned *column);
/* Writes `NAME:LINE:COLUMN: ` and the message; returns -EINVAL. */
int json_fault(const struct json *json, int token, char *fault, size_t size, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Writing: adds string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void json_add_string(struct text *text, const char *string);
/* Adds `"key":`, with a comma before it unless it follows an opening bracket. */
void json_add_key(struct text *text, const char *key);
void json_add_separator(struct text *text);

#endif
