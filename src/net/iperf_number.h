/*
 * iperf_number.h: numbers as cJSON writes them: a count may come as 1e+15, a time with seventeen digits.  For this wire only.
 */
#ifndef NET_IPERF_NUMBER_H
#define NET_IPERF_NUMBER_H

#include "lib/json.h"

/* value * 10^decimals, cut (not rounded) to a whole number: 0; -EINVAL: no number; -ERANGE: does not fit. */
int iperf_number(const struct json *json, int token, unsigned decimals, int64_t *value);
void iperf_number_add(struct text *json, const char *key, int64_t value);
/* value / 10^decimals, with all its decimals: 0.000000123. */
void iperf_number_add_decimal(struct text *json, const char *key, uint64_t value, unsigned decimals);

#endif
