/*
 * net: what `assay net PEER` does: one test, or one for each of its repeats, with iperf3's words.
 */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "net/address.h"
#include "step/net_command.h"
#include "step/net_point.h"
#include "sys/cpu.h"

enum {
	UDP, REVERSE, BIDIR, PARALLEL, TIME, OMIT, BYTES, BLOCKCOUNT, BITRATE, BURST, FQ_RATE, LENGTH, WINDOW, MSS, NO_DELAY, CONGESTION, TOS,
	INTERVAL, BIND, BIND_DEV, PORT, CPORT, CPUS, SERVER_CPU, SEND, RECEIVE, COUNTERS_64, SERVER_OUTPUT, REPEATING, DONT_FRAGMENT, TITLE, CONNECT_TIMEOUT,
	REPEAT, SERIES,
};

/* Sums of it still fit. */
#define MOST_BYTES (1ull << 60)
#define FLAG(key, text) { key, PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = text }

static const struct param params[] = {
	[UDP] = FLAG("udp", "datagrams in place of TCP"),
	[REVERSE] = FLAG("reverse", "the peer sends"),
	[BIDIR] = FLAG("bidir", "both send"),
	[PARALLEL] = { "parallel", PARAM_COUNT, .def = "1", .min = 1, .max = MAX_NET_STREAMS, .help = "streams, each way" },
	[TIME] = { "time", PARAM_DURATION, .def = "10s", .min = MS(10), .max = SECONDS(86400), .help = "of the test" },
	[OMIT] = { "omit", PARAM_DURATION, .def = "0", .max = SECONDS(600), .help = "before it, not counted; in whole seconds" },
	[BYTES] = { "bytes", PARAM_SIZE, .def = "0", .max = MOST_BYTES, .help = "so much in place of a time; 0: by time" },
	[BLOCKCOUNT] = { "blockcount", PARAM_SIZE, .def = "0", .max = MOST_BYTES / MIB, .help = "so many sends in place of a time" },
	[BITRATE] = { "bitrate", PARAM_TEXT, .def = "", .help = "of each stream: 100M, 10M/16 (as many in a burst), 0: no limit (UDP: 1M)" },
	[BURST] = { "burst", PARAM_COUNT, .def = "0", .max = 1000, .help = "sends in a row that --bitrate may let through; 0: as it likes" },
	[FQ_RATE] = { "fq-rate", PARAM_BITRATE, .def = "0", .help = "of each stream, paced by the kernel; 0: not" },
	[LENGTH] = { "length", PARAM_SIZE, .def = "0", .max = MIB, .help = "of a send, of a datagram; 0: 128K, for UDP what the path takes in one" },
	[WINDOW] = { "window", PARAM_SIZE, .def = "0", .max = 512 * MIB, .help = "of the socket's buffers; 0: the kernel's" },
	[MSS] = { "set-mss", PARAM_COUNT, .def = "0", .max = 32767, .help = "of TCP; 0: the kernel's" },
	[NO_DELAY] = FLAG("no-delay", "TCP without Nagle's algorithm"),
	[CONGESTION] = { "congestion", PARAM_TEXT, .def = "", .help = "congestion control" },
	[TOS] = { "tos", PARAM_COUNT, .def = "0", .max = 255, .help = "type of service" },
	[INTERVAL] = { "interval", PARAM_DURATION, .def = "100ms", .min = MS(10), .max = SECONDS(60), .help = "at which it is looked at" },
	[BIND] = { "bind", PARAM_TEXT, .def = "", .help = "ADDRESS to send from" },
	[BIND_DEV] = { "bind-dev", PARAM_TEXT, .def = "", .help = "interface to send by" },
	[PORT] = { "port", PARAM_COUNT, .def = "5201", .min = 1, .max = 65534, .help = "of the peer" },
	[CPORT] = { "cport", PARAM_COUNT, .def = "0", .max = 65535, .help = "of the first stream; the next ones count up" },
	[CPUS] = { "cpus", PARAM_NUMBERS, .def = "any", .words = "any|all", .max = MAX_CPUS - 1, .help = "CPUs that the streams are pinned to, in turn" },
	[SERVER_CPU] = { "server-cpu", PARAM_NUMBERS, .def = "any", .words = "any", .max = MAX_CPUS - 1, .help = "CPU that the server's streams are pinned to" },
	[SEND] = { "send", PARAM_WORD, .def = "plain", .words = "plain|splice|zerocopy", .help = "how it is sent" },
	[RECEIVE] = { "receive", PARAM_WORD, .def = "copy", .words = "copy|drop", .help = "drop: thrown away in the kernel" },
	[COUNTERS_64] = FLAG("udp-counters-64bit", "datagrams are numbered in 64 bits"),
	[SERVER_OUTPUT] = FLAG("get-server-output", "the server's own words go into the record"),
	[REPEATING] = FLAG("repeating-payload", "digits again and again in place of random bytes"),
	[DONT_FRAGMENT] = FLAG("dont-fragment", "datagrams that do not fit are not cut"),
	[TITLE] = { "title", PARAM_TEXT, .def = "", .help = "of the test, for the server" },
	[CONNECT_TIMEOUT] = { "connect-timeout", PARAM_DURATION, .def = "3s", .min = MS(1), .max = SECONDS(600), .help = "for the connection" },
	[REPEAT] = { "repeat", PARAM_COUNT, .def = "1", .min = 1, .max = 1000, .help = "tests, one after another" },
	[SERIES] = FLAG("series", "each interval of each stream, too"),
	PARAM_END
};

/* cli/net.c has seen to it that it is one. */
static void read_rate(const struct ctx *ctx, struct net_test *test)
{
	static const struct param rate = { "bitrate", PARAM_BITRATE, .help = "" };
	const char *text = param_string(ctx, BITRATE), *slash = strchr(text, '/');
	struct param_value value;
	char word[32], fault[80];

	test->rate_bit_per_s = test->protocol == NET_UDP ? TEST_UDP_RATE_BIT_PER_S : 0;
	test->burst = (unsigned)param_number(ctx, BURST);
	text_format(word, sizeof word, "%.*s", (int)(slash ? slash - text : (int)strlen(text)), text);
	if (*word && !param_parse(&rate, word, &value, fault, sizeof fault))
		test->rate_bit_per_s = value.numbers[0];
}

static struct net_test test_of(const struct ctx *ctx)
{
	uint64_t bytes = param_number(ctx, BYTES), blocks = param_number(ctx, BLOCKCOUNT);
	struct net_test test = {
		.protocol = param_number(ctx, UDP) ? NET_UDP : NET_TCP, .reverse = param_number(ctx, REVERSE), .bidirectional = param_number(ctx, BIDIR),
		.streams = (unsigned)param_number(ctx, PARALLEL), .time_ns = bytes || blocks ? 0 : param_number(ctx, TIME), .omit_ns = param_number(ctx, OMIT),
		.bytes = bytes, .blocks = blocks, .length_bytes = (uint32_t)param_number(ctx, LENGTH), .fq_rate_bit_per_s = param_number(ctx, FQ_RATE),
		.window_bytes = (uint32_t)param_number(ctx, WINDOW), .mss_bytes = (uint32_t)param_number(ctx, MSS), .tos = (uint32_t)param_number(ctx, TOS),
		.no_delay = param_number(ctx, NO_DELAY), .counters_64bit = param_number(ctx, COUNTERS_64), .repeating_payload = param_number(ctx, REPEATING),
		.dont_fragment = param_number(ctx, DONT_FRAGMENT), .get_server_output = param_number(ctx, SERVER_OUTPUT),
		.send = (enum net_send)param_number(ctx, SEND), .receive = (enum net_receive)param_number(ctx, RECEIVE),
	};

	if (param_number(ctx, SERVER_CPU) != PARAM_OF_WORD(0))
		test.server_cpu = (unsigned)param_number(ctx, SERVER_CPU) + 1;
	text_copy(test.congestion, sizeof test.congestion, param_string(ctx, CONGESTION));
	read_rate(ctx, &test);
	return test;
}

/* The declared port that this interface is, or its own name. */
static void name_port(struct ctx *ctx, struct net_ask *ask)
{
	const struct board *board = ctx_board(ctx);

	text_copy(ask->port, sizeof ask->port, ask->nic);
	for (unsigned i = 0; i < board->network_count; i++) {
		int port = board_find_port(&board->network[i], ctx_identity(ctx));

		if (port >= 0 && !strcmp(ctx_identity(ctx)->ports[port].name, ask->nic))
			text_copy(ask->port, sizeof ask->port, board->network[i].port);
	}
}

/* A datagram that the path takes in one, as iperf3 has it: what TCP's would hold. */
static uint32_t usual_length(const struct net_ask *ask)
{
	int mtu;

	if (ask->job.test.protocol == NET_TCP)
		return TEST_TCP_LENGTH_BYTES;
	mtu = socket_link_mtu(ask->nic);
	if (mtu < 576)
		return TEST_UDP_LENGTH_BYTES;
	mtu -= 40 + (ask->job.peer.any.sa_family == AF_INET6 ? 20 : 0) + 12;
	return mtu > 32768 ? 32768 : (uint32_t)mtu;
}

static bool choose_cpus(struct ctx *ctx, struct cpu_list *cpus)
{
	static struct cpu_list allowed;
	const struct param_value *wanted = param_values(ctx, CPUS);

	cpus->count = 0;
	cpu_allowed(&allowed);
	if (wanted->numbers[0] == PARAM_OF_WORD(1))
		*cpus = allowed;
	for (unsigned i = 0; i < wanted->count && wanted->numbers[i] < MAX_CPUS; i++) {
		bool is_allowed = false;

		for (unsigned k = 0; k < allowed.count; k++)
			is_allowed |= allowed.cpus[k] == wanted->numbers[i];
		if (!is_allowed) {
			emit_error(ctx, NULL, NULL, "--cpus: CPU %llu is not one that this process may use", (unsigned long long)wanted->numbers[i]);
			return false;
		}
		cpus->cpus[cpus->count++] = (uint16_t)wanted->numbers[i];
	}
	return true;
}

static bool choose_source(struct ctx *ctx, struct client_job *job)
{
	const char *bind = param_string(ctx, BIND), *device = param_string(ctx, BIND_DEV);
	char fault[200];

	text_copy(job->device, sizeof job->device, device);
	if (!*bind)
		return true;
	if (!address_resolve(bind, 0, job->peer.any.sa_family == AF_INET ? NET_V4 : NET_V6, &job->bind, fault, sizeof fault))
		return true;
	emit_error(ctx, NULL, NULL, "--bind: %s", fault);
	return false;
}

/* What the kernel or the peer would refuse with a poorer word, or take for something else. */
static bool is_possible(struct ctx *ctx, const struct net_ask *ask)
{
	const struct client_job *job = &ask->job;
	const struct net_test *test = &job->test;
	unsigned streams = test->streams << test->bidirectional;

	if (test->protocol == NET_UDP && (test->length_bytes < TEST_UDP_LENGTH_MIN || test->length_bytes > TEST_UDP_LENGTH_MAX))
		emit_error(ctx, NULL, NULL, "--length: a datagram holds %u to %u bytes", TEST_UDP_LENGTH_MIN, TEST_UDP_LENGTH_MAX);
	else if (job->cport && job->cport + streams > 65536)
		emit_error(ctx, NULL, NULL, "--cport: %u streams count up from it, and the last port is 65535", streams);
	else if (*job->device && socket_link_up(job->device) == -ENODEV)
		emit_error(ctx, NULL, NULL, "--bind-dev: there is no interface %s", param_string(ctx, BIND_DEV));
	else
		return true;
	return false;
}

static bool prepare(struct ctx *ctx, struct net_ask *ask, struct cpu_list *cpus)
{
	struct client_job *job = &ask->job;

	memset(ask, 0, sizeof *ask);
	job->test = test_of(ctx);
	job->interval_ns = param_number(ctx, INTERVAL);
	job->connect_timeout_ns = param_number(ctx, CONNECT_TIMEOUT);
	job->cport = (uint16_t)param_number(ctx, CPORT);
	job->title = param_string(ctx, TITLE);
	ask->series = param_number(ctx, SERIES);
	if (!net_point_peer(ctx, (uint16_t)param_number(ctx, PORT), &job->peer)) {
		emit_error(ctx, NULL, NULL, "there is no peer");
		return false;
	}
	if (!choose_cpus(ctx, cpus) || !choose_source(ctx, job))
		return false;
	job->cpus = cpus->count ? cpus : NULL;
	if (*job->device)
		text_copy(ask->nic, sizeof ask->nic, job->device);
	else if (address_interface(&job->peer, ask->nic))
		text_copy(ask->nic, sizeof ask->nic, "none"); /* no route: connecting tells why */
	if (!job->test.length_bytes)
		job->test.length_bytes = usual_length(ask);
	name_port(ctx, ask);
	return is_possible(ctx, ask);
}

/* What --get-server-output brought, line by line. */
static void tell_server_output(struct ctx *ctx, const char *output)
{
	while (*output) {
		size_t length = strcspn(output, "\n");

		if (strspn(output, " \t\r-") < length)
			emit_log(ctx, "the server says: %.*s", (int)length, output);
		output += length + (output[length] == '\n');
	}
}

static void run(struct ctx *ctx)
{
	static struct net_ask ask;
	static struct net_measured measured;
	static struct cpu_list cpus;
	unsigned repeats = (unsigned)param_number(ctx, REPEAT);

	if (!prepare(ctx, &ask, &cpus))
		return;
	for (unsigned i = 0; i < repeats; i++) {
		if (planned(ctx, net_point_plan_ns(&ask), 0))
			continue;
		net_point_run(ctx, &ask, &measured);
		net_point_tell(ctx, &ask, &measured);
		tell_server_output(ctx, measured.result.server_output);
	}
}

const struct step step_net = {
	.name = "net", .summary = "one test of the way to the peer, with iperf3's words", .needs = NEEDS_NETWORK | NEEDS_PEER, .params = params, .run = run,
};
