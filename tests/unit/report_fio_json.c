/*
 * report_fio_json: the document that fio's consumers read: its shape is a golden file (tests/golden/fio.json, which
 * tests/cli/fio-json.sh hands to fio's own reader), and it is JSON wherever a run ends.
 */
#include <stdlib.h>

#include "lib/json.h"
#include "report/fio_json.h"
#include "golden.h"
#include "test.h"

static struct fio_json_sink sink;
static unsigned told, limit; /* events so far, and how many are let through */

static void begin(void)
{
	static const struct run_info info = { .version = "0.1.0", .start_ns = 1764512525123456789 };

	buffer.size = told = 0;
	limit = 1000000;
	fio_json_sink_init(&sink, &buffer.output);
	sink_tell(&sink.sink, run_start, &info);
}

static void end(bool step)
{
	struct tally tally = { .figures = 1 };
	struct run_end run_end = { .verdict = VERDICT_FAIL, .tally = &tally, .last_line = "assay: FAIL" };

	if (step)
		sink_tell(&sink.sink, step_end, "block", OUTCOME_PASS, "", 0);
	check_equal(sink_tell(&sink.sink, run_end, &run_end), 0);
}

static void say(const struct event *event, enum outcome outcome, const char *reason)
{
	struct judged judged = { .event = event, .outcome = outcome, .reason = reason };

	if (told++ < limit)
		check_equal(sink_tell(&sink.sink, event, &judged), 0);
}

struct place { const char *rw, *bs, *side; };

static struct event event_of(enum event_kind kind, const struct place *place, const char *quantity)
{
	struct event event = { .kind = kind, .point_count = place->side ? 5 : 4,
	                       .points = { { "role", "vdb" }, { "bs", "" }, { "iodepth", "4" }, { "numjobs", "2" }, { "side", "" } } };

	snprintf(event.metric, sizeof event.metric, "block.%s.%s", place->rw, quantity);
	strcpy(event.points[1].value, place->bs);
	if (place->side)
		strcpy(event.points[4].value, place->side);
	return event;
}

static void say_rates(const struct place *place)
{
	struct event event = event_of(EVENT_FIGURE, place, "bandwidth");

	event.value_milli = 40960000000;
	fact_number(&event.facts, "n", 32);
	fact_number(&event.facts, "min", 20480000);
	fact_number(&event.facts, "max", 51200000);
	fact_number(&event.facts, "deviation", 1048576);
	fact_number(&event.facts, "ios", 10000);
	fact_number(&event.facts, "bytes", 40960000);
	fact_milli(&event.facts, "time_s", 1000);
	fact_milli(&event.facts, "elapsed_s", 1250);
	fact_number(&event.facts, "user_ns", 50000000);
	fact_number(&event.facts, "system_ns", 1000000000);
	fact_text(&event.facts, "engine", "io_uring");
	fact_text(&event.facts, "device", "/dev/vdb");
	fact_text(&event.facts, "direct", "yes");
	say(&event, OUTCOME_MEASURED, "");
	event = event_of(EVENT_FIGURE, place, "iops");
	event.value_milli = 10000000;
	fact_number(&event.facts, "n", 32);
	fact_number(&event.facts, "min", 5000);
	fact_number(&event.facts, "max", 12500);
	fact_number(&event.facts, "deviation", 256);
	say(&event, OUTCOME_MEASURED, "");
	event = event_of(EVENT_FIGURE, place, "inflight");
	event.value_milli = place->side ? 3800 : 7600;
	say(&event, OUTCOME_MEASURED, "");
	/* Others of the point come in between. */
	event = event_of(EVENT_FIGURE, place, "latency.p50");
	say(&event, OUTCOME_MEASURED, "");
}

static void say_element(uint64_t at_ns, int64_t count)
{
	struct event event = { .kind = EVENT_ELEMENT, .aux = at_ns, .value_milli = count * 1000 };

	say(&event, OUTCOME_NONE, "");
}

static void say_series(const struct place *place, const char *quantity, uint64_t shift_ns, int64_t overflow)
{
	struct event event = event_of(EVENT_SERIES, place, quantity);
	static const struct event last = { .kind = EVENT_SERIES_END, .aux = 4 };

	fact_number(&event.facts, "n", 10000);
	fact_number(&event.facts, "min", (int64_t)shift_ns + 100);
	fact_number(&event.facts, "max", 20000000000);
	fact_milli(&event.facts, "mean", 400250500);
	fact_milli(&event.facts, "deviation", 1250);
	fact_number(&event.facts, "overflow", overflow);
	fact_number(&event.facts, "p1", 120);
	fact_milli(&event.facts, "p50", 390656500);
	fact_number(&event.facts, "p99.5", 800000);
	fact_number(&event.facts, "p99.9999", 900000);
	say(&event, OUTCOME_NONE, "");
	say_element(shift_ns + 100, 1);
	say_element(shift_ns + 390656, 9990);
	say_element(shift_ns + 1048576, 6);
	say_element(20000000000, 2);
	say(&last, OUTCOME_NONE, "");
}

static void say_side(const struct place *place)
{
	say_rates(place);
	say_series(place, "slat", 0, 1);
	say_series(place, "clat", 1000, 1);
	say_series(place, "lat", 2000, 1);
}

static void say_all(void)
{
	static const struct place reading = { "randread", "4k", NULL }, mixed[] = { { "randrw", "8k", "read" }, { "randrw", "8k", "write" } },
	                          skipped = { "randread", "1m", NULL }, failed = { "randread", "2m", NULL };
	struct event event;

	say_side(&reading);
	event = event_of(EVENT_SKIP, &skipped, "bandwidth");
	say(&event, OUTCOME_SKIP, "2 GiB of buffers");
	for (unsigned i = 0; i < 2; i++)
		say_side(&mixed[i]);
	event = event_of(EVENT_FAIL, &failed, "bandwidth");
	say(&event, OUTCOME_FAIL, "vdb: 2 reads failed, the first at byte 4096: \"EIO\"");
}

static char fault[200];
static struct json json;

static bool is_json(void)
{
	return !json_parse(&json, "fio.json", buffer.bytes, buffer.size, fault, sizeof fault);
}

test(whole_document_is_the_golden_file)
{
	begin();
	say_all();
	end(true);
	check_golden("tests/golden/fio.json");
}

test(document_is_json_wherever_the_run_ends)
{
	unsigned all;

	begin();
	say_all();
	all = told;
	check(all > 60);
	for (unsigned stop = 0; stop <= all; stop++) {
		begin();
		limit = stop;
		say_all();
		end(stop % 2);
		if (!is_json()) {
			check(!"it is JSON");
			printf("# after %u events: %s\n", stop, fault);
		}
	}
}

test(buckets_that_fio_does_not_have_are_counted_in_its_last)
{
	static const struct place place = { "read", "4k", NULL };

	begin();
	say_side(&place);
	end(true);
	/* 2 beyond 17 s, and 1 beyond our own last bucket */
	check(strstr(buffer.bytes, "\"1048576\":6,\"17112760320\":3},\"clipped\":3}") != NULL);
	check(strstr(buffer.bytes, "20000000000\":") == NULL);
}

test(latency_without_buckets_has_no_empty_list_of_them)
{
	static const struct place place = { "write", "4k", NULL };
	struct event event = event_of(EVENT_SERIES, &place, "lat");

	begin();
	say_rates(&place);
	say(&event, OUTCOME_NONE, "");
	end(true);
	check(is_json());
	check(strstr(buffer.bytes, "bins") == NULL);
	check(strstr(buffer.bytes, "\"lat_ns\":{\"min\":0,\"max\":0,\"mean\":0,\"stddev\":0,\"N\":0}") != NULL);
}

test(skipped_point_has_no_job_and_a_failed_one_an_error)
{
	begin();
	say_all();
	end(true);
	check(strstr(buffer.bytes, "randread-1m-4-2") == NULL);
	check(strstr(buffer.bytes, "\"jobname\":\"randread-2m-4-2\"") != NULL);
	check(strstr(buffer.bytes, "\"error\":5,\"error_text\":\"vdb: 2 reads failed, the first at byte 4096: \\\"EIO\\\"\"") != NULL);
	/* and only that one */
	check(strstr(strstr(buffer.bytes, "\"error\":5") + 1, "\"error\":5") == NULL);
}

test(same_point_again_is_another_job)
{
	static const struct place place = { "read", "4k", NULL };

	begin();
	say_side(&place);
	say_side(&place);
	end(true);
	check(is_json());
	check(strstr(buffer.bytes, "\"groupid\":1") != NULL);
	check(strstr(buffer.bytes, "\"groupid\":2") == NULL);
}

test(fault_of_no_point_stands_at_the_end)
{
	struct event event = { .kind = EVENT_ERROR };

	begin();
	say(&event, OUTCOME_ERROR, "no memory");
	end(true);
	check(is_json());
	check(strstr(buffer.bytes, "\"jobs\":[],") != NULL);
	check(strstr(buffer.bytes, "\"fault\":\"no memory\"") != NULL);
}

test(interruption_marks_the_job_it_met)
{
	static const struct place place = { "read", "4k", NULL };
	struct event event = { .kind = EVENT_ERROR };

	begin();
	say_rates(&place);
	say(&event, OUTCOME_ERROR, "interrupted");
	end(true);
	check(strstr(buffer.bytes, "\"error_text\":\"interrupted\"") != NULL);
	check(strstr(buffer.bytes, "\"io_bytes\":40960000") != NULL);
}

test(classes_are_counted_of_lat_alone)
{
	static const struct place place = { "read", "4k", NULL };

	begin();
	say_rates(&place);
	say_series(&place, "clat", 0, 0);
	end(true);
	check(strstr(buffer.bytes, "\"latency_us\":{\"2\":0.000000,\"4\":0.000000,\"10\":0.000000,\"20\":0.000000,\"50\":0.000000,"
	                           "\"100\":0.000000,\"250\":0.000000,\"500\":0.000000") != NULL);
	begin();
	say_series(&place, "lat", 0, 0);
	end(true);
	check(strstr(buffer.bytes, "\"250\":0.000000,\"500\":99.909991") != NULL); /* 9990 of 9999 */
	check(strstr(buffer.bytes, "\">=2000\":0.020002") != NULL);
}

test(bin_bounds_fall_where_fio_has_them)
{
	struct fio_classes classes = { .total = 0 };

	fio_count_class(&classes, 1, 1);
	fio_count_class(&classes, 2, 1);
	fio_count_class(&classes, 999, 1);
	fio_count_class(&classes, 1000, 1);
	fio_count_class(&classes, 1999999999, 1);
	fio_count_class(&classes, 2000000000, 1);
	check_equal(classes.counts[0][0], 1);
	check_equal(classes.counts[0][1], 1);
	check_equal(classes.counts[0][9], 1);
	check_equal(classes.counts[1][0], 1);
	check_equal(classes.counts[2][10], 1);
	check_equal(classes.counts[2][11], 1);
	check_equal(classes.total, 6);
}

test(depth_stands_at_the_level_of_the_mean)
{
	char bytes[300];
	struct text text = TEXT(bytes);

	fio_add_depth(&text, 63400, 2);
	check_string(bytes, "\"inflight\":63.4,\"iodepth_level\":{\"1\":0,\"2\":0,\"4\":0,\"8\":0,\"16\":0,\"32\":100,\">=64\":0}");
	text = TEXT(bytes);
	fio_add_depth(&text, 780, 1);
	check(strstr(bytes, "{\"1\":100,\"2\":0") != NULL);
	text = TEXT(bytes);
	fio_add_depth(&text, 0, 1);
	check(strstr(bytes, "100") == NULL);
}

static int fail(struct output *output, const char *bytes, size_t count)
{
	(void)output;
	(void)bytes;
	(void)count;
	return -28;
}

test(output_that_fails_is_reported)
{
	static struct output full = { .write = fail };
	static const struct place place = { "read", "4k", NULL };
	struct run_end run_end = { .verdict = VERDICT_PASS, .last_line = "" };

	begin();
	sink.output = &full;
	say_rates(&place);
	check_equal(sink_tell(&sink.sink, run_end, &run_end), -28);
}
