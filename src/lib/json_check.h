/*
 * json_check.h: the grammar of RFC 8259, checked on the text itself before jsmn sees it; and where a fault stands.
 * For json.c alone; everyone else uses json.h.
 */
#ifndef JSON_CHECK_H
#define JSON_CHECK_H

#include <stdarg.h>

#include "lib/json.h"

/* 0; or -EINVAL with the first fault, by line and column.  Refuses depth beyond MAX_JSON_DEPTH, too. */
int json_check(const struct json *json, char *fault, size_t fault_size);

/* The code point at *at, raw or escaped, in a string that json_check accepted; *at moves behind it. */
uint32_t json_unescape(const char **at, const char *end);

/* Writes `NAME:LINE:COLUMN: ` of a place in the text, and the message; returns -EINVAL. */
int json_fault_at(const struct json *json, const char *at, char *fault, size_t size, const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));

#endif
