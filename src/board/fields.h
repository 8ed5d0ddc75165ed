/*
 * fields.h: JSON objects read by a table of the keys they may have: the table is the format.
 *
 * Strict: a key that the table lacks is refused and the nearest one named, so is a wrong type, a number out of range, a
 * string that does not fit, a missing key that is needed, and two elements of a list with one name.  What is absent
 * keeps the value it had.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/json.h"

struct reader {
	const struct json *json;
	char *fault;
	size_t fault_size;
};

enum field_kind {
	FIELD_TEXT,    /* string without control characters into char[size] */
	FIELD_NAME,    /* the same, of letters, digits, '.', '_' and '-' only: it stands in metric names and on the last line */
	FIELD_WORDS,   /* string or list of strings into char[size], separated by '|' */
	FIELD_U32,     /* whole number, min to max */
	FIELD_U64,
	FIELD_MILLI,   /* decimal into int64_t, thousandths */
	FIELD_BOUND,   /* the same or null, where null is as good as absent; the bool at .has tells */
	FIELD_BOOL,
	FIELD_NOTE,    /* string for people who read the file: checked, not kept */
	FIELD_OBJECT,  /* an object, read by .fields into the same base */
	FIELD_LIST,    /* a list of objects, by .list into the array at offset; the unsigned at .has counts them */
	FIELD_READ,    /* by .read, which gets the base */
};

enum { FIELD_NEEDED = 1 };

/* Narrow: the tables of these are a good part of the program. */
struct field {
	const char *key;
	union { /* by kind */
		const struct field *fields;
		const struct list *list;
		int (*read)(const struct reader *reader, int token, void *base);
	};
	uint32_t offset;
	uint32_t max;       /* of numbers; 0: what the type holds */
	uint16_t size, has;
	uint8_t kind;       /* enum field_kind */
	uint8_t flags;
	uint8_t min;        /* of numbers */
};

struct list {
	const char *what;          /* one element, for faults: "a sensor" */
	const struct field *fields; /* where the first is a FIELD_NAME, no two elements may have the same */
	size_t element_bytes;
	unsigned count_max;
	const char *(*check)(const struct reader *reader, int token, const void *element); /* NULL, or what is wrong; may be NULL */
};

#define FIELD_IN(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define FIELD_END { .key = NULL }

/* Reads the object at token into base.  0, or -EINVAL with the fault written; `what` names the object in it. */
int fields_read(const struct reader *reader, int token, const struct field *fields, const char *what, void *base);

/* A string without control characters; its key names it in faults. */
int fields_read_text(const struct reader *reader, int token, const char *key, char *to, size_t size);

#define fields_fault(reader, token, ...) json_fault((reader)->json, token, (reader)->fault, (reader)->fault_size, __VA_ARGS__)

#endif
