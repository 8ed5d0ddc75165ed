/* report_seal: a sealed record is whole; no byte of it can be changed, lost or added unseen. */
#include <string.h>

#include "report/ocp.h"
#include "report/seal.h"
#include "sink_buffer.h"
#include "test.h"

static struct board board = { .name = "x86", .title = "PC", .source = "built in" };
static struct identity identity = { .kernel = "6.1", .arch = "x86_64" };

static void make_record(enum verdict verdict)
{
	struct ocp_sink ocp;
	struct tally tally = { .steps = 1, .figures = 1 };
	struct run_info info = { .command_line = "assay run", .version = "1", .build_id = "ab", .board = &board, .identity = &identity,
		.serial = "", .station = "", .operator = "", .level = "short", .only = "", .skip = "", .scratch = "", .peer = "", .peer_state = "", .clock = "tsc" };
	struct run_end end = { .verdict = verdict, .tally = &tally, .last_line = "" };
	struct event event = { .kind = EVENT_FIGURE, .metric = "mem.latency", .unit = "ns", .value_milli = 84750 };
	struct judged judged = { .event = &event, .outcome = OUTCOME_MEASURED, .reason = "" };

	buffer.size = 0;
	ocp_sink_init(&ocp, &buffer.output, NULL);
	sink_tell(&ocp.sink, run_start, &info);
	sink_tell(&ocp.sink, step_start, 1, "mem.latency", 0);
	sink_tell(&ocp.sink, event, &judged);
	sink_tell(&ocp.sink, step_end, "mem.latency", OUTCOME_PASS, "", 0);
	sink_tell(&ocp.sink, run_end, &end);
}

static int verify(struct seal_check *seal) { return seal_verify(buffer.bytes, buffer.size, seal); }

test(sealed_record_is_accepted_with_its_verdict)
{
	struct seal_check seal;

	for (enum verdict v = VERDICT_PASS; v <= VERDICT_INTERRUPTED; v++) {
		make_record(v);
		check_equal(verify(&seal), 0);
		check_equal(seal.verdict, v);
	}
}

test(any_changed_byte_is_refused)
{
	struct seal_check seal;

	make_record(VERDICT_FAIL);
	for (size_t i = 0; i < buffer.size; i++) {
		buffer.bytes[i] ^= 1;
		check(verify(&seal) != 0);
		buffer.bytes[i] ^= 1;
	}
	check_equal(verify(&seal), 0);
}

test(any_cut_is_refused)
{
	struct seal_check seal;
	size_t whole;

	make_record(VERDICT_PASS);
	whole = buffer.size;
	for (buffer.size = 0; buffer.size < whole; buffer.size++)
		check(verify(&seal) != 0);
}

test(anything_added_is_refused)
{
	struct seal_check seal;

	make_record(VERDICT_PASS);
	buffer.bytes[buffer.size++] = '\n';
	check(verify(&seal) != 0);
	buffer.size--;
	memmove(buffer.bytes + 1, buffer.bytes, buffer.size++);
	buffer.bytes[0] = '\n';
	check(verify(&seal) != 0);
}

test(lost_line_is_refused)
{
	struct seal_check seal;
	char *second, *third;

	make_record(VERDICT_PASS);
	second = memchr(buffer.bytes, '\n', buffer.size) ;
	third = memchr(second + 1, '\n', 8192);
	memmove(second, third, buffer.size - (size_t)(third - buffer.bytes));
	buffer.size -= (size_t)(third - second);
	check(verify(&seal) != 0);
}

test(output_that_fails_is_reported_and_not_written_to_again)
{
	struct ocp_sink ocp;

	make_record(VERDICT_PASS);
	ocp_sink_init(&ocp, &buffer.output, NULL);
	ocp.errors[0] = -28;
	buffer.size = 0;
	check_equal(sink_tell(&ocp.sink, step_start, 1, "x", 0), -28);
	check_equal(buffer.size, 0);
}
