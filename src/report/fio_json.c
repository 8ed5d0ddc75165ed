/* fio_json.c: see fio_json.h. */
#include <errno.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "report/fio_json.h"
#include "report/fio_shape.h"
#include "report/line.h"

enum { FLUSH_BYTES = 4096 };
enum { BANDWIDTH = FIO_LATENCIES, IOPS, INFLIGHT }; /* parts of a side behind its latencies */

static const uint64_t last_bucket_ns = 17112760320; /* the middle of fio's last one */

static const char *const side_words[FIO_JSON_SIDES] = { "read", "write" };

/* ---- writing ---- */

/* The last byte stays: it tells whether a comma is due. */
static int write_out(struct fio_json_sink *fio, size_t keep)
{
	struct text *text = &fio->text;
	size_t count = text->length - keep;
	int err = text->cut ? -EOVERFLOW : fio->output->write(fio->output, text->at, count);

	memmove(text->at, text->at + count, keep + 1);
	text->length = keep;
	return err;
}

static int flush_some(struct fio_json_sink *fio)
{
	return fio->text.length > FLUSH_BYTES ? write_out(fio, 1) : 0;
}

/* ---- a latency ---- */

static void add_bucket(struct fio_json_sink *fio, uint64_t at_ns, uint64_t count)
{
	char key[24];

	/* Its reader takes no empty list of buckets: none is begun before there is one. */
	if (!fio->in_bins)
		line_open(&fio->text, "bins");
	fio->in_bins = true;
	text_format(key, sizeof key, "%llu", (unsigned long long)at_ns);
	line_add_number(&fio->text, key, count);
}

static void close_latency(struct fio_json_sink *fio)
{
	if (fio->series < 0)
		return;
	if (fio->clipped)
		add_bucket(fio, last_bucket_ns, fio->clipped);
	line_close(&fio->text, fio->in_bins);
	if (fio->clipped)
		line_add_number(&fio->text, "clipped", fio->clipped);
	line_close(&fio->text, 1);
	fio->series = -1;
	fio->in_bins = false;
}

static void take_series(struct fio_json_sink *fio, unsigned latency, const struct facts *facts)
{
	if (fio->parts_done & 1u << latency)
		return;
	fio->parts_done |= 1u << latency;
	fio_open_latency(&fio->text, latency, facts);
	fio->series = (int)latency;
	fio->clipped = fio_whole(facts, "overflow");
	if (latency == FIO_LAT && fio->clipped)
		fio_count_class(&fio->classes, UINT64_MAX, fio->clipped);
}

static void take_element(struct fio_json_sink *fio, const struct event *event)
{
	uint64_t count = event->value_milli > 0 ? (uint64_t)event->value_milli / 1000 : 0;

	if (fio->series < 0 || !count)
		return;
	if (fio->series == FIO_LAT)
		fio_count_class(&fio->classes, event->aux, count);
	if (event->aux >= last_bucket_ns)
		fio->clipped += count;
	else
		add_bucket(fio, event->aux, count);
}

/* ---- a side and a job ---- */

static void open_side(struct fio_json_sink *fio, unsigned side)
{
	line_open(&fio->text, side_words[side]);
	fio->side = (int)side;
	fio->sides_done |= 1u << side;
	fio->parts_done = 0;
}

/* With zeros for all that did not come. */
static void close_side(struct fio_json_sink *fio)
{
	struct text *text = &fio->text;

	if (fio->side < 0)
		return;
	close_latency(fio);
	if (!(fio->parts_done & 1u << BANDWIDTH))
		fio_add_bandwidth(text, NULL, 0);
	if (!(fio->parts_done & 1u << IOPS))
		fio_add_iops(text, NULL, 0);
	for (unsigned i = 0; i < FIO_LATENCIES; i++) {
		if (fio->parts_done & 1u << i)
			continue;
		fio_open_latency(text, i, NULL);
		line_close(text, 1);
	}
	line_close(text, 1);
	fio->side = -1;
}

static uint64_t number_or(const char *text, uint64_t otherwise)
{
	number_parse(text, &otherwise);
	return otherwise;
}

static void close_job(struct fio_json_sink *fio)
{
	struct text *text = &fio->text;
	uint64_t threads = number_or(fio->numjobs, 1), job_ms = fio->elapsed_ms * threads;

	if (!fio->in_job)
		return;
	close_side(fio);
	for (unsigned i = 0; i < FIO_JSON_SIDES; i++)
		if (!(fio->sides_done & 1u << i)) {
			open_side(fio, i);
			close_side(fio);
		}
	line_open(text, "trim");
	line_close(text, 1);
	line_add_number(text, "error", fio->failed ? EIO : 0);
	if (fio->failed)
		line_add_string(text, "error_text", fio->error_text);
	line_add_number(text, "eta", 0);
	line_add_number(text, "elapsed", (fio->elapsed_ms + 999) / 1000);
	line_add_number(text, "job_runtime", job_ms);
	fio_add_share(text, "usr_cpu", fio->user_ns, job_ms * MS(1));
	fio_add_share(text, "sys_cpu", fio->system_ns, job_ms * MS(1));
	fio_add_depth(text, fio->inflight_milli, threads);
	fio_add_classes(text, &fio->classes);
	line_add_number(text, "latency_depth", number_or(fio->iodepth, 0));
	line_close(text, 1);
	fio->in_job = false;
}

static void add_options(struct fio_json_sink *fio, const struct event *event)
{
	static const struct { const char *option, *fact; } texts[] = {
		{ "filename", "device" }, { "ioengine", "engine" },
	};
	const char *direct = fact_find_text(&event->facts, "direct");

	line_add_string(&fio->text, "rw", fio->rw);
	line_add_string(&fio->text, "bs", fio->bs);
	line_add_string(&fio->text, "iodepth", fio->iodepth);
	line_add_string(&fio->text, "numjobs", fio->numjobs);
	line_add_string(&fio->text, "group_reporting", "1");
	for (unsigned i = 0; i < COUNT_OF(texts); i++) {
		const char *text = fact_find_text(&event->facts, texts[i].fact);

		if (text)
			line_add_string(&fio->text, texts[i].option, text);
	}
	if (direct)
		line_add_string(&fio->text, "direct", strcmp(direct, "yes") ? "0" : "1");
}

static const char *point_of(const struct event *event, const char *key)
{
	for (uint32_t i = 0; i < event->point_count; i++)
		if (!strcmp(event->points[i].key, key))
			return event->points[i].value;
	return "";
}

/* What is kept of one job, and of none other. */
static void clear_job(struct fio_json_sink *fio)
{
	fio->side = fio->series = -1;
	fio->sides_done = fio->parts_done = 0;
	fio->in_bins = fio->failed = false;
	fio->clipped = fio->user_ns = fio->system_ns = fio->elapsed_ms = 0;
	fio->inflight_milli = 0;
	memset(&fio->classes, 0, sizeof fio->classes);
}

static void open_job(struct fio_json_sink *fio, const struct event *event, const char *rw)
{
	char name[200];

	close_job(fio);
	clear_job(fio);
	fio->in_job = true;
	text_copy(fio->rw, sizeof fio->rw, rw);
	text_copy(fio->bs, sizeof fio->bs, point_of(event, "bs"));
	text_copy(fio->iodepth, sizeof fio->iodepth, point_of(event, "iodepth"));
	text_copy(fio->numjobs, sizeof fio->numjobs, point_of(event, "numjobs"));
	text_format(name, sizeof name, "%s-%s-%s-%s", fio->rw, fio->bs, fio->iodepth, fio->numjobs);
	text_add(&fio->text, fio->job_count ? ",\n{" : "\n{");
	line_add_string(&fio->text, "jobname", name);
	line_add_number(&fio->text, "groupid", fio->job_count++);
	line_open(&fio->text, "job options");
	line_add_string(&fio->text, "name", name);
	add_options(fio, event);
	line_close(&fio->text, 1);
}

static bool is_of_job(const struct fio_json_sink *fio, const struct event *event, const char *rw)
{
	return fio->in_job && !strcmp(fio->rw, rw) && !strcmp(fio->bs, point_of(event, "bs")) &&
	       !strcmp(fio->iodepth, point_of(event, "iodepth")) && !strcmp(fio->numjobs, point_of(event, "numjobs"));
}

/* ---- events ---- */

/* The workload of block.<rw>.<quantity>, and the quantity; NULL for any other metric. */
static const char *workload(const struct event *event, const char **quantity)
{
	static const char *const words[] = { "read", "write", "randread", "randwrite", "rw", "randrw" };
	const char *at = event->metric + 6;

	for (unsigned i = 0; i < COUNT_OF(words) && text_starts(event->metric, "block."); i++)
		if (text_starts(at, words[i]) && at[strlen(words[i])] == '.') {
			*quantity = at + strlen(words[i]) + 1;
			return words[i];
		}
	return NULL;
}

/* Which side a figure is of; -1: of both together. */
static int side_of(const struct event *event, const char *rw)
{
	const char *side = point_of(event, "side");

	if (!*side && strcmp(rw, "rw") && strcmp(rw, "randrw"))
		side = text_ends(rw, "read") ? "read" : "write";
	return !strcmp(side, "read") ? FIO_JSON_READ : !strcmp(side, "write") ? FIO_JSON_WRITE : -1;
}

/* Opens what the event is of: false when that was closed before. */
static bool open_for(struct fio_json_sink *fio, const struct event *event, const char *rw, int side)
{
	if (!is_of_job(fio, event, rw))
		open_job(fio, event, rw);
	if (fio->side == side)
		return true;
	if (fio->sides_done & 1u << side)
		return false;
	close_side(fio);
	open_side(fio, (unsigned)side);
	return true;
}

/* Of the whole job: the last side that tells it. */
static void keep_use(struct fio_json_sink *fio, const struct facts *facts)
{
	fio->user_ns = fio_whole(facts, "user_ns");
	fio->system_ns = fio_whole(facts, "system_ns");
	fio->elapsed_ms = fio_thousandths(facts, fact_find(facts, "elapsed_s") ? "elapsed_s" : "time_s");
}

static void take_figure(struct fio_json_sink *fio, const struct event *event, const char *rw, const char *quantity)
{
	static const char *const quantities[] = { [BANDWIDTH] = "bandwidth", [IOPS] = "iops", [INFLIGHT] = "inflight" };
	unsigned part = BANDWIDTH;
	int side = side_of(event, rw);
	int64_t value_milli = event->value_milli > 0 ? event->value_milli : 0;

	while (part < COUNT_OF(quantities) && strcmp(quantity, quantities[part]))
		part++;
	if (side < 0 || part == COUNT_OF(quantities))
		return;
	/* The same point once more is the next job. */
	if (part == BANDWIDTH && is_of_job(fio, event, rw) && fio->sides_done & 1u << side)
		close_job(fio);
	if (!open_for(fio, event, rw, side) || fio->parts_done & 1u << part)
		return;
	close_latency(fio);
	fio->parts_done |= 1u << part;
	if (part == BANDWIDTH) {
		fio_add_bandwidth(&fio->text, &event->facts, value_milli);
		keep_use(fio, &event->facts);
	} else if (part == IOPS) {
		fio_add_iops(&fio->text, &event->facts, value_milli);
	} else {
		fio->inflight_milli += value_milli;
	}
}

static void start_series(struct fio_json_sink *fio, const struct event *event, const char *rw, const char *quantity)
{
	int side = side_of(event, rw);

	for (unsigned i = 0; i < FIO_LATENCIES; i++)
		if (side >= 0 && !strcmp(quantity, fio_latency_words[i]) && open_for(fio, event, rw, side))
			take_series(fio, i, &event->facts);
}

/* The first fault of a job, or of the run when it is of no point. */
static void take_fault(struct fio_json_sink *fio, const struct judged *judged, const char *rw)
{
	if (rw && *point_of(judged->event, "bs") && !is_of_job(fio, judged->event, rw))
		open_job(fio, judged->event, rw);
	if (!fio->in_job && !*fio->fault)
		text_copy(fio->fault, sizeof fio->fault, judged->reason);
	if (fio->in_job && !fio->failed)
		text_copy(fio->error_text, sizeof fio->error_text, judged->reason);
	fio->failed = true;
}

static int take_event(struct sink *sink, const struct judged *judged)
{
	struct fio_json_sink *fio = (struct fio_json_sink *)sink;
	const struct event *event = judged->event;
	const char *quantity = "", *rw = workload(event, &quantity);

	if (event->kind == EVENT_SERIES || event->kind == EVENT_SERIES_END)
		close_latency(fio);
	if (event->kind == EVENT_FIGURE && rw)
		take_figure(fio, event, rw, quantity);
	else if (event->kind == EVENT_SERIES && rw)
		start_series(fio, event, rw, quantity);
	else if (event->kind == EVENT_ELEMENT)
		take_element(fio, event);
	if (judged->outcome == OUTCOME_ERROR || event->kind == EVENT_FAIL)
		take_fault(fio, judged, rw);
	return flush_some(fio);
}

static int run_start(struct sink *sink, const struct run_info *info)
{
	struct fio_json_sink *fio = (struct fio_json_sink *)sink;
	struct text *text = &fio->text;
	char version[64];

	text_format(version, sizeof version, "assay-%s (fio json+)", info->version);
	text_add(text, "{");
	line_add_string(text, "fio version", version);
	line_add_number(text, "timestamp", info->start_ns / SECONDS(1));
	line_add_number(text, "timestamp_ms", info->start_ns / MS(1));
	line_add_time(text, "time", info->start_ns);
	json_add_key(text, "jobs");
	text_add(text, "[");
	return 0;
}

static int step_end(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	(void)name;
	(void)outcome;
	(void)reason;
	(void)time_ns;
	close_job((struct fio_json_sink *)sink);
	return flush_some((struct fio_json_sink *)sink);
}

static int run_end(struct sink *sink, const struct run_end *end)
{
	struct fio_json_sink *fio = (struct fio_json_sink *)sink;
	struct text *text = &fio->text;

	close_job(fio);
	text_add(text, "],\"disk_util\":[]");
	line_open(text, "assay");
	line_add_string(text, "verdict", verdict_word(end->verdict));
	line_add_string(text, "last_line", end->last_line);
	if (*fio->fault)
		line_add_string(text, "fault", fio->fault);
	line_end(text, 2);
	return write_out(fio, 0);
}

static const struct sink_ops ops = { .run_start = run_start, .event = take_event, .step_end = step_end, .run_end = run_end };

void fio_json_sink_init(struct fio_json_sink *sink, struct output *output)
{
	memset(sink, 0, sizeof *sink);
	sink->sink.ops = &ops;
	sink->output = output;
	sink->text = TEXT(sink->buffer);
	clear_job(sink);
}
