/* fio_shape.c: see fio_shape.h. */
#include <string.h>

#include "lib/json.h"
#include "lib/text.h"
#include "lib/wide.h"
#include "report/fio_shape.h"
#include "report/line.h"

enum { KIB_MILLI = 1024 * 1000 };

const char *const fio_latency_words[FIO_LATENCIES] = { "slat", "clat", "lat" };

static int64_t fact_or(const struct facts *facts, const char *key, int64_t otherwise)
{
	const struct fact *fact = facts ? fact_find(facts, key) : NULL;

	return fact ? fact->milli : otherwise;
}

static int64_t value_of(const struct facts *facts, const char *key)
{
	return fact_or(facts, key, 0);
}

uint64_t fio_thousandths(const struct facts *facts, const char *key)
{
	int64_t milli = value_of(facts, key);

	return milli > 0 ? (uint64_t)milli : 0;
}

uint64_t fio_whole(const struct facts *facts, const char *key)
{
	return fio_thousandths(facts, key) / 1000;
}

void fio_add_share(struct text *text, const char *key, uint64_t count, uint64_t total)
{
	int64_t millionths = wide_ratio((unsigned __int128)count * 100000000, total);

	if (millionths == VALUE_NONE)
		millionths = 0;
	json_add_key(text, key);
	text_add_format(text, "%lld.%06lld", (long long)millionths / 1000000, (long long)millionths % 1000000);
}

static void add_rates(struct text *text, const struct facts *facts, const char *name, const char *deviation, int64_t value_milli, int64_t unit)
{
	static const char *const keys[] = { "min", "max" };
	char key[24];

	for (unsigned i = 0; i < COUNT_OF(keys); i++) {
		text_format(key, sizeof key, "%s_%s", name, keys[i]);
		line_add_number(text, key, fio_whole(facts, keys[i]) / (uint64_t)unit);
	}
	text_format(key, sizeof key, "%s_mean", name);
	line_add_milli(text, key, fact_or(facts, "mean", value_milli) / unit);
	line_add_milli(text, deviation, value_of(facts, "deviation") / unit);
	text_format(key, sizeof key, "%s_samples", name);
	line_add_number(text, key, fio_whole(facts, "n"));
}

void fio_add_bandwidth(struct text *text, const struct facts *facts, int64_t value_milli)
{
	line_add_number(text, "io_bytes", fio_whole(facts, "bytes"));
	line_add_number(text, "io_kbytes", fio_whole(facts, "bytes") / KIB);
	line_add_number(text, "bw_bytes", (uint64_t)value_milli / 1000);
	line_add_number(text, "bw", (uint64_t)value_milli / KIB_MILLI);
	line_add_number(text, "runtime", fio_thousandths(facts, "time_s"));
	line_add_number(text, "total_ios", fio_whole(facts, "ios"));
	line_add_number(text, "short_ios", 0);
	line_add_number(text, "drop_ios", 0);
	line_add_number(text, "bw_agg", value_milli ? 100 : 0);
	add_rates(text, facts, "bw", "bw_dev", value_milli, KIB);
}

void fio_add_iops(struct text *text, const struct facts *facts, int64_t value_milli)
{
	line_add_milli(text, "iops", value_milli);
	add_rates(text, facts, "iops", "iops_stddev", value_milli, 1);
}

/* p99.9 becomes "99.900000". */
static void add_quantile(struct text *text, const char *name, uint64_t value_ns)
{
	const char *digits = name + 1, *point = strchr(digits, '.');
	char key[32];

	text_format(key, sizeof key, "%s%s%.*s", digits, point ? "" : ".", 6 - (point ? (int)strlen(point + 1) : 0), "000000");
	line_add_number(text, key, value_ns);
}

static void add_quantiles(struct text *text, const struct facts *facts)
{
	static const char *const names[] = { "p1", "p5", "p10", "p20", "p30", "p40", "p50", "p60", "p70", "p80", "p90", "p95", "p99",
	                                     "p99.5", "p99.9", "p99.95", "p99.99", "p99.999", "p99.9999" };
	bool any = false;

	for (unsigned i = 0; i < COUNT_OF(names); i++) {
		if (value_of(facts, names[i]) <= 0)
			continue;
		if (!any)
			line_open(text, "percentile");
		any = true;
		add_quantile(text, names[i], (fio_thousandths(facts, names[i]) + 500) / 1000);
	}
	line_close(text, any);
}

void fio_open_latency(struct text *text, enum fio_latency latency, const struct facts *facts)
{
	char key[16];

	text_format(key, sizeof key, "%s_ns", fio_latency_words[latency]);
	line_open(text, key);
	line_add_number(text, "min", fio_whole(facts, "min"));
	line_add_number(text, "max", fio_whole(facts, "max"));
	line_add_milli(text, "mean", value_of(facts, "mean"));
	line_add_milli(text, "stddev", value_of(facts, "deviation"));
	line_add_number(text, "N", fio_whole(facts, "n"));
	add_quantiles(text, facts);
}

void fio_add_depth(struct text *text, int64_t inflight_milli, uint64_t threads)
{
	static const struct { const char *name; int64_t depth; } levels[] = {
		{ "1", 1 }, { "2", 2 }, { "4", 4 }, { "8", 8 }, { "16", 16 }, { "32", 32 }, { ">=64", 64 },
	};
	int64_t depth = inflight_milli > 0 ? wide_ratio((uint64_t)inflight_milli, threads * 1000) : 0;
	unsigned level = COUNT_OF(levels) - 1;

	while (level && depth < levels[level].depth)
		level--;
	line_add_milli(text, "inflight", inflight_milli);
	line_open(text, "iodepth_level");
	for (unsigned i = 0; i < COUNT_OF(levels); i++)
		line_add_number(text, levels[i].name, inflight_milli > 0 && i == level ? 100 : 0);
	line_close(text, 1);
}

void fio_count_class(struct fio_classes *classes, uint64_t at_ns, uint64_t count)
{
	static const uint16_t below[] = { 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000 };
	unsigned unit = 0, i = 0;

	for (; unit < 2 && at_ns >= 1000; unit++)
		at_ns /= 1000;
	while (i < COUNT_OF(below) && at_ns >= below[i])
		i++;
	classes->counts[unit][i] += count;
	classes->total += count;
}

void fio_add_classes(struct text *text, const struct fio_classes *classes)
{
	static const char *const keys[] = { "latency_ns", "latency_us", "latency_ms" };
	static const char *const names[] = { "2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000" };

	for (unsigned unit = 0; unit < COUNT_OF(keys); unit++) {
		line_open(text, keys[unit]);
		for (unsigned i = 0; i < (unit == 2 ? 12u : 10u); i++)
			fio_add_share(text, names[i], classes->counts[unit][i], classes->total);
		line_close(text, 1);
	}
}
