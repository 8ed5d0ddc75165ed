/* line.h: the frame that every line of a record has: sequence number, time stamp, artifact. */
#ifndef LINE_H
#define LINE_H

#include <stdint.h>

#include "lib/text.h"

/* `{"sequenceNumber":N,"timestamp":"...",` */
void line_begin(struct text *line, uint64_t sequence, uint64_t time_ns);
/* the same, and `"testStepArtifact":{"testStepId":"N",` */
void line_begin_step(struct text *line, uint64_t sequence, uint64_t time_ns, unsigned step);
/* `"key":"string"` escaped, with a comma before it where one is due */
void line_add_string(struct text *line, const char *key, const char *string);
void line_add_milli(struct text *line, const char *key, int64_t milli);
void line_add_number(struct text *line, const char *key, uint64_t number);
void line_add_bool(struct text *line, const char *key, int value);
void line_add_time(struct text *line, const char *key, uint64_t time_ns);
void line_open(struct text *line, const char *key);  /* `"key":{` */
void line_close(struct text *line, unsigned braces); /* `}` that many times */
void line_end(struct text *line, unsigned braces);   /* the same, and a newline */

#endif
