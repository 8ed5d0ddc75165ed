/* block_figures.c: a point's result as figures: for each side bandwidth, IOPS, latency and what was in flight, with the evidence. */
#include <string.h>

#include "lib/text.h"
#include "lib/wide.h"
#include "stat/steady.h"
#include "step/block_point.h"
#include "sys/cpu.h"

/* What the figures of one point have in common. */
struct telling {
	struct ctx *ctx;
	const struct block_ask *ask;
	const struct block_result *result;
	enum block_side side;
	struct point points[MAX_POINTS + 1];
	struct facts facts;
};

const char *block_metric(enum block_rw rw, const char *quantity)
{
	static const struct param words = { .words = BLOCK_RW_WORDS };
	static char metric[64];
	char word[16];

	param_word(&words, rw, word, sizeof word);
	text_format(metric, sizeof metric, "block.%s.%s", word, quantity);
	return metric;
}

const char *block_point_metric(const struct block_ask *ask, const char *quantity)
{
	static char metric[64];

	if (!ask->prefix)
		return block_metric(ask->job.rw, quantity);
	text_format(metric, sizeof metric, "%s.%s", ask->prefix, quantity);
	return metric;
}

static const struct block_flow *flow_of(const struct telling *telling)
{
	return &telling->result->flows[telling->side];
}

static bool has_sides(const struct telling *telling)
{
	return block_reads(telling->ask->job.rw) && block_writes(telling->ask->job.rw);
}

static void add_cell(const struct telling *telling, const char *quantity, struct facts *facts)
{
	for (const struct block_cell *cell = telling->ask->cells; cell && cell->quantity; cell++)
		if (!strcmp(cell->quantity, quantity) && (!has_sides(telling) || cell->side == telling->side))
			fact_cell(facts, cell->table, cell->row, cell->column, cell->reference_milli);
}

static void tell(const struct telling *telling, const char *quantity, const char *unit, int64_t value_milli, struct facts *facts)
{
	add_cell(telling, quantity, facts);
	emit_figure(telling->ctx, block_point_metric(telling->ask, quantity), unit, telling->points, value_milli, facts);
}

static void add_bound(const struct device *device, const struct block_result *result, struct facts *facts)
{
	if (!device->bound_bytes_per_s || result->bandwidth_milli == VALUE_NONE)
		return;
	fact_number(facts, "bound", (int64_t)device->bound_bytes_per_s);
	fact_milli(facts, "ratio", milli_ratio((uint64_t)result->bandwidth_milli / 1000, device->bound_bytes_per_s));
}

static void add_place(const struct device *device, struct facts *facts)
{
	fact_text(facts, "device", device->node);
	if (device->model[0])
		fact_text(facts, "model", device->model);
	fact_text(facts, "direct", device->direct ? "yes" : "no");
	if (device->unwritten)
		fact_text(facts, "unwritten", "yes");
}

static void add_engine(const struct block_job *job, const struct block_result *result, struct facts *facts)
{
	fact_text(facts, "engine", result->engine);
	if (result->trial[0])
		fact_text(facts, "engine_trial", result->trial);
	if (result->refused[0])
		fact_text(facts, "engines_refused", result->refused);
	fact_text(facts, "pinned", result->numjobs < 2 ? "no" : result->shared_cpus ? "yes, some to the same CPU" : "yes");
	if (job->precision_ppm)
		fact_text(facts, "precise", result->precise ? "yes" : "no");
}

static void add_common(const struct block_job *job, const struct device *device, const struct block_result *result, struct facts *facts)
{
	fact_number(facts, "discarded", (int64_t)result->discarded);
	fact_milli(facts, "time_s", (int64_t)(result->time_ns / MS(1)));
	fact_milli(facts, "elapsed_s", (int64_t)((result->time_ns + job->ramp_ns) / MS(1)));
	fact_number(facts, "io_errors", result->errors.count + result->refusals.count);
	fact_number(facts, "user_ns", (int64_t)result->user_ns);
	fact_number(facts, "system_ns", (int64_t)result->system_ns);
	fact_number(facts, "cpu", cpu_current());
	add_engine(job, result, facts);
	add_place(device, facts);
	add_bound(device, result, facts);
}

/* SNIA's rule over five rounds: a drive that is still filling its cache, or emptying it, says so. */
static void add_steadiness(const struct samples *rates, struct facts *facts)
{
	struct steady steady;

	if (!steady_of(rates, &steady))
		return;
	fact_text(facts, "steady", steady.is_steady ? "yes" : "no");
	fact_milli(facts, "rise_ppm", steady.rise_ppm * 1000);
}

/* A rate of the whole, with what it was interval by interval; per: bytes to one of its unit. */
static void tell_rate(const struct telling *telling, const char *quantity, const char *unit, int64_t value_milli, uint64_t per)
{
	static struct samples rates;
	static struct summary summary;
	static struct facts facts;

	facts = telling->facts;
	rates = flow_of(telling)->bandwidth;
	for (unsigned i = 0; i < rates.count; i++)
		rates.values[i] /= (int64_t)per;
	summary_of(&rates, &summary);
	if (summary.count)
		summary_facts(&summary, &facts);
	add_steadiness(&rates, &facts);
	tell(telling, quantity, unit, value_milli, &facts);
}

static void tell_latency(const struct telling *telling)
{
	static struct facts summed, facts;
	const struct histogram *latency = &flow_of(telling)->lat;
	char quantity[24], missing[48];
	struct text lacks = TEXT(missing);
	int64_t value_milli;
	const char *name;

	summed = telling->facts;
	latency_facts(latency, &summed);
	for (unsigned i = 0; (name = latency_quantity(latency, i, &value_milli)); i++) {
		facts = summed; /* a cell is of one figure alone */
		text_format(quantity, sizeof quantity, "latency.%s", name);
		if (value_milli != VALUE_NONE)
			tell(telling, quantity, "ns", value_milli, &facts);
		else
			text_add_format(&lacks, " %s", name);
	}
	if (lacks.length)
		emit_skip(telling->ctx, block_point_metric(telling->ask, "latency"), telling->points, "n/a:%s, %llu samples are too few",
		          missing, (unsigned long long)latency->count);
}

/* The two parts of the latency, where they were measured apart. */
static void tell_part(const struct telling *telling, const char *quantity, const struct histogram *part)
{
	static struct facts facts;

	if (!part->count)
		return;
	facts = telling->facts;
	latency_facts(part, &facts);
	tell(telling, quantity, "ns", histogram_mean_milli(part), &facts);
}

/* Of one side: IOPS x mean latency, by Little's law. */
static int64_t side_inflight_milli(const struct block_flow *flow)
{
	int64_t mean_milli = histogram_mean_milli(&flow->lat);

	if (mean_milli == VALUE_NONE || flow->iops_milli == VALUE_NONE)
		return VALUE_NONE;
	return (int64_t)wide_divide((unsigned __int128)(uint64_t)flow->iops_milli * (uint64_t)mean_milli, 1000000000000).whole;
}

static void tell_inflight(struct telling *telling)
{
	int64_t value_milli = has_sides(telling) ? side_inflight_milli(flow_of(telling)) : telling->result->inflight_milli;

	fact_number(&telling->facts, "n", (int64_t)flow_of(telling)->ios);
	tell(telling, "inflight", "1", value_milli, &telling->facts);
}

/* ---- histograms, bucket by bucket ---- */

static const struct { const char *name; uint32_t ppm; } listed[] = {
	{ "p1", 10000 }, { "p5", 50000 }, { "p10", 100000 }, { "p20", 200000 }, { "p30", 300000 }, { "p40", 400000 }, { "p50", 500000 },
	{ "p60", 600000 }, { "p70", 700000 }, { "p80", 800000 }, { "p90", 900000 }, { "p95", 950000 }, { "p99", 990000 }, { "p99.5", 995000 },
	{ "p99.9", 999000 }, { "p99.95", 999500 }, { "p99.99", 999900 }, { "p99.999", 999990 }, { "p99.9999", 999999 },
};

static void tell_buckets(struct ctx *ctx, const struct histogram *latency)
{
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low, high;

		histogram_bounds(i, &low, &high);
		if (latency->buckets[i])
			emit_element(ctx, low + (high - low) / 2, milli_whole(latency->buckets[i]));
	}
}

static void tell_series(const struct telling *telling, const char *quantity, const struct histogram *latency)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	latency_facts(latency, &facts);
	for (unsigned i = 0; i < COUNT_OF(listed); i++)
		fact_milli(&facts, listed[i].name, histogram_quantile_milli(latency, listed[i].ppm));
	emit_series(telling->ctx, block_point_metric(telling->ask, quantity), "1", telling->points, &facts);
	tell_buckets(telling->ctx, latency);
	emit_series_end(telling->ctx);
}

static void tell_no_rate(const struct telling *telling)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	add_cell(telling, "iops", &facts);
	emit_skip_cell(telling->ctx, block_point_metric(telling->ask, "iops"), "1/s", telling->points, &facts, "one I/O is not a rate");
}

static void tell_side(struct telling *telling, const struct facts *common)
{
	const struct block_flow *flow = flow_of(telling);

	telling->facts = *common;
	fact_number(&telling->facts, "ios", (int64_t)flow->ios);
	fact_number(&telling->facts, "bytes", (int64_t)flow->bytes);
	fact_number(&telling->facts, "overflow", (int64_t)flow->lat.overflow);
	tell_rate(telling, "bandwidth", "B/s", flow->bandwidth_milli, 1);
	if (flow->ios > 1)
		tell_rate(telling, "iops", "1/s", flow->iops_milli, telling->ask->job.bs_bytes);
	else
		tell_no_rate(telling);
	tell_latency(telling);
	tell_part(telling, "slat.mean", &flow->slat);
	tell_part(telling, "clat.mean", &flow->clat);
	tell_inflight(telling);
	if (!telling->ask->series)
		return;
	tell_series(telling, "slat", &flow->slat);
	tell_series(telling, "clat", &flow->clat);
	tell_series(telling, "lat", &flow->lat);
}

void block_figures(struct ctx *ctx, const struct device *device, const struct block_ask *ask, const struct point *points,
                   const struct block_result *result)
{
	static struct telling telling;
	static struct facts common;
	unsigned count = 0;

	telling = (struct telling){ .ctx = ctx, .ask = ask, .result = result };
	for (; points[count].key[0]; count++)
		telling.points[count] = points[count];
	common = (struct facts){ .count = 0 };
	add_common(&ask->job, device, result, &common);
	for (enum block_side side = BLOCK_SIDE_READ; side < BLOCK_SIDES; side++) {
		if (!result->flows[side].ios)
			continue;
		telling.side = side;
		if (has_sides(&telling))
			telling.points[count] = point_text("side", side ? "write" : "read");
		tell_side(&telling, &common);
	}
}
