/* fields.c: see fields.h. */
#include <errno.h> /* the names of errors only */
#include <string.h>

#include "board/fields.h"

static const char *key_at(unsigned index, const void *context)
{
	return ((const struct field *)context)[index].key;
}

static const struct field *find(const struct reader *reader, int key, const struct field *fields)
{
	for (; fields->key; fields++)
		if (json_is(reader->json, key, fields->key))
			return fields;
	return NULL;
}

static int unknown(const struct reader *reader, int key, const struct field *fields)
{
	char word[64] = "";
	const char *nearest;

	json_string(reader->json, key, word, sizeof word);
	nearest = text_nearest(word, key_at, fields);
	if (nearest)
		return fields_fault(reader, key, "unknown key \"%s\" (did you mean \"%s\"?)", word, nearest);
	return fields_fault(reader, key, "unknown key \"%s\"", word);
}

int fields_read_text(const struct reader *reader, int token, const char *key, char *to, size_t size)
{
	int err = json_string(reader->json, token, to, size);

	if (err == -ENAMETOOLONG)
		return fields_fault(reader, token, "\"%s\" takes at most %zu bytes", key, size - 1);
	if (err)
		return fields_fault(reader, token, "\"%s\" must be a string", key);
	if (!to[0])
		return fields_fault(reader, token, "\"%s\" is empty", key);
	for (const char *at = to; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return fields_fault(reader, token, "\"%s\" holds a control character", key);
	return 0;
}

static int read_name(const struct reader *reader, int token, const struct field *field, char *to)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	int err = fields_read_text(reader, token, field->key, to, field->size);

	if (!err && to[strspn(to, allowed)])
		return fields_fault(reader, token, "\"%s\" takes letters, digits, '.', '_' and '-' only, not \"%s\"", field->key, to);
	return err;
}

static int read_words(const struct reader *reader, int token, const struct field *field, char *to)
{
	struct text words = text_in(to, field->size);
	char word[256];
	int err = 0;

	if (json_type(reader->json, token) != JSON_ARRAY)
		return fields_read_text(reader, token, field->key, to, field->size);
	for (int at = json_first(reader->json, token); at >= 0 && !err; at = json_next(reader->json, at)) {
		err = fields_read_text(reader, at, field->key, word, sizeof word);
		text_add(&words, !err && words.length ? "|" : "");
		text_add(&words, err ? "" : word);
	}
	if (!err && words.cut)
		return fields_fault(reader, token, "\"%s\" takes at most %d bytes in all", field->key, field->size - 1);
	if (!err && !words.length)
		return fields_fault(reader, token, "\"%s\" is empty", field->key);
	return err;
}

static int read_note(const struct reader *reader, int token, const struct field *field)
{
	char note[256];

	return fields_read_text(reader, token, field->key, note, sizeof note);
}

static int read_number(const struct reader *reader, int token, const struct field *field, uint64_t *number)
{
	uint64_t max = field->max ? field->max : field->kind == FIELD_U32 ? UINT32_MAX : INT64_MAX;
	int err = json_unsigned(reader->json, token, number);

	if (err == -EINVAL)
		return fields_fault(reader, token, "\"%s\" must be a whole number", field->key);
	if (err || *number < field->min || *number > max)
		return fields_fault(reader, token, "\"%s\" must be %llu to %llu", field->key, (unsigned long long)field->min,
		                    (unsigned long long)max);
	return 0;
}

static int read_u32(const struct reader *reader, int token, const struct field *field, void *to)
{
	uint64_t number = 0;
	int err = read_number(reader, token, field, &number);

	if (!err)
		*(uint32_t *)to = (uint32_t)number;
	return err;
}

static int read_milli(const struct reader *reader, int token, const struct field *field, void *to)
{
	int err = json_milli(reader->json, token, to);

	if (err == -ERANGE)
		return fields_fault(reader, token, "\"%s\" does not fit: at most three decimals and about 9.2e15", field->key);
	return err ? fields_fault(reader, token, "\"%s\" must be a number", field->key) : 0;
}

static int read_bound(const struct reader *reader, int token, const struct field *field, void *base)
{
	bool *has = (bool *)((char *)base + field->has);

	*has = json_type(reader->json, token) != JSON_NULL;
	return *has ? read_milli(reader, token, field, (char *)base + field->offset) : 0;
}

static int read_bool(const struct reader *reader, int token, const struct field *field, bool *to)
{
	enum json_type type = json_type(reader->json, token);

	if (type != JSON_TRUE && type != JSON_FALSE)
		return fields_fault(reader, token, "\"%s\" must be true or false", field->key);
	*to = type == JSON_TRUE;
	return 0;
}

static int check_element(const struct reader *reader, int token, const struct list *list, const char *array, unsigned index)
{
	const char *element = array + index * list->element_bytes, *wrong = NULL;
	const struct field *name = list->fields;

	for (unsigned i = 0; name->kind == FIELD_NAME && i < index; i++)
		if (!strcmp(array + i * list->element_bytes + name->offset, element + name->offset))
			return fields_fault(reader, token, "there is already %s \"%s\"", list->what, element + name->offset);
	if (list->check)
		wrong = list->check(reader, token, element);
	return wrong ? fields_fault(reader, token, "%s", wrong) : 0;
}

static int read_list(const struct reader *reader, int token, const struct field *field, char *base)
{
	const struct list *list = field->list;
	unsigned *count = (unsigned *)(base + field->has);
	char *array = base + field->offset;
	int err = 0;

	if (json_type(reader->json, token) != JSON_ARRAY)
		return fields_fault(reader, token, "\"%s\" must be a list", field->key);
	for (int at = json_first(reader->json, token); at >= 0 && !err; at = json_next(reader->json, at)) {
		if (*count == list->count_max)
			return fields_fault(reader, at, "\"%s\" takes at most %u", field->key, list->count_max);
		err = fields_read(reader, at, list->fields, list->what, array + *count * list->element_bytes);
		if (!err)
			err = check_element(reader, at, list, array, *count);
		++*count;
	}
	return err;
}

static int read_field(const struct reader *reader, int token, const struct field *field, void *base)
{
	void *to = (char *)base + field->offset;

	switch (field->kind) {
	case FIELD_TEXT:
		return fields_read_text(reader, token, field->key, to, field->size);
	case FIELD_NAME:
		return read_name(reader, token, field, to);
	case FIELD_WORDS:
		return read_words(reader, token, field, to);
	case FIELD_U32:
		return read_u32(reader, token, field, to);
	case FIELD_U64:
		return read_number(reader, token, field, to);
	case FIELD_MILLI:
		return read_milli(reader, token, field, to);
	case FIELD_BOUND:
		return read_bound(reader, token, field, base);
	case FIELD_BOOL:
		return read_bool(reader, token, field, to);
	case FIELD_NOTE:
		return read_note(reader, token, field);
	case FIELD_OBJECT:
		return fields_read(reader, token, field->fields, field->key, base);
	case FIELD_LIST:
		return read_list(reader, token, field, base);
	case FIELD_READ:
		return field->read(reader, token, base);
	}
	return -EINVAL;
}

static int find_missing(const struct reader *reader, int token, const struct field *fields, const char *what)
{
	for (; fields->key; fields++)
		if ((fields->flags & FIELD_NEEDED) && json_member(reader->json, token, fields->key) < 0)
			return fields_fault(reader, token, "%s has no \"%s\"", what, fields->key);
	return 0;
}

int fields_read(const struct reader *reader, int token, const struct field *fields, const char *what, void *base)
{
	if (json_type(reader->json, token) != JSON_OBJECT)
		return fields_fault(reader, token, "%s must be an object", what);
	for (int key = json_first(reader->json, token); key >= 0; key = json_next(reader->json, key)) {
		const struct field *field = find(reader, key, fields);
		int err = field ? read_field(reader, json_value(reader->json, key), field, base) : unknown(reader, key, fields);

		if (err)
			return err;
	}
	return find_missing(reader, token, fields, what);
}
