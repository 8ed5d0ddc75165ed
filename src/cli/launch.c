/* launch.c: see launch.h. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/number.h"
#include "lib/text.h"
#include "net/state.h"
#include "report/console.h"
#include "report/fio_json.h"
#include "report/iperf3_json.h"
#include "report/ktap.h"
#include "report/ocp.h"
#include "report/plot.h"
#include "report/table.h"
#include "run/choose.h"
#include "run/interrupt.h"
#include "run/record.h"
#include "run/scratch_open.h"
#include "sys/build.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/descriptor.h"
#include "sys/file.h"
#include "sys/guard.h"
#include "sys/identify.h"
#include "sys/kernel_log.h"
#include "sys/lock.h"

enum { PEER_PATIENCE_MS = 1500 };

static char fault[512];
static struct descriptor file, standard;

const char *launch_level(const struct launch *launch)
{
	static const char *const words[] = { "short", "medium", "long" };

	return words[launch->options.level];
}

int launch_prepare(struct launch *launch, const struct step *const *own, int argc, char **argv, const char **others,
                   unsigned other_size, unsigned *other_count)
{
	struct options *options = &launch->options;
	int err;

	if (options_parse(options, own, argc - 1, argv + 1, others, other_size, other_count, fault, sizeof fault))
		return cli_usage("%s", fault);
	err = *options->sysroot ? file_root(options->sysroot) : 0;
	if (err)
		return cli_usage("--sysroot %s: %s", options->sysroot, sys_error(err));
	identify_machine(&launch->identity);
	if (*options->serial)
		text_copy(launch->identity.serial, sizeof launch->identity.serial, options->serial);
	if (choose_board(&launch->board, options->board, &launch->identity, fault, sizeof fault))
		return cli_usage("%s", fault);
	launch->session.options = options;
	launch->session.board = &launch->board;
	launch->session.identity = &launch->identity;
	launch->session.peer = launch->peer;
	launch->asks_peer = *options->peer;
	return launch->asks_peer ? launch_peer(launch, options->peer, NET_ANY) : 0;
}

int launch_peer(struct launch *launch, const char *host, enum net_family family)
{
	struct net_address address;

	if (address_resolve(host, TEST_PORT, family, &address, fault, sizeof fault))
		return cli_usage("%s", fault);
	address_text(&address, launch->peer);
	launch->options.peer = host;
	return 0;
}

int launch_check_format(const struct launch *launch, enum format own)
{
	enum format format = launch->options.format;

	if (format == FORMAT_FIO_JSON && format != own)
		return cli_usage("--format fio-json is of `assay block` alone");
	if (format == FORMAT_IPERF3_JSON && format != own)
		return cli_usage("--format iperf3-json is of `assay net` alone");
	return 0;
}

int launch_sequence(struct launch *launch)
{
	if (launch_check_format(launch, FORMAT_TEXT))
		return 2;
	if (session_select(&launch->session, fault, sizeof fault) || session_check_params(&launch->session, fault, sizeof fault))
		return cli_usage("%s", fault);
	return 0;
}

/* "--set block.rw: ..." was "--rw" here; of several steps the name is needed. */
static int refuse_param(const struct step *step, bool is_alone)
{
	if (is_alone && text_starts(fault, "--set ") && strlen(fault) > strlen(step->name) + 7)
		return cli_usage("--%s", fault + strlen(step->name) + 7);
	return cli_usage("%s", fault);
}

int launch_steps(struct launch *launch, const struct step *const *steps)
{
	static struct ctx ctx;
	struct session *session = &launch->session;

	launch->board.limit_count = 0;
	session->partial = true;
	for (; *steps; steps++) {
		session->steps[session->step_count++] = *steps;
		if (session_prepare(session, *steps, &ctx, fault, sizeof fault))
			return refuse_param(*steps, session->step_count == 1 && !steps[1]);
	}
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

/* What the peer says of itself, in words of our own; "" where it is none of ours. */
static const char *ask_peer(const struct launch *launch)
{
	static struct net_state state;
	static char json[4096];
	struct text text = TEXT(json);
	struct net_address address;
	char unused[200];

	if (!launch->asks_peer || address_resolve(launch->peer, TEST_PORT, NET_ANY, &address, unused, sizeof unused) ||
	    state_ask(&address, NULL, MS(PEER_PATIENCE_MS), &state, NULL, unused, sizeof unused))
		return "";
	state_write_brief(&state, &text);
	return text.cut ? "" : json;
}

static void fill_info(struct launch *launch, const char *command_line)
{
	const struct options *options = &launch->options;
	struct session *session = &launch->session;
	const struct clock_quality *clock = clock_quality();
	struct run_info *info = &session->info;

	*info = (struct run_info){
		.command_line = command_line, .version = ASSAY_VERSION, .build_id = build_id(), .board = &launch->board,
		.identity = &launch->identity, .serial = launch->identity.serial, .station = options->station, .operator = options->operator,
		.level = launch_level(launch), .only = options->only, .skip = options->skip,
		.scratch = session->scratch && !launch->scratch.read_only ? launch->scratch.node : "",
		.peer = options->peer, .peer_state = ask_peer(launch),
		.clock = clock->name, .clock_resolution_ps = clock->resolution_ps, .clock_overhead_ps = clock->overhead_ps,
		.seed = options->seed, .step_count = session->step_count, .partial = session->partial,
		.simulated = *options->sysroot || *options->kernel_log, .start_ns = clock_real_ns(),
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
static void add_sinks(struct launch *launch, int record_fd)
{
	struct session *session = &launch->session;
	static struct ocp_sink ocp;
	static struct console_sink console;
	static struct table_sink table;
	static struct plot_sink plot;
	static struct ktap_sink ktap;
	static struct fio_json_sink fio;
	static struct iperf3_json_sink iperf3;
	bool jsonl = launch->options.format == FORMAT_JSONL;

	descriptor_init(&file, record_fd);
	descriptor_init(&standard, 1);
	ocp_sink_init(&ocp, record_fd >= 0 ? &file.output : NULL, jsonl ? &standard.output : NULL);
	session->record = &ocp;
	session->record_is_kept = record_fd >= 0 || jsonl;
	session->sinks[session->sink_count++] = &ocp.sink;
	if (launch->options.format == FORMAT_TEXT) {
		console_sink_init(&console, &standard.output, descriptor_is_terminal(1));
		table_sink_init(&table, &standard.output, descriptor_is_terminal(1));
		session->sinks[session->sink_count++] = &console.sink;
		session->sinks[session->sink_count++] = &table.sink;
		plot_sink_init(&plot, &standard.output);
		session->sinks[session->sink_count++] = &plot.sink;
	} else if (launch->options.format == FORMAT_FIO_JSON) {
		fio_json_sink_init(&fio, &standard.output);
		session->sinks[session->sink_count++] = &fio.sink;
	} else if (launch->options.format == FORMAT_IPERF3_JSON) {
		iperf3_json_sink_init(&iperf3, &standard.output);
		session->sinks[session->sink_count++] = &iperf3.sink;
	} else if (launch->options.format == FORMAT_KTAP) {
		ktap_sink_init(&ktap, &standard.output);
		session->sinks[session->sink_count++] = &ktap.sink;
	}
}

static int open_scratch(struct launch *launch, char *why, unsigned why_size)
{
	const struct options *options = &launch->options;

	return *options->scratch ? scratch_open(options->scratch, options->destroy, &launch->scratch, why, why_size) : 0;
}

static int run_session(struct launch *launch, int record_fd)
{
	enum format format = launch->options.format;
	char line[640];
	enum verdict verdict;

	add_sinks(launch, record_fd);
	verdict = session_run(&launch->session, line, sizeof line);
	if (format == FORMAT_JSONL || format == FORMAT_FIO_JSON || format == FORMAT_IPERF3_JSON || standard.error) {
		sys_write_all(2, line, strlen(line));
		sys_write_all(2, "\n", 1);
	}
	return verdict_status(verdict);
}

static int open_device(struct launch *launch, launch_open *open)
{
	launch->scratch.fd = launch->scratch.file_fd = -1;
	if ((open ? open : open_scratch)(launch, fault, sizeof fault))
		return cli_usage("%s", fault);
	if (*launch->options.destroy && !launch->scratch.destroyed)
		return cli_usage("--destroy goes with a device that is written to, and there is none: leave it out");
	if (launch->scratch.fd >= 0)
		launch->session.scratch = &launch->scratch;
	return 0;
}

int launch_run(struct launch *launch, launch_open *open, int argc, char **argv)
{
	struct session *session = &launch->session;
	const struct options *options = &launch->options;
	int record_fd = -1, status, lost, err;

	if (cpu_leave_real_time())
		cli_usage("it was started under a real-time policy, and runs under the ordinary one: else nobody could stop its threads");
	status = take_machine();
	if (!status)
		status = open_device(launch, open);
	if (interrupt_pending())
		status = verdict_status(VERDICT_INTERRUPTED);
	err = status ? 0 : guard_start();
	if (err)
		return cli_usage("the guardian, which ends and restores everything if this process is killed, could not be started: %s", sys_error(err));
	if (!status && *options->record && record_open(options->record, session->scratch, &record_fd, fault, sizeof fault))
		status = cli_usage("%s", fault);
	if (status)
		return status;
	/* A simulated board has no log but the one that a test gives it. */
	session->kernel_log = file_is_simulated() && !*options->kernel_log ? -ENOENT : kernel_log_open(options->kernel_log);
	fill_info(launch, join(argc, argv));
	status = run_session(launch, record_fd);
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

void launch_print_plan(struct launch *launch, uint64_t *time_ns, uint64_t *write_bytes)
{
	struct session *session = &launch->session;

	*time_ns = *write_bytes = session->planned_write_bytes = 0;
	for (unsigned i = 0; i < session->step_count; i++) {
		struct step_plan plan;

		session_plan(session, session->steps[i], &plan);
		print_step(session->steps[i], &plan);
		*time_ns += plan.time_ns;
		*write_bytes += plan.write_bytes;
	}
	session->planned_write_bytes = 0;
}
