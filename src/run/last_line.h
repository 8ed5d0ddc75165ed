/*
 * last_line.h: the last line of a run, whole, repeatable, with a CRC-32C of all before ` crc32c=`.
 *
 * assay: PASS board=x86 serial=none steps=21 figures=187 failed=0 errors=0 warned=2 unjudged=143 partial=no record=sha256:... crc32c=1a2b3c4d
 *
 * partial is no, yes or simulated; record is sha256:HEX of the whole record, none, or failed.
 */
#ifndef LAST_LINE_H
#define LAST_LINE_H

#include "lib/text.h"
#include "verdict.h"

void last_line_write(struct text *text, enum verdict verdict, const char *board, const char *serial,
                     const struct tally *tally, const char *record);

/* Is line (without newline) such a line with the right CRC?  Then its verdict is in *verdict. */
bool last_line_read(const char *line, enum verdict *verdict);

#endif
