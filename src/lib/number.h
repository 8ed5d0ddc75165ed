/*
 * number.h: numbers from text and to text, exactly; no floating point, no locale.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/text.h"

/* All return 0; -EINVAL when text is not such a number whole; -ERANGE when it does not fit, or has a fraction finer
 * than its unit (never rounded).  The result is written on 0 only. */
int number_parse(const char *text, uint64_t *number);                  /* decimal digits only */
int number_parse_pair(const char *text, unsigned base, uint32_t *first, uint32_t *second); /* 8:1, a device's numbers; base 10 or 16 */
int number_parse_hex(const char *text, uint64_t *number);              /* with or without 0x */
/* As fio: k m g t p in either case, alone or with b, are powers of 1024 (4k 4K 4kb 4Kb = 4096), with iB too (4KiB 4kiB);
 * with B they are powers of 1000 (4kB 4KB = 4000).  No other suffix.  A fraction must be whole bytes (1.5k). */
int number_parse_size(const char *text, uint64_t *bytes);
int number_parse_duration(const char *text, uint64_t *duration_ns);    /* 2 2s 1.5s 500ms 20us 7ns 2m 1h; bare is seconds */
int number_parse_milli(const char *text, size_t length, int64_t *milli); /* decimal, exponent allowed; at most three decimals that count, else -ERANGE */

/* The digits at *text, behind white space: *text is moved behind them.  False with 0 when there are none; at most UINT64_MAX. */
bool number_take(const char **text, uint64_t *number);

void number_add_milli(struct text *text, int64_t milli);               /* 1337 -> 1.337, 2000 -> 2, -5 -> -0.005 */
void number_add_size(struct text *text, uint64_t bytes);               /* 4096 -> 4k, exact or in bytes */
const char *number_size_word(uint64_t bytes, char word[24]);           /* the same alone */
void number_add_duration(struct text *text, uint64_t duration_ns);     /* for people: 1.5 s, 20 us */
void number_add_hex(struct text *text, const uint8_t *bytes, size_t count);
void number_add_time(struct text *text, uint64_t real_ns);             /* 2026-11-30T14:22:05.123456789Z */

#endif
