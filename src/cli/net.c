/*
 * net.c: `assay net PEER`: a test against `assay serve` or an iperf3 server, with iperf3's words, long and short.
 *
 * Short words become the step's options here (-P4, -P 4, -t10); what is iperf3's alone and means nothing here is refused with the reason.
 */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/number.h"
#include "lib/text.h"
#include "net/address.h"
#include "net/socket.h"
#include "run/interrupt.h"
#include "step/net_command.h"

static struct launch launch;

enum { MAX_WORDS = 96 };

static struct words {
	int count;
	char *at[MAX_WORDS];
	char made[MAX_WORDS][96]; /* what .at points into where a word was made here */
	enum net_family family;
	char *peer;               /* of -c HOST */
	bool both;                /* -4 and -6 */
} words;

enum takes { NOTHING, VALUE };

static const struct short_word { char letter; const char *option; enum takes takes; } short_words[] = {
	{ 'u', "udp", NOTHING }, { 'R', "reverse", NOTHING }, { 'P', "parallel", VALUE }, { 't', "time", VALUE }, { 'n', "bytes", VALUE },
	{ 'k', "blockcount", VALUE }, { 'b', "bitrate", VALUE }, { 'l', "length", VALUE }, { 'w', "window", VALUE }, { 'M', "set-mss", VALUE },
	{ 'N', "no-delay", NOTHING }, { 'C', "congestion", VALUE }, { 'O', "omit", VALUE }, { 'i', "interval", VALUE }, { 'B', "bind", VALUE },
	{ 'Z', "zerocopy", NOTHING }, { 'p', "port", VALUE }, { 'A', "affinity", VALUE }, { 'S', "tos", VALUE }, { 'T', "title", VALUE },
	{ 'J', "json", NOTHING }, { 'c', "client", VALUE }, { '4', "version4", NOTHING }, { '6', "version6", NOTHING }, { 'V', "verbose", NOTHING },
	{ 'f', "units", VALUE }, { 's', "server", NOTHING }, { 'F', "file", VALUE }, { 'X', "xbind", VALUE }, { 'L', "flowlabel", VALUE },
	{ 'I', "pidfile", VALUE }, { 'd', "debug", NOTHING }, { 'v', "version", NOTHING }, { 'h', "help", NOTHING }, { 'm', "mptcp", NOTHING },
};

/* Other words for an option, and those that have no meaning here: refused, or passed over with a note. */
static const struct other_word { const char *word, *to; enum takes takes; const char *refused, *ignored; } other_words[] = {
	{ "bandwidth", "bitrate", VALUE, NULL, NULL }, { "linux-congestion", "congestion", VALUE, NULL, NULL }, { "len", "length", VALUE, NULL, NULL },
	{ "nodelay", "no-delay", NOTHING, NULL, NULL },
	{ "server", NULL, NOTHING, "the server is `assay serve`", NULL },
	{ "file", NULL, VALUE, "what is sent is made up in memory: block devices are measured by `assay block`", NULL },
	{ "xbind", NULL, VALUE, "there is no SCTP", NULL }, { "sctp", NULL, NOTHING, "there is no SCTP", NULL }, { "nstreams", NULL, VALUE, "there is no SCTP", NULL },
	{ "mptcp", NULL, NOTHING, "there is no MPTCP", NULL }, { "flowlabel", NULL, VALUE, "flow labels are not set here", NULL },
	{ "pidfile", NULL, VALUE, "it ends by itself", NULL }, { "logfile", NULL, VALUE, "--record FILE keeps everything", NULL },
	{ "version", NULL, NOTHING, "`assay version` tells", NULL }, { "help", NULL, NOTHING, "`assay help net` tells", NULL },
	{ "username", NULL, VALUE, "iperf3's authentication is not spoken: start the server without it", NULL },
	{ "rsa-public-key-path", NULL, VALUE, "iperf3's authentication is not spoken: start the server without it", NULL },
	{ "extra-data", NULL, VALUE, "--title and --station are for that", NULL },
	{ "json-stream", NULL, NOTHING, "--format jsonl is the record, line by line", NULL },
	{ "verbose", NULL, NOTHING, NULL, "everything is told anyway" }, { "debug", NULL, NOTHING, NULL, "everything is told anyway" },
	{ "units", NULL, VALUE, NULL, "each figure has its unit" }, { "forceflush", NULL, NOTHING, NULL, "lines come when they are due" },
	{ "timestamps", NULL, VALUE, NULL, "the record has a time in each line" }, { "pacing-timer", NULL, VALUE, NULL, "pacing is as fine as it goes" },
	{ "rcv-timeout", NULL, VALUE, NULL, "each phase has a deadline of its own" }, { "snd-timeout", NULL, VALUE, NULL, "each phase has a deadline of its own" },
	{ "cntl-ka", NULL, VALUE, NULL, "each phase has a deadline of its own" },
};

static int add(char *word)
{
	if (words.count == MAX_WORDS)
		return cli_usage("more than %d words", MAX_WORDS);
	words.at[words.count++] = word;
	return 0;
}

__attribute__((format(printf, 1, 2))) static int add_made(const char *format, ...)
{
	char *made;
	struct text text;
	va_list args;

	if (words.count == MAX_WORDS)
		return cli_usage("more than %d words", MAX_WORDS);
	made = words.made[words.count];
	text = text_in(made, sizeof words.made[0]);
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	return text.cut ? cli_usage("the word \"%s...\" is too long", made) : add(made);
}

static int set_family(enum net_family family)
{
	if (words.family != NET_ANY && words.family != family)
		return cli_usage("-4 and -6 exclude each other");
	words.family = family;
	return 0;
}

/* RATE or RATE/BURST. */
static int add_rate(const char *value)
{
	static const struct param rate = { "bitrate", PARAM_BITRATE, .help = "" };
	const char *slash = strchr(value, '/');
	struct param_value parsed;
	char word[40], fault[120];

	if (!text_format(word, sizeof word, "%.*s", (int)(slash ? slash - value : (int)strlen(value)), value) ||
	    param_parse(&rate, word, &parsed, fault, sizeof fault))
		return cli_usage("--bitrate %s: not a rate such as 100M, or 100M/16 with a burst", value);
	if (slash && add_made("--burst=%s", slash + 1))
		return 2;
	return add_made("--bitrate=%s", word);
}

/* iperf3's connect timeout is in ms where it is a bare number. */
static int add_timeout(const char *value)
{
	uint64_t number;

	return number_parse(value, &number) ? add_made("--connect-timeout=%s", value) : add_made("--connect-timeout=%sms", value);
}

/* Decimal, or 0x and hex. */
static int parse_code(const char *value, uint64_t most, uint64_t *number)
{
	int err = text_starts(value, "0x") ? number_parse_hex(value, number) : number_parse(value, number);

	return err || *number > most ? -1 : 0;
}

static int add_tos(const char *value)
{
	uint64_t tos;

	if (parse_code(value, 255, &tos))
		return cli_usage("--tos %s: not a number from 0 to 255, or 0x and hex", value);
	return add_made("--tos=%u", (unsigned)tos);
}

/* A number of six bits, or its name: cs0..7, af11..43, ef, va, le. */
static int add_dscp(const char *value)
{
	uint64_t code = 64, digits = 0;

	if (text_starts(value, "cs") && !number_parse(value + 2, &digits) && digits < 8)
		code = digits * 8;
	else if (text_starts(value, "af") && !number_parse(value + 2, &digits) && digits / 10 - 1 < 4 && digits % 10 - 1 < 3)
		code = digits / 10 * 8 + digits % 10 * 2;
	else if (!strcmp(value, "ef") || !strcmp(value, "va") || !strcmp(value, "le"))
		code = *value == 'e' ? 46 : *value == 'v' ? 44 : 1;
	else
		parse_code(value, 63, &code);
	if (code > 63)
		return cli_usage("--dscp %s: not a number from 0 to 63, nor one of cs0..7, af11..43, ef, va, le", value);
	return add_made("--tos=%u", (unsigned)code << 2);
}

/* ADDRESS or ADDRESS%DEVICE, of which a link-local one keeps its device. */
static int add_bind(const char *value)
{
	const char *device = strchr(value, '%');
	struct net_address address;
	char bare[80], text[ADDRESS_TEXT], fault[200];
	bool is_local = text_starts(value, "fe80:");

	if (device && device[1] && add_made("--bind-dev=%s", device + 1))
		return 2;
	if (!text_format(bare, sizeof bare, "%.*s", (int)(device && !is_local ? device - value : (int)strlen(value)), value) ||
	    address_resolve(bare, 0, NET_ANY, &address, fault, sizeof fault))
		return cli_usage("--bind: %s", fault);
	address_text(&address, text);
	return add_made("--bind=%s", text);
}

/* CPU, or CPU,SERVER'S CPU. */
static int add_affinity(const char *value)
{
	const char *comma = strchr(value, ',');
	uint64_t cpu;
	char own[16];

	if (!text_format(own, sizeof own, "%.*s", (int)(comma ? comma - value : (int)strlen(value)), value) || number_parse(own, &cpu) ||
	    (comma && number_parse(comma + 1, &cpu)))
		return cli_usage("--affinity %s: not a CPU, nor CPU,SERVER'S-CPU; --cpus takes a list of this end's", value);
	if (comma && add_made("--server-cpu=%s", comma + 1))
		return 2;
	return add_made("--cpus=%s", own);
}

/* True: *status tells the end of it. */
static bool take_other(const char **option, int *status)
{
	for (unsigned i = 0; i < COUNT_OF(other_words); i++) {
		const struct other_word *other = &other_words[i];

		if (strcmp(*option, other->word))
			continue;
		if (other->to)
			*option = other->to;
		else if (other->refused)
			*status = cli_usage("net: --%s: %s", *option, other->refused);
		else
			*status = 0, cli_usage("net: --%s is passed over: %s", *option, other->ignored);
		return !other->to;
	}
	return false;
}

/* One option with its value (NULL: it takes none). */
static int take(const char *option, char *value)
{
	static const struct { const char *option; int (*add)(const char *value); } made[] = {
		{ "bitrate", add_rate }, { "connect-timeout", add_timeout }, { "tos", add_tos }, { "dscp", add_dscp }, { "bind", add_bind }, { "affinity", add_affinity },
	};
	int status;

	if (take_other(&option, &status))
		return status;
	if (!strcmp(option, "version4") || !strcmp(option, "version6"))
		return set_family(option[7] == '4' ? NET_V4 : NET_V6);
	if (!strcmp(option, "client")) {
		words.peer = value;
		return 0;
	}
	if (!strcmp(option, "json"))
		return add_made("--format=iperf3-json");
	if (!strcmp(option, "zerocopy"))
		return add_made("--send=splice"); /* what sendfile does there */
	if (!strcmp(option, "skip-rx-copy"))
		return add_made("--receive=drop");
	for (unsigned i = 0; i < COUNT_OF(made); i++)
		if (!strcmp(option, made[i].option))
			return made[i].add(value);
	if (!strcmp(option, "interval"))
		return strcmp(value, "0") ? add_made("--interval=%s", value) || add_made("--series") : 0; /* 0 is iperf3's way to ask for none */
	return value ? add_made("--%s=%s", option, value) : add_made("--%s", option);
}

static const struct short_word *find_short(char letter)
{
	for (unsigned i = 0; i < COUNT_OF(short_words); i++)
		if (short_words[i].letter == letter)
			return &short_words[i];
	return NULL;
}

/* -RNP4: letters without values together, a value behind the last or as the next word. */
static int take_short(int argc, char **argv, int *i)
{
	for (char *at = argv[*i] + 1; *at; at++) {
		const struct short_word *word = find_short(*at);
		int status;

		if (!word)
			return cli_usage("unknown option -%c; see `assay help net`", *at);
		if (word->takes == NOTHING) {
			status = take(word->option, NULL);
			if (status)
				return status;
			continue;
		}
		if (!at[1] && *i + 1 == argc)
			return cli_usage("-%c (--%s) needs a value", *at, word->option);
		return take(word->option, at[1] ? at + 1 : argv[++*i]);
	}
	return 0;
}

/* Long options that are something else here: what they take; false: the others, which go on as they are. */
static bool is_translated(const char *option, enum takes *takes)
{
	static const char with[] = "client bitrate connect-timeout interval tos dscp bind affinity", without[] = "version4 version6 json zerocopy skip-rx-copy";

	*takes = text_in_list(with, ' ', option) ? VALUE : NOTHING;
	if (*takes == VALUE || text_in_list(without, ' ', option))
		return true;
	for (unsigned i = 0; i < COUNT_OF(other_words); i++)
		if (!strcmp(option, other_words[i].word)) {
			*takes = other_words[i].takes;
			return true;
		}
	return false;
}

static int take_long(int argc, char **argv, int *i)
{
	char option[40], *equals = strchr(argv[*i], '=');
	enum takes takes;

	text_format(option, sizeof option, "%.*s", (int)(equals ? equals - argv[*i] - 2 : (int)strlen(argv[*i]) - 2), argv[*i] + 2);
	if (!is_translated(option, &takes))
		return add(argv[*i]);
	if (takes == NOTHING)
		return equals ? cli_usage("--%s takes no value", option) : take(option, NULL);
	if (!equals && *i + 1 == argc)
		return cli_usage("--%s needs a value", option);
	return take(option, equals ? equals + 1 : argv[++*i]);
}

static int translate(int argc, char **argv)
{
	int status = add(argv[0]);

	for (int i = 1; i < argc && !status; i++) {
		if (argv[i][0] == '-' && argv[i][1] == '-')
			status = take_long(argc, argv, &i);
		else if (argv[i][0] == '-' && argv[i][1])
			status = take_short(argc, argv, &i);
		else
			status = add(argv[i]);
	}
	return status;
}

static const char *setting(const char *param)
{
	for (unsigned i = launch.options.set_count; i-- > 0; )
		if (!strcmp(launch.options.sets[i].param, param))
			return launch.options.sets[i].value;
	return NULL;
}

static bool is_flagged(const char *param)
{
	const char *value = setting(param);

	return value && !strcmp(value, "1");
}

/* What cannot be meant together. */
static int check(void)
{
	if (is_flagged("reverse") && is_flagged("bidir"))
		return cli_usage("--reverse and --bidir exclude each other");
	if (!!setting("time") + !!setting("bytes") + !!setting("blockcount") > 1)
		return cli_usage("only one of --time, --bytes and --blockcount ends a test");
	if (is_flagged("udp") && (is_flagged("no-delay") || setting("set-mss") || setting("congestion")))
		return cli_usage("--no-delay, --set-mss and --congestion are of TCP");
	if (is_flagged("udp") && setting("send") && strcmp(setting("send"), "plain"))
		return cli_usage("--send %s is of TCP", setting("send"));
	if (launch.options.format == FORMAT_IPERF3_JSON && setting("repeat") && strcmp(setting("repeat"), "1"))
		return cli_usage("--format iperf3-json is one test's: leave out --repeat, and call it several times");
	if (setting("bind-dev") && socket_link_up(setting("bind-dev")) == -ENODEV)
		return cli_usage("--bind-dev %s: there is no such interface", setting("bind-dev"));
	if (*launch.options.scratch || *launch.options.only || *launch.options.skip)
		return cli_usage("--scratch, --only and --skip are of `assay run`");
	return launch_check_format(&launch, FORMAT_IPERF3_JSON);
}

static int prepare(int argc, char **argv)
{
	static const struct step *const own[] = { &step_net, NULL };
	const char *peer = NULL;
	unsigned others;
	int status = translate(argc, argv);

	if (!status)
		status = launch_prepare(&launch, own, words.count, words.at, &peer, 1, &others);
	if (!status)
		status = check();
	if (status)
		return status;
	if (words.peer)
		peer = words.peer;
	else if (!others)
		peer = *launch.options.peer ? launch.options.peer : NULL;
	if (!peer)
		return cli_usage("net needs a peer: assay net HOST [options], see `assay help net`; on the other end: assay serve, or iperf3 -s");
	launch.asks_peer = false;
	status = launch_peer(&launch, peer, words.family);
	if (!status && setting("bind") && !strchr(setting("bind"), ':') != !strchr(launch.peer, ':'))
		return cli_usage("--bind %s and the peer %s are of different families", setting("bind"), launch.peer);
	if (!status && launch.options.format == FORMAT_IPERF3_JSON) {
		if (launch.options.set_count == MAX_SETS)
			return cli_usage("more than %d settings", MAX_SETS);
		launch.options.sets[launch.options.set_count++] = (struct setting){ step_net.name, "series", "1" };
	}
	return status ? status : launch_steps(&launch, own);
}

/* ---- --matrix FACTOR,...: the study of what a throughput depends on ---- */

static bool asks_matrix(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--matrix") || text_starts(argv[i], "--matrix="))
			return true;
	return false;
}

static int run_matrix(int argc, char **argv)
{
	static char study[] = "xfi", factors[] = "--factors";
	static char *given[MAX_WORDS + 2];
	int count = 0, status = translate(argc, argv);

	if (status)
		return status;
	if (words.family != NET_ANY)
		return cli_usage("-4 and -6 do not go with --matrix: name the peer by its address");
	given[count++] = words.at[0];
	given[count++] = study;
	for (int i = 1; i < words.count; i++) {
		if (!strcmp(words.at[i], "--matrix"))
			words.at[i] = factors;
		else if (text_starts(words.at[i], "--matrix="))
			add_made("%s%s", factors, words.at[i] + strlen("--matrix")), words.at[i] = words.at[--words.count];
		given[count++] = words.at[i];
	}
	if (words.peer)
		given[count++] = words.peer;
	return cli_study(count, given);
}

int cli_net(int argc, char **argv)
{
	int status;

	if (cli_asks_study(argc, argv))
		return cli_study_of(argc, argv);
	if (asks_matrix(argc, argv))
		return run_matrix(argc, argv);
	interrupt_install();
	status = prepare(argc, argv);
	return status ? status : launch_run(&launch, NULL, argc, argv);
}
