/* line.c: building one line of a record. */
#include "lib/json.h"
#include "lib/number.h"
#include "report/line.h"

void line_begin(struct text *line, uint64_t sequence, uint64_t time_ns)
{
	text_add(line, "{");
	line_add_number(line, "sequenceNumber", sequence);
	line_add_time(line, "timestamp", time_ns);
}

void line_begin_step(struct text *line, uint64_t sequence, uint64_t time_ns, unsigned step)
{
	line_begin(line, sequence, time_ns);
	line_open(line, "testStepArtifact");
	json_add_key(line, "testStepId");
	text_add_format(line, "\"%u\"", step);
}

void line_add_string(struct text *line, const char *key, const char *string)
{
	json_add_key(line, key);
	json_add_string(line, string);
}

void line_add_milli(struct text *line, const char *key, int64_t milli)
{
	json_add_key(line, key);
	number_add_milli(line, milli);
}

void line_add_number(struct text *line, const char *key, uint64_t number)
{
	json_add_key(line, key);
	text_add_format(line, "%llu", (unsigned long long)number);
}

void line_add_bool(struct text *line, const char *key, int value)
{
	json_add_key(line, key);
	text_add(line, value ? "true" : "false");
}

void line_add_time(struct text *line, const char *key, uint64_t time_ns)
{
	json_add_key(line, key);
	text_add(line, "\"");
	number_add_time(line, time_ns);
	text_add(line, "\"");
}

void line_open(struct text *line, const char *key)
{
	json_add_key(line, key);
	text_add(line, "{");
}

void line_close(struct text *line, unsigned braces)
{
	while (braces--)
		text_add(line, "}");
}

void line_end(struct text *line, unsigned braces)
{
	line_close(line, braces);
	text_add(line, "\n");
}
