/* fio_shape.h: the parts of a job as fio's JSON has them, from the evidence behind our figures; what is missing is 0, as all is without facts (NULL). */
#ifndef FIO_SHAPE_H
#define FIO_SHAPE_H

#include "event.h"
#include "lib/text.h"

enum fio_latency { FIO_SLAT, FIO_CLAT, FIO_LAT, FIO_LATENCIES };
extern const char *const fio_latency_words[FIO_LATENCIES];

/* A number in thousandths (of seconds: ms) or as a whole; 0 when it is absent or negative. */
uint64_t fio_thousandths(const struct facts *facts, const char *key);
uint64_t fio_whole(const struct facts *facts, const char *key);

void fio_add_bandwidth(struct text *text, const struct facts *facts, int64_t value_milli); /* B/s */
void fio_add_iops(struct text *text, const struct facts *facts, int64_t value_milli);
/* All of a latency but its buckets; the object stays open. */
void fio_open_latency(struct text *text, enum fio_latency latency, const struct facts *facts);
/* "key":P, count as a share of total in per cent, to a millionth; 0 of none */
void fio_add_share(struct text *text, const char *key, uint64_t count, uint64_t total);
/* inflight, of all threads, and iodepth_level, of one of them: only the mean is known, so that all of it stands at its level */
void fio_add_depth(struct text *text, int64_t inflight_milli, uint64_t threads);

/* How many I/Os took less than 2, 4, 10, ... ns, us and ms. */
struct fio_classes { uint64_t counts[3][12], total; };
void fio_count_class(struct fio_classes *classes, uint64_t at_ns, uint64_t count);
void fio_add_classes(struct text *text, const struct fio_classes *classes);

#endif
