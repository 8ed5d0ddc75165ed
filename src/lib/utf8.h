/* utf8.h: Unicode code points and their UTF-8 (RFC 3629): shortest form only, no surrogates, nothing above U+10FFFF. */
#ifndef UTF8_H
#define UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Reads one code point from [at, end): the bytes it takes, 1 to 4; 0 when there is none there. */
unsigned utf8_decode(const char *at, const char *end, uint32_t *point);
/* Writes one code point: the bytes written, 1 to 4; 0 for a surrogate or above U+10FFFF. */
unsigned utf8_encode(uint32_t point, char to[4]);
/* The code points that begin in [at, end). */
size_t utf8_count(const char *at, const char *end);

#endif
