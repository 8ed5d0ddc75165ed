/*
 * serve.c: `assay serve`: the peer of network tests, with the words of iperf3's server.  It measures nothing of its own: no record, no verdict, and no lock.
 *
 * Status: 0, however it was asked to end (SIGINT, SIGTERM, --idle-timeout); of --one-off 2, when that test failed; 2 for wrong words and ports that are taken.
 */
#include <string.h>

#include "cli/cli.h"
#include "lib/number.h"
#include "lib/text.h"
#include "net/server.h"
#include "param.h"
#include "run/interrupt.h"
#include "sys/cpu.h"

enum option { PORT, BIND, BIND_DEV, ONE_OFF, ALLOW, IDLE, AFFINITY, MAX_TIME_S, MAX_BYTES, MAX_STREAMS, MAX_RATE, OPTIONS };

static const struct param params[] = {
	[PORT] = { "port", PARAM_COUNT, .def = "5201", .min = 1, .max = 65534, .help = "-p: to listen on; the next one answers what only assay asks" },
	[BIND] = { "bind", PARAM_TEXT, .def = "any", .help = "-B: ADDRESS to listen on" },
	[BIND_DEV] = { "bind-dev", PARAM_TEXT, .def = "any", .help = "interface to listen on" },
	[ONE_OFF] = { "one-off", PARAM_WORD, .def = "0", .words = "0|1", .flag = "1", .help = "-1: ends behind the first test, with its status" },
	[ALLOW] = { "allow", PARAM_TEXT, .def = "everybody", .help = "ADDRESS or ADDRESS/PREFIX,...: nobody else; may stand several times" },
	[IDLE] = { "idle-timeout", PARAM_DURATION, .def = "0", .max = SECONDS(86400), .help = "ends when no test came for so long; 0: never" },
	[AFFINITY] = { "affinity", PARAM_NUMBERS, .def = "any", .words = "any|all", .max = MAX_CPUS - 1, .help = "-A: CPUs that streams are pinned to, in turn" },
	[MAX_TIME_S] = { "max-time", PARAM_DURATION, .def = "0", .max = SECONDS(86400), .help = "the longest test; 0: any" },
	[MAX_BYTES] = { "max-bytes", PARAM_SIZE, .def = "0", .help = "the most that a test moves; 0: any" },
	[MAX_STREAMS] = { "max-streams", PARAM_COUNT, .def = "0", .max = 2 * MAX_NET_STREAMS, .help = "the most streams of a test, both ways together; 0: any" },
	[MAX_RATE] = { "max-rate", PARAM_BITRATE, .def = "0", .help = "the fastest test, all streams together; 0: any" },
	PARAM_END
};

const struct step cli_serve_options = { .name = "serve", .params = params };

/* iperf3's words: for one of the options, for nothing (to: NULL), or refused (why). */
static const struct word { char letter; const char *name; bool takes; const char *to, *why; } words[] = {
	{ 'p', "port", true, "port", NULL }, { 'B', "bind", true, "bind", NULL }, { '1', "one-off", false, "one-off", NULL },
	{ 'A', "affinity", true, "affinity", NULL }, { 0, "server-max-duration", true, "max-time", NULL }, { 0, "server-bitrate-limit", true, "max-rate", NULL },
	{ 's', "server", false, NULL, NULL }, { 'V', "verbose", false, NULL, NULL }, { 0, "forceflush", false, NULL, NULL },
	{ 'i', "interval", true, NULL, NULL }, { 'f', "format", true, NULL, NULL },
	{ 'D', "daemon", false, NULL, "it stays in the foreground: a service manager, or & behind it, keeps it" },
	{ 'I', "pidfile", true, NULL, "it writes no files: a service manager knows its process" },
	{ 'J', "json", false, NULL, "it measures nothing of its own: the client has the record" },
	{ 0, "logfile", true, NULL, "its lines go to standard output: > FILE" },
	{ 'F', "file", true, NULL, "what is received is thrown away: block devices are measured by `assay block`" },
	{ 0, "rsa-private-key-path", true, NULL, "iperf3's authentication is not spoken: --allow says who may test" },
	{ 0, "authorized-users-path", true, NULL, "iperf3's authentication is not spoken: --allow says who may test" },
	{ 'c', "client", true, NULL, "the client is `assay net`" },
};

static struct given {
	struct server_job job;
	struct cpu_list cpus;
	enum net_family family;
	const char *bind;
	uint16_t port;
} given;

/* ---- values ---- */

static int add_allowed(const char *list)
{
	char word[80];

	for (size_t length; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		text_format(word, sizeof word, "%.*s", (int)length, list);
		if (given.job.allow_count == SERVER_MAX_ALLOW)
			return cli_usage("serve: --allow: more than %d addresses", SERVER_MAX_ALLOW);
		if (address_prefix(word, &given.job.allow[given.job.allow_count]))
			return cli_usage("serve: --allow: \"%s\" is no ADDRESS or ADDRESS/PREFIX, such as 10.0.0.0/24", word);
		given.job.allow_count++;
	}
	return given.job.allow_count ? 0 : cli_usage("serve: --allow needs an address");
}

static int set_cpus(const struct param_value *value)
{
	for (unsigned i = 0; i < value->count; i++) {
		uint64_t cpu = value->numbers[i];

		if (cpu == PARAM_OF_WORD(1))
			cpu_allowed(&given.cpus);
		else if (cpu < MAX_CPUS && !cpu_is_online((unsigned)cpu))
			return cli_usage("serve: --affinity: there is no CPU %u", (unsigned)cpu);
		else if (cpu < MAX_CPUS)
			given.cpus.cpus[given.cpus.count++] = (uint16_t)cpu;
	}
	given.job.cpus = given.cpus.count ? &given.cpus : NULL;
	return 0;
}

static int set(enum option option, const char *text)
{
	struct server_job *job = &given.job;
	struct param_value value;
	char fault[300];

	if (param_parse(&params[option], text, &value, fault, sizeof fault))
		return cli_usage("serve: --%s", fault);
	switch (option) {
	case PORT: given.port = (uint16_t)value.numbers[0]; break;
	case BIND: given.bind = text; break;
	case BIND_DEV: return text_copy(job->device, sizeof job->device, text) ? 0 : cli_usage("serve: --bind-dev: \"%s\" is no interface", text);
	case ONE_OFF: job->one_off = value.numbers[0]; break;
	case ALLOW: return add_allowed(text);
	case IDLE: job->idle_ns = value.numbers[0]; break;
	case AFFINITY: return set_cpus(&value);
	case MAX_TIME_S: job->max_time_ns = value.numbers[0]; break;
	case MAX_BYTES: job->max_bytes = value.numbers[0]; break;
	case MAX_STREAMS: job->max_streams = (unsigned)value.numbers[0]; break;
	default: job->max_rate_bit_per_s = value.numbers[0]; break;
	}
	return 0;
}

/* ---- words ---- */

static enum option find_option(const char *name)
{
	enum option i = 0;

	while (i < OPTIONS && strcmp(params[i].name, name))
		i++;
	return i;
}

static const char *option_name(unsigned index, const void *context)
{
	(void)context;
	return index < OPTIONS ? params[index].name : NULL;
}

static int unknown(const char *name)
{
	const char *nearest = text_nearest(name, option_name, NULL);

	if (nearest)
		return cli_usage("serve: unknown option --%s (did you mean --%s?)", name, nearest);
	return cli_usage("serve: unknown option --%s; see `assay help serve`", name);
}

static int take(const struct word *word, const char *value)
{
	if (word->why)
		return cli_usage("serve: --%s: %s", word->name, word->why);
	return word->to ? set(find_option(word->to), value ? value : "1") : 0;
}

static const struct word *find_word(char letter, const char *name)
{
	for (unsigned i = 0; i < COUNT_OF(words); i++)
		if (name ? !strcmp(words[i].name, name) : words[i].letter == letter)
			return &words[i];
	return NULL;
}

static int set_family(enum net_family family)
{
	if (given.family != NET_ANY && given.family != family)
		return cli_usage("serve: -4 and -6 exclude each other; without them both are served");
	given.family = family;
	return 0;
}

static int take_long(int argc, char **argv, int *i)
{
	char name[40], *equals = strchr(argv[*i], '=');
	const struct word *word;
	enum option option;
	bool takes;

	text_format(name, sizeof name, "%.*s", (int)(equals ? equals - argv[*i] : (int)strlen(argv[*i])) - 2, argv[*i] + 2);
	if (!strcmp(name, "version4") || !strcmp(name, "version6"))
		return set_family(name[7] == '4' ? NET_V4 : NET_V6);
	option = find_option(name);
	word = option < OPTIONS ? NULL : find_word(0, name);
	if (!word && option == OPTIONS)
		return unknown(name);
	takes = word ? word->takes : !params[option].flag;
	if (word && word->why)
		return take(word, NULL);
	if (takes && !equals && *i + 1 == argc)
		return cli_usage("serve: --%s needs a value", name);
	if (takes && !equals)
		++*i;
	if (word)
		return take(word, equals ? equals + 1 : takes ? argv[*i] : NULL);
	return set(option, equals ? equals + 1 : takes ? argv[*i] : params[option].flag);
}

/* -1p5301: letters without values together, a value behind the last or as the next word. */
static int take_short(int argc, char **argv, int *i)
{
	for (char *at = argv[*i] + 1; *at; at++) {
		const struct word *word = find_word(*at, NULL);
		int status;

		if (*at == '4' || *at == '6')
			status = set_family(*at == '4' ? NET_V4 : NET_V6);
		else if (!word)
			return cli_usage("serve: unknown option -%c; see `assay help serve`", *at);
		else if (word->takes && !word->why) {
			if (!at[1] && *i + 1 == argc)
				return cli_usage("serve: -%c (--%s) needs a value", *at, word->name);
			return take(word, at[1] ? at + 1 : argv[++*i]);
		} else
			status = take(word, NULL);
		if (status)
			return status;
	}
	return 0;
}

static int read_words(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc && !status; i++) {
		if (argv[i][0] == '-' && argv[i][1] == '-')
			status = take_long(argc, argv, &i);
		else if (argv[i][0] == '-' && argv[i][1])
			status = take_short(argc, argv, &i);
		else
			status = cli_usage("serve takes no word \"%s\": the client names its server (assay net HOST)", argv[i]);
	}
	return status;
}

/* ---- serving ---- */

static int find_address(void)
{
	char fault[200];

	if (!given.bind) {
		given.job.bind = address_any(given.family, given.port);
		return 0;
	}
	if (address_resolve(given.bind, given.port, given.family, &given.job.bind, fault, sizeof fault))
		return cli_usage("serve: --bind: %s", fault);
	return 0;
}

static void say(void *context, const char *line)
{
	(void)context;
	cli_print("%s\n", line);
}

int cli_serve(int argc, char **argv)
{
	char fault[300];
	int status;

	given = (struct given){ .port = 5201, .job.say = say };
	status = read_words(argc, argv);
	given.job.v6_only = given.family == NET_V6;
	if (!status)
		status = find_address();
	if (status)
		return status;
	interrupt_install();
	given.job.interrupted = interrupt_flag();
	if (!server_run(&given.job, fault, sizeof fault))
		return 0;
	return given.job.one_off && !*fault ? 2 : cli_usage("serve: %s", fault);
}
