/* curve.c: see curve.h. */
#include "lib/number.h"
#include "study/curve.h"
#include "study/knee.h"
#include "sys/file.h"

enum { MILLION = 1000000 };

struct own_limit curve_own_limit(const struct device *device)
{
	return limiter_of_disk(device->on);
}

void curve_claim(struct ctx *ctx, const char *name, const char *words, const struct finding *finding)
{
	emit_claim(ctx, name, finding->claim, words, "%s", finding->text);
}

/* How the kernel cuts a request up: a large block becomes a queue of its own. */
static void add_splitting(const struct device *device, struct facts *facts)
{
	static const char *const files[] = { "max_sectors_kb", "max_hw_sectors_kb", "nr_requests" };
	const char *disk = device->on ? device->on->name : device->name;
	uint64_t number;

	for (unsigned i = 0; i < COUNT_OF(files); i++)
		if (!file_number(&number, "/sys/block/%s/queue/%s", disk, files[i]))
			fact_number(facts, files[i], (int64_t)number);
}

static void tell(struct ctx *ctx, const char *study, const char *quantity, const char *unit, const struct device *device, int64_t value_milli,
                 const struct facts *facts)
{
	const struct point points[] = { point_text("role", device->role), POINT_LIST_END };
	char metric[64];

	text_format(metric, sizeof metric, "study.%s.%s", study, quantity);
	emit_figure(ctx, metric, unit, points, value_milli, facts);
}

/* One at a time by block size, or all by bytes in flight: the reading at the knee; NULL: none. */
static const struct reading *knee_reading(const struct readings *readings, bool single, struct knee_point *points)
{
	unsigned index[MAX_READINGS], count = 0;
	int knee;

	for (unsigned i = 0; i < readings->count; i++) {
		const struct reading *reading = &readings->at[i];

		if (single && (reading->iodepth > 1 || reading->numjobs > 1))
			continue;
		index[count] = i;
		points[count++] = (struct knee_point){ reading_inflight_bytes(reading), reading->bandwidth_milli };
	}
	knee = knee_of(points, count);
	return knee < 0 ? NULL : &readings->at[index[knee]];
}

static const struct reading *maximum_of(const struct readings *readings)
{
	const struct reading *best = NULL;

	for (unsigned i = 0; i < readings->count; i++)
		if (!best || readings->at[i].bandwidth_milli > best->bandwidth_milli)
			best = &readings->at[i];
	return best;
}

static void add_shape(struct facts *facts, const struct reading *reading)
{
	char shape[48];
	struct text text = TEXT(shape);

	reading_add_shape(&text, reading);
	fact_text(facts, "shape", shape);
	fact_number(facts, "n", reading->n);
	fact_milli(facts, "low95", reading->low_milli);
	fact_milli(facts, "high95", reading->high_milli);
}

/* Evidence of the curve as a whole: how many points, what limits it, how requests are cut up. */
static void begin_facts(struct ctx *ctx, const struct device *device, const struct readings *readings, const struct own_limit *own,
                        struct facts *facts)
{
	char sentence[240];
	struct text text = TEXT(sentence);
	enum limiter limiter = limiter_find(readings, own, device->bound_bytes_per_s, &text);

	*facts = (struct facts){ .count = 0 };
	fact_number(facts, "points", readings->count);
	fact_text(facts, "limiter", limiter_word(limiter));
	fact_text(facts, "device", device->node);
	add_splitting(device, facts);
	if (own->bytes_per_s) {
		fact_text(facts, "own_limit_of", own->words);
		fact_number(facts, "own_limit", (int64_t)own->bytes_per_s);
	}
	emit_log(ctx, "%s: %s", device->name, sentence);
}

void curve_tell(struct ctx *ctx, const char *study, const struct device *device, const struct readings *readings, const struct own_limit *own)
{
	static struct knee_point points[MAX_READINGS];
	static struct facts common, facts;
	const struct reading *maximum = maximum_of(readings), *knee = knee_reading(readings, true, points);
	const struct reading *knee_inflight = knee_reading(readings, false, points);

	if (!maximum)
		return;
	if (readings->left_out)
		emit_log(ctx, "the curve and the claims are of the first %u points; %u more have their figures alone", readings->count,
		         readings->left_out);
	begin_facts(ctx, device, readings, own, &common);
	facts = common;
	add_shape(&facts, maximum);
	tell(ctx, study, "maximum", "B/s", device, maximum->bandwidth_milli, &facts);
	if (limiter_is_believed(readings, own))
		tell(ctx, study, "ratio", "ppm", device,
		     milli_ratio((uint64_t)maximum->bandwidth_milli / 1000 * MILLION / own->bytes_per_s, 1), &facts);
	if (knee)
		tell(ctx, study, "knee", "B", device, milli_whole(knee->bs_bytes), &common);
	if (knee_inflight)
		tell(ctx, study, "knee_inflight", "B", device, milli_whole(reading_inflight_bytes(knee_inflight)), &common);
}
