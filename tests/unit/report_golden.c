/*
 * report_golden: every sink, over one run that holds each kind of event, against the files in tests/golden.
 * GOLDEN_WRITE=1 writes them anew, for a change that is meant; git then shows what a reader of records will see.
 */
#include <stdlib.h>
#include <unistd.h>

#include "lib/text.h"
#include "report/console.h"
#include "report/ktap.h"
#include "report/ocp.h"
#include "report/table.h"
#include "golden.h"
#include "test.h"

static const struct board board = { .name = "x86", .title = "Generic x86-64 machine", .source = "built in", .sha256 = "00" };
static const struct identity identity = { .kernel = "6.1.0", .arch = "x86_64", .product = "PC \"7\"", .cpus_online = 4,
	.memory_bytes = 16ull << 30, .disk_count = 1,
	.disks = { { .name = "nvme0n1", .bus = "nvme", .bus_path = "pci0000:00/0000:01:00.0", .model = "M1", .serial = "S1" } } };
static const struct limit limit = { .judged = true, .has_min = true, .min_milli = 200000000000, .has_max = true,
	.max_milli = 900000000000, .source = "a test" };

static struct point points[] = { { "role", "nvme" }, { "bs", "4k" }, { "iodepth", "32" }, { "numjobs", "1" } };

static struct event figure(int64_t value_milli)
{
	struct event event = { .kind = EVENT_FIGURE, .metric = "block.read.bandwidth", .unit = "B/s", .value_milli = value_milli,
	                       .point_count = 4 };

	memcpy(event.points, points, sizeof points);
	fact_number(&event.facts, "n", 40);
	fact_milli(&event.facts, "low95", value_milli - 1000000000);
	fact_milli(&event.facts, "high95", value_milli + 1000000000);
	fact_milli(&event.facts, "ratio", 612);
	fact_text(&event.facts, "engine", "io_uring");
	return event;
}

static void say(struct sink *sink, struct event event, enum outcome outcome, const struct limit *with, const char *reason)
{
	struct judged judged = { .event = &event, .outcome = outcome, .limit = with, .reason = reason, .time_ns = 1764512525123456789 };

	sink_tell(sink, event, &judged);
}

static void say_series(struct sink *sink)
{
	struct event event = figure(0);

	event.kind = EVENT_SERIES;
	strcpy(event.metric, "block.read.lat");
	strcpy(event.unit, "1");
	say(sink, event, OUTCOME_NONE, NULL, "");
	say(sink, (struct event){ .kind = EVENT_ELEMENT, .aux = 8128, .value_milli = 39000 }, OUTCOME_NONE, NULL, "");
	say(sink, (struct event){ .kind = EVENT_ELEMENT, .aux = 9152, .value_milli = 1000 }, OUTCOME_NONE, NULL, "");
}

static void say_study(struct sink *sink)
{
	struct event cell = figure(88120000000), skipped = { .kind = EVENT_SKIP, .metric = "block.read.bandwidth", .unit = "B/s" };

	fact_cell(&cell.facts, "bandwidth by block size, MB/s (theirs: AGX Orin)", "read", "2k", 90000000000);
	fact_cell(&skipped.facts, "bandwidth by block size, MB/s (theirs: AGX Orin)", "read", "4g", 3820000000000);
	say(sink, cell, OUTCOME_MEASURED, NULL, "");
	say(sink, skipped, OUTCOME_SKIP, NULL, "the scratch has 1 GiB");
	say(sink, (struct event){ .kind = EVENT_CLAIM, .metric = "edge-nvme.b", .aux = CLAIM_REFUTED,
	    .message = "\"a minimum block of 0.5 GB is necessary\"\n16m brings 89 % of it" }, OUTCOME_NONE, NULL, "");
}

static struct event word(enum event_kind kind, const char *metric)
{
	struct event event = { .kind = kind };

	strcpy(event.metric, metric);
	return event;
}

static void run(struct sink *sink)
{
	const uint64_t time_ns = 1764512525000000000;
	struct tally tally = { .steps = 3, .figures = 3, .failed = 2, .errors = 1, .warned = 2, .unjudged = 1, .skipped = 2 };
	struct run_info info = { .command_line = "assay run --level short", .version = "0.1.0", .build_id = "abcd", .board = &board,
		.identity = &identity, .serial = "SN 1", .station = "ST1", .operator = "", .level = "short", .only = "", .skip = "", .scratch = "", .peer = "", .peer_state = "",
		.clock = "tsc", .clock_resolution_ps = 500, .clock_overhead_ps = 11700, .step_count = 3, .start_ns = time_ns };
	struct run_end end = { .verdict = VERDICT_FAIL, .tally = &tally, .last_line = "assay: FAIL (the last line)", .time_ns = time_ns };

	sink_tell(sink, run_start, &info);
	sink_tell(sink, step_start, 1, "block.read", time_ns);
	say(sink, figure(312400000000), OUTCOME_PASS, &limit, "");
	say(sink, figure(1337), OUTCOME_FAIL, &limit, "block.read.bandwidth[role=nvme,bs=4k,iodepth=32,numjobs=1] is 1.337 B/s, below its limit of 200000000");
	say(sink, figure(3145728000000), OUTCOME_WARNED, &limit, "it is warm");
	say(sink, word(EVENT_SKIP, "block.read.latency.p99.9"), OUTCOME_SKIP, NULL, "n/a: 40 samples are too few for it");
	say_series(sink);
	say(sink, (struct event){ .kind = EVENT_SERIES_END, .aux = 2 }, OUTCOME_NONE, NULL, "");
	say_series(sink); /* and its end never comes */
	say_study(sink);
	say(sink, word(EVENT_FAIL, ""), OUTCOME_FAIL, NULL, "nvme0n1: 2 reads failed, the first at byte 4096: EIO (input/output error)");
	sink_tell(sink, step_end, "block.read", OUTCOME_FAIL, "nvme0n1: 2 reads failed", time_ns);
	sink_tell(sink, step_start, 2, "mem.c2c", time_ns);
	say(sink, word(EVENT_SKIP, ""), OUTCOME_SKIP, NULL, "not in this version");
	sink_tell(sink, step_end, "mem.c2c", OUTCOME_SKIP, "not in this version", time_ns);
	sink_tell(sink, step_start, 3, "mem.latency", time_ns);
	say(sink, word(EVENT_LOG, ""), OUTCOME_NONE, NULL, "a line for the record");
	say(sink, (struct event){ .kind = EVENT_FIGURE, .metric = "mem.latency", .unit = "ns", .value_milli = 84750 }, OUTCOME_MEASURED, NULL, "");
	say(sink, (struct event){ .kind = EVENT_FIGURE, .metric = "mem.latency.max", .unit = "ns", .value_milli = VALUE_NONE }, OUTCOME_ERROR, NULL, "no value");
	say(sink, word(EVENT_WARN, ""), OUTCOME_WARNED, NULL, "a \"quoted\" warning\twith a tab");
	say(sink, (struct event){ .kind = EVENT_PROGRESS, .value_milli = 500, .aux = 2500000000 }, OUTCOME_NONE, NULL, "");
	sink_tell(sink, step_end, "mem.latency", OUTCOME_ERROR, "no value", time_ns);
	sink_tell(sink, run_end, &end);
}

test(text_for_people_is_the_golden_file)
{
	struct console_sink sink;

	buffer.size = 0;
	console_sink_init(&sink, &buffer.output, false);
	run(&sink.sink);
	check_golden("tests/golden/run.txt");
}

test(text_on_a_terminal_has_colours_and_progress)
{
	struct console_sink sink;

	buffer.size = 0;
	console_sink_init(&sink, &buffer.output, true);
	run(&sink.sink);
	check_golden("tests/golden/run.terminal");
}

test(ktap_is_the_golden_file)
{
	struct ktap_sink sink;

	buffer.size = 0;
	ktap_sink_init(&sink, &buffer.output);
	run(&sink.sink);
	check_golden("tests/golden/run.ktap");
}

test(tables_and_claims_are_the_golden_file)
{
	static struct table_sink sink;

	buffer.size = 0;
	table_sink_init(&sink, &buffer.output, false);
	run(&sink.sink);
	check_golden("tests/golden/run.table");
}

test(record_is_the_golden_file)
{
	struct ocp_sink sink;

	buffer.size = 0;
	ocp_sink_init(&sink, &buffer.output, NULL);
	run(&sink.sink);
	check_golden("tests/golden/run.jsonl");
}

static const char *shown(int64_t milli, const char *unit)
{
	static char text_buffer[64];
	struct text text = TEXT(text_buffer);

	console_add_value(&text, milli, unit);
	return text_buffer;
}

test(values_for_people_are_scaled_by_thousands)
{
	check_string(shown(3145728000000, "B/s"), "3.146 GB/s");
	check_string(shown(52300000, "ns"), "52.30 us");
	check_string(shown(999999, "ns"), "999.999 ns");
	check_string(shown(1000000, "ns"), "1.000 us");
	check_string(shown(999999999, "ns"), "1.000 ms");
	check_string(shown(123456, "1"), "123.456");
	check_string(shown(270000000, "B/s"), "270.0 kB/s");
	check_string(shown(VALUE_NONE, "ns"), "n/a");
	check_string(shown(150000000000, "1/s"), "150.0 M/s");
}
