/*
 * format.h: printf's formats, as far as this program uses them, without musl's machinery for floating point and wide
 * characters (a twentieth of the whole binary).
 *
 * %s %c %d %i %u %x %% with the flags - and 0, a width (a number or *), a precision for %s (.N or .*), and the lengths
 * l, ll, z.  Anything else is written as it stands, which a unit test would show.
 */
#ifndef FORMAT_H
#define FORMAT_H

#include <stdarg.h>

#include "lib/text.h"

void format_add(struct text *text, const char *format, va_list args);

#endif
