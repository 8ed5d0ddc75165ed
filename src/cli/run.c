/*
 * run.c: `assay run`, `assay plan`, and `assay` alone: from the words of the command line to a session.
 *
 * Everything that can be wrong with words and files is found before the first step: status 2, and nothing was tested.
 */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "lib/number.h"
#include "lib/text.h"
#include "report/console.h"
#include "report/ktap.h"
#include "report/ocp.h"
#include "run/choose.h"
#include "run/interrupt.h"
#include "run/record.h"
#include "run/scratch_open.h"
#include "run/session.h"
#include "sys/build.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/descriptor.h"
#include "sys/file.h"
#include "sys/guard.h"
#include "sys/identify.h"
#include "sys/kernel_log.h"
#include "sys/lock.h"

static struct options options;
static struct identity identity;
static struct board board;
static struct scratch scratch;
static struct session session;
static char fault[512];
static struct descriptor file, standard;

static const char *const level_words[] = { "short", "medium", "long" };

/* Words, machine, board file, steps and parameters: all of it read only.  0, or the status to end with. */
static int prepare(int argc, char **argv)
{
	const char *other;
	unsigned others;
	int err;

	if (options_parse(&options, argc - 1, argv + 1, &other, 0, &others, fault, sizeof fault))
		return cli_usage("%s", fault);
	err = *options.sysroot ? file_root(options.sysroot) : 0;
	if (err)
		return cli_usage("--sysroot %s: %s", options.sysroot, sys_error(err));
	identify_machine(&identity);
	if (*options.serial)
		text_copy(identity.serial, sizeof identity.serial, options.serial);
	if (choose_board(&board, options.board, &identity, fault, sizeof fault))
		return cli_usage("%s", fault);
	session.options = &options;
	session.board = &board;
	session.identity = &identity;
	if (session_select(&session, fault, sizeof fault) || session_check_params(&session, fault, sizeof fault))
		return cli_usage("%s", fault);
	return 0;
}

static int take_machine(void)
{
	int pid = 0, fd = -1, err;

	err = lock_take(&fd, &pid);
	if (err == -EWOULDBLOCK)
		return cli_usage("another assay (process %d) holds this machine: two would disturb each other; wait for it or end it", pid);
	if (err)
		return cli_usage("the lock on / that keeps a second assay away could not be taken: %s", sys_error(err));
	return 0;
}

static void fill_info(const char *command_line)
{
	const struct clock_quality *clock = clock_quality();
	struct run_info *info = &session.info;

	*info = (struct run_info){
		.command_line = command_line, .version = ASSAY_VERSION, .build_id = build_id(), .board = &board, .identity = &identity,
		.serial = identity.serial, .station = options.station, .operator = options.operator,
		.level = level_words[options.level], .only = options.only, .skip = options.skip, .scratch = session.scratch ? scratch.node : "", .peer = "",
		.clock = clock->name, .clock_resolution_ps = clock->resolution_ps, .clock_overhead_ps = clock->overhead_ps,
		.seed = options.seed, .step_count = session.step_count, .partial = session.partial,
		.simulated = *options.sysroot || *options.kernel_log, .start_ns = clock_real_ns(),
	};
}

static const char *join(int argc, char **argv)
{
	static char line[4096];
	struct text text = TEXT(line);

	text_add(&text, "assay");
	for (int i = 0; i < argc; i++)
		text_add_format(&text, " %s", argv[i]);
	return line;
}

/* Which sinks there are: the record (file, standard output or both) and what people read. */
static void add_sinks(int record_fd)
{
	static struct ocp_sink ocp;
	static struct console_sink console;
	static struct ktap_sink ktap;
	bool jsonl = options.format == FORMAT_JSONL;

	descriptor_init(&file, record_fd);
	descriptor_init(&standard, 1);
	ocp_sink_init(&ocp, record_fd >= 0 ? &file.output : NULL, jsonl ? &standard.output : NULL);
	session.record = &ocp;
	session.record_is_kept = record_fd >= 0 || jsonl;
	session.sinks[session.sink_count++] = &ocp.sink;
	if (options.format == FORMAT_TEXT) {
		console_sink_init(&console, &standard.output, descriptor_is_terminal(1));
		session.sinks[session.sink_count++] = &console.sink;
	} else if (options.format == FORMAT_KTAP) {
		ktap_sink_init(&ktap, &standard.output);
		session.sinks[session.sink_count++] = &ktap.sink;
	}
}

static int open_scratch(void)
{
	if (!*options.scratch)
		return 0;
	if (scratch_open(options.scratch, &scratch, fault, sizeof fault))
		return cli_usage("%s", fault);
	session.scratch = &scratch;
	return 0;
}

static int run_session(int record_fd)
{
	char line[640];
	enum verdict verdict;

	add_sinks(record_fd);
	verdict = session_run(&session, line, sizeof line);
	if (options.format == FORMAT_JSONL || standard.error) {
		sys_write_all(2, line, strlen(line));
		sys_write_all(2, "\n", 1);
	}
	return verdict_status(verdict);
}

int cli_run(int argc, char **argv)
{
	int record_fd = -1, status, lost, err;

	interrupt_install();
	status = prepare(argc, argv);
	if (!status)
		status = take_machine();
	if (!status)
		status = open_scratch();
	if (interrupt_pending())
		status = verdict_status(VERDICT_INTERRUPTED);
	err = status ? 0 : guard_start();
	if (err)
		return cli_usage("the guardian, which ends and restores everything if this process is killed, could not be started: %s", sys_error(err));
	if (!status && *options.record && record_open(options.record, session.scratch, &record_fd, fault, sizeof fault))
		status = cli_usage("%s", fault);
	if (status)
		return status;
	/* A simulated board has no log but the one that a test gives it. */
	session.kernel_log = file_is_simulated() && !*options.kernel_log ? -ENOENT : kernel_log_open(options.kernel_log);
	fill_info(join(argc, argv));
	status = run_session(record_fd);
	lost = guard_end();
	if (lost)
		cli_usage("%d settings of this machine could not be put back", lost);
	return status;
}

/* ---- plan ---- */

static void print_step(const struct step *step, const struct step_plan *plan)
{
	char line[320];
	struct text text = TEXT(line);

	text_add_format(&text, "  %-18s ", step->name);
	if (plan->skipped[0]) {
		text_add_format(&text, "SKIP %s", plan->skipped);
	} else {
		number_add_duration(&text, plan->time_ns);
		if (plan->devices[0])
			text_add_format(&text, ", on %s", plan->devices);
		if (plan->write_bytes)
			text_add_format(&text, ", writes %llu bytes", (unsigned long long)plan->write_bytes);
	}
	cli_print("%s\n", line);
}

static void add_bound(struct text *text, const char *what, bool has, int64_t milli)
{
	if (!has)
		return;
	text_add_format(text, " %s ", what);
	number_add_milli(text, milli);
}

static void print_limit(const struct limit *limit)
{
	char line[MAX_METRIC + 128];
	struct text text = TEXT(line);

	text_add_format(&text, "  %s", limit->metric);
	add_bound(&text, "min", limit->has_min, limit->min_milli);
	add_bound(&text, "max", limit->has_max, limit->max_milli);
	add_bound(&text, "warn_min", limit->has_warn_min, limit->warn_min_milli);
	add_bound(&text, "warn_max", limit->has_warn_max, limit->warn_max_milli);
	if (!limit->has_min && !limit->has_max)
		text_add(&text, limit->required ? " required and null: nobody has calibrated it, the verdict can not be PASS" : " null");
	cli_print("%s\n", line);
}

static void print_limits(void)
{
	cli_print("limits\n");
	for (unsigned i = 0; i < board.limit_count; i++)
		print_limit(&board.limits[i]);
}

static void print_plan(void)
{
	uint64_t time_ns = 0, write_bytes = 0;
	char total[64];
	struct text text = TEXT(total);

	cli_print("board %s (%s, %s), level %s\n", board.name, board.title, board.source, level_words[options.level]);
	cli_print("scratch: %s\n", *options.scratch ? options.scratch : "none: nothing is written to any device");
	for (unsigned i = 0; i < session.step_count; i++) {
		struct step_plan plan;

		session_plan(&session, session.steps[i], &plan);
		print_step(session.steps[i], &plan);
		time_ns += plan.time_ns;
		write_bytes += plan.write_bytes;
	}
	print_limits();
	number_add_duration(&text, time_ns);
	cli_print("in all: %s, %llu bytes to be written\n", total, (unsigned long long)write_bytes);
}

static int check_scratch(void)
{
	if (!*options.scratch)
		return 0;
	if (scratch_check(options.scratch, &scratch, fault, sizeof fault))
		return cli_usage("%s", fault);
	session.scratch = &scratch;
	return 0;
}

int cli_plan(int argc, char **argv)
{
	int status;

	interrupt_install();
	status = prepare(argc, argv);
	if (!status)
		status = check_scratch();
	if (!status)
		print_plan();
	return status;
}

int cli_overview(void)
{
	char *probe[] = { "probe" }, *plan[] = { "plan" };
	int status = cli_probe(1, probe);

	cli_print("\nWhat `assay run` would do here (`assay help` lists the commands):\n");
	return status ? status : cli_plan(1, plan);
}
