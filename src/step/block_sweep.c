/*
 * block_sweep.c: block size x queue depth over every device, with the evidence behind each figure.
 *
 * Reads only.  A figure is never given under a depth that was not held, nor, for a declared device, from the page cache;
 * a scratch without direct I/O has its figures, with a warning and direct=no among the evidence.
 * FAIL   a declared device is missing, a read failed (its first address is named), the device went away
 * SKIP   the device cannot do this block size, its buffers would take too much memory, or the engine holds another depth
 * ERROR  the device is there but could not be measured; reads that the system refused, which is not the device's fault
 */
#include <errno.h>
#include <inttypes.h>

#include "lib/number.h"
#include "step/block_say.h"
#include "step/block_sweep.h"
#include "step/device.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/map.h"

enum { RAMP_PART = 5, POINT_SLACK_MS = 20, ENDS_MS = 20, BUDGET_PART = 4 };

struct place {
	const struct sweep *sweep;
	uint64_t bs_bytes;
	unsigned iodepth;
	struct point point[5];
};

static const char *metric_of(const struct place *place, const char *quantity)
{
	static char metric[64];
	struct text text = TEXT(metric);

	text_add_format(&text, "%s.%s", place->sweep->name, quantity);
	return metric;
}

static const char *size_word(uint64_t bytes, char *word, unsigned size)
{
	struct text text = text_in(word, size);

	number_add_size(&text, bytes);
	return word;
}

/* A quarter of the free memory, and never more than the parameter allows; *why names the smaller one. */
static uint64_t buffer_limit_bytes(const struct ctx *ctx, const char **why)
{
	uint64_t limit_bytes = param_number(ctx, SWEEP_BUFFERS), budget_bytes = map_budget_bytes(why);

	if (budget_bytes && budget_bytes / BUDGET_PART < limit_bytes)
		return budget_bytes / BUDGET_PART;
	*why = "buffers";
	return limit_bytes;
}

static bool fits_memory(struct ctx *ctx, const struct place *place)
{
	const char *why = "";
	uint64_t limit_bytes = buffer_limit_bytes(ctx, &why), need_bytes = place->bs_bytes * place->iodepth;
	char bs[24], need[24], limit[24];

	if (need_bytes <= limit_bytes)
		return true;
	emit_skip(ctx, metric_of(place, "bandwidth"), place->point, "%s x %u = %s of buffers, more than %s (%s)",
	          size_word(place->bs_bytes, bs, sizeof bs), place->iodepth, size_word(need_bytes, need, sizeof need),
	          size_word(limit_bytes, limit, sizeof limit), why);
	return false;
}

static bool fits_device(struct ctx *ctx, const struct device *device, const struct place *place)
{
	const char *metric = metric_of(place, "bandwidth");

	if (place->bs_bytes % device->logical_block_bytes)
		emit_skip(ctx, metric, place->point, "not a multiple of the device's blocks of %u B", device->logical_block_bytes);
	else if (place->bs_bytes > device->size_bytes)
		emit_skip(ctx, metric, place->point, "the device is smaller: %" PRIu64 " B", device->size_bytes);
	else
		return true;
	return false;
}

static void add_evidence(const struct device *device, const struct block_result *result, struct facts *facts)
{
	fact_number(facts, "discarded", (int64_t)result->discarded);
	fact_number(facts, "ios", (int64_t)result->ios);
	fact_number(facts, "bytes", (int64_t)result->bytes);
	fact_milli(facts, "time_s", (int64_t)(result->time_ns / MS(1)));
	fact_number(facts, "io_errors", result->errors.count + result->refusals.count);
	fact_number(facts, "overflow", (int64_t)result->flows[BLOCK_SIDE_READ].lat.overflow);
	fact_number(facts, "cpu", cpu_current());
	fact_text(facts, "pinned", "no");
	fact_text(facts, "engine", result->engine);
	if (result->refused[0])
		fact_text(facts, "engines_refused", result->refused);
	fact_text(facts, "device", device->node);
	if (device->model[0])
		fact_text(facts, "model", device->model);
	fact_text(facts, "direct", device->direct ? "yes" : "no");
	if (device->unwritten)
		fact_text(facts, "unwritten", "yes");
	if (!device->bound_bytes_per_s || result->bandwidth_milli == VALUE_NONE)
		return;
	fact_number(facts, "bound", (int64_t)device->bound_bytes_per_s);
	fact_milli(facts, "ratio", milli_ratio((uint64_t)result->bandwidth_milli / 1000, device->bound_bytes_per_s));
}

/* A rate of the whole, with what it was interval by interval; per: bytes to one of its unit. */
static void emit_rate(struct ctx *ctx, const struct place *place, const char *quantity, const char *unit, int64_t value_milli,
                      uint64_t per, const struct block_result *result, const struct facts *evidence)
{
	static struct samples rates;
	static struct summary summary;
	static struct facts facts;

	facts = *evidence;
	rates = result->flows[BLOCK_SIDE_READ].bandwidth;
	for (unsigned i = 0; i < rates.count; i++)
		rates.values[i] /= (int64_t)per;
	summary_of(&rates, &summary);
	if (summary.count)
		summary_facts(&summary, &facts);
	emit_figure(ctx, metric_of(place, quantity), unit, place->point, value_milli, &facts);
}

static void emit_figures(struct ctx *ctx, const struct device *device, const struct place *place,
                         const struct block_result *result)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	add_evidence(device, result, &facts);
	emit_rate(ctx, place, "bandwidth", "B/s", result->bandwidth_milli, 1, result, &facts);
	emit_rate(ctx, place, "iops", "1/s", result->iops_milli, place->bs_bytes, result, &facts);
	emit_latency(ctx, metric_of(place, "latency"), place->point, &result->flows[BLOCK_SIDE_READ].lat, &facts);
	fact_number(&facts, "n", (int64_t)result->ios);
	emit_figure(ctx, metric_of(place, "inflight"), "1", place->point, result->inflight_milli, &facts);
}

static void report(struct ctx *ctx, struct device *device, const struct place *place, const struct block_result *result,
                   int err)
{
	const char *metric = metric_of(place, "bandwidth");
	bool failed = block_say(ctx, metric, place->point, device->node, "reads", result, err);

	if (result->device_gone)
		device_lost(device);
	if (err)
		return;
	if (result->iodepth < place->iodepth)
		emit_skip(ctx, metric, place->point, "%s holds depth %u; iodepth=%u was asked%s%s", result->engine, result->iodepth,
		          place->iodepth, result->refused[0] ? ": " : "", result->refused);
	else if (result->ios)
		emit_figures(ctx, device, place, result);
	else if (!failed)
		emit_error(ctx, metric, place->point, "%s: nothing was read", device->node);
}

static void measure(struct ctx *ctx, struct device *device, const struct place *place)
{
	static struct block_result result;
	const struct block_job job = {
		.fd = device->fd, .rw = place->sweep->rw,
		.engine = (enum block_engine_choice)param_number(ctx, SWEEP_IOENGINE),
		.iodepth = place->iodepth, .bs_bytes = place->bs_bytes, .size_bytes = device->size_bytes,
		.runtime_ns = param_number(ctx, SWEEP_RUNTIME), .ramp_ns = param_number(ctx, SWEEP_RUNTIME) / RAMP_PART,
		/* Other places at each point: what one has read must not be cached for the next. */
		.seed = ctx_seed(ctx) ^ place->bs_bytes << 16 ^ place->iodepth,
	};
	int err = block_run(&job, &result);

	report(ctx, device, place, &result, err);
}

static void read_end(struct ctx *ctx, struct device *device, const char *which, uint64_t offset_bytes)
{
	int err = block_read_once(device->fd, offset_bytes, device->logical_block_bytes);

	if (err)
		(block_is_fault(err, false) ? emit_fail : emit_error)(ctx, NULL, NULL, "%s: the %s block, at byte %" PRIu64
			", cannot be read: %s", device->node, which, offset_bytes, sys_error(err));
	if (err == -ENODEV || err == -ENXIO)
		device_lost(device);
}

/* Both ends of the device: a size that is not true shows at the last block. */
static void read_ends(struct ctx *ctx, struct device *device)
{
	uint64_t blocks = device->size_bytes / device->logical_block_bytes;

	if (planned(ctx, MS(ENDS_MS), 0) || !device_ready(ctx, device) || !blocks)
		return;
	read_end(ctx, device, "first", 0);
	if (device_ready(ctx, device))
		read_end(ctx, device, "last", (blocks - 1) * device->logical_block_bytes);
}

static void one_place(struct ctx *ctx, struct device *device, const struct place *place)
{
	uint64_t runtime_ns = param_number(ctx, SWEEP_RUNTIME);

	if (!fits_device(ctx, device, place) || !fits_memory(ctx, place))
		return;
	if (!planned(ctx, runtime_ns + runtime_ns / RAMP_PART + MS(POINT_SLACK_MS), 0) && device_ready(ctx, device))
		measure(ctx, device, place);
}

void block_sweep(struct ctx *ctx, const struct sweep *sweep)
{
	struct device device;

	for_each_storage(ctx, &device) {
		if (sweep->ends)
			read_ends(ctx, &device);
		for_each_param(ctx, SWEEP_BS, bs_bytes)
			for_each_param(ctx, SWEEP_IODEPTH, iodepth) {
				const struct place place = {
					.sweep = sweep, .bs_bytes = bs_bytes, .iodepth = (unsigned)iodepth,
					.point = { point_text("role", device.role), point_size("bs", bs_bytes), point_number("iodepth", iodepth),
					           point_number("numjobs", 1), POINT_LIST_END },
				};
				one_place(ctx, &device, &place);
			}
	}
}
