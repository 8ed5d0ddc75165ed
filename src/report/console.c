/* console.c: the text sink. */
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "report/console.h"

static const char *colour_of(const struct console_sink *console, enum outcome outcome)
{
	if (!console->terminal)
		return "";
	switch (outcome) {
	case OUTCOME_PASS: return "\033[32m";
	case OUTCOME_FAIL: return "\033[1;31m";
	case OUTCOME_ERROR: return "\033[1;35m";
	case OUTCOME_WARNED: return "\033[33m";
	case OUTCOME_SKIP: return "\033[2m";
	default: return "";
	}
}

static const char *plain(const struct console_sink *console)
{
	return console->terminal ? "\033[0m" : "";
}

/* Units that people read in powers of a thousand; parts per million and counts stay as they are. */
static bool is_scaled(const char *unit)
{
	return !strcmp(unit, "B/s") || !strcmp(unit, "bit/s") || !strcmp(unit, "B") || !strcmp(unit, "Hz") || !strcmp(unit, "T/s") || !strcmp(unit, "1/s");
}

static void add_scaled(struct text *text, int64_t milli, const char *const *prefixes, const char *unit)
{
	static const int64_t thousand = 1000;
	int64_t whole = milli, part = 0;
	unsigned digits = 3;

	/* milli is thousandths of the current unit: its last three digits are the decimals. */
	while (whole / thousand >= thousand && prefixes[1]) {
		whole = (whole + thousand / 2) / thousand;
		prefixes++;
	}
	part = whole % thousand;
	whole /= thousand;
	if (whole >= 10) {
		digits = whole >= 100 ? 1 : 2;
		part /= whole >= 100 ? 100 : 10;
	}
	text_add_format(text, "%lld.%0*lld %s%s", (long long)whole, (int)digits, (long long)part, *prefixes, unit);
}

void console_add_value(struct text *text, int64_t milli, const char *unit)
{
	static const char *const up[] = { "", "k", "M", "G", "T", NULL };
	static const char *const time[] = { "ns", "us", "ms", "s", NULL };

	if (milli == VALUE_NONE) {
		text_add(text, "n/a");
	} else if (milli <= -1000000) {
		text_add(text, "-");
		console_add_value(text, -milli, unit);
	} else if (milli >= 1000000 && !strcmp(unit, "ns")) {
		add_scaled(text, milli, time, "");
	} else if (milli >= 1000000 && is_scaled(unit)) {
		add_scaled(text, milli, up, unit[0] == '1' ? unit + 1 : unit);
	} else {
		number_add_milli(text, milli);
		if (strcmp(unit, "1"))
			text_add_format(text, " %s", unit);
	}
}

static int put(struct console_sink *console, const struct text *text)
{
	return console->output->write(console->output, text->at, text->length);
}

static void clear_progress(struct console_sink *console, struct text *text)
{
	if (console->progress_shown)
		text_add(text, "\r\033[K");
	console->progress_shown = false;
}

static int run_start(struct sink *sink, const struct run_info *info)
{
	struct console_sink *console = (struct console_sink *)sink;
	char buffer[1024];
	struct text text = TEXT(buffer);

	console->step_count = info->step_count;
	text_add_format(&text, "assay %s on %s: %s (%s)\n", info->version, info->board->name, info->board->title, info->board->source);
	text_add_format(&text, "kernel %s, %u CPUs, ", info->identity->kernel, info->identity->cpus_online);
	console_add_value(&text, milli_whole(info->identity->memory_bytes), "B");
	text_add_format(&text, " of memory, level %s%s%s\n", info->level, info->partial ? ", partial" : "",
	                info->simulated ? ", simulated: nothing of this is about this machine" : "");
	text_add_format(&text, "clock %s, resolution ", info->clock);
	number_add_milli(&text, (int64_t)info->clock_resolution_ps);
	text_add(&text, " ns, ");
	number_add_milli(&text, (int64_t)info->clock_overhead_ps);
	text_add(&text, " ns a reading\n");
	if (info->identity->emulator[0])
		text_add_format(&text, "emulated (%s): times mean nothing\n", info->identity->emulator);
	if (info->scratch[0])
		text_add_format(&text, "scratch: %s\n", info->scratch);
	return put(console, &text);
}

static int step_start(struct sink *sink, unsigned number, const char *name, uint64_t time_ns)
{
	struct console_sink *console = (struct console_sink *)sink;
	char buffer[128];
	struct text text = TEXT(buffer);

	(void)time_ns;
	console->step = number;
	console->step_name = name;
	text_add_format(&text, "%2u/%u %s\n", number, console->step_count, name);
	return put(console, &text);
}

static const struct fact *interval_of(const struct event *event, const struct fact **high)
{
	*high = fact_find(&event->facts, "high95");
	return *high ? fact_find(&event->facts, "low95") : NULL;
}

static void add_figure(struct console_sink *console, struct text *text, const struct judged *judged, const char *name)
{
	const struct event *event = judged->event;
	const struct fact *high, *low = interval_of(event, &high), *n = fact_find(&event->facts, "n"), *ratio = fact_find(&event->facts, "ratio");
	char value[40], evidence[96];
	struct text v = TEXT(value), e = TEXT(evidence);

	console_add_value(&v, event->value_milli, event->unit);
	if (low) {
		text_add(&e, "95%: ");
		console_add_value(&e, low->milli, event->unit);
		text_add(&e, " .. ");
		console_add_value(&e, high->milli, event->unit);
	}
	if (n) {
		text_add(&e, low ? ", n=" : "n=");
		number_add_milli(&e, n->milli);
	}
	if (ratio)
		text_add_format(&e, "%s%lld %% of the bound", e.length ? ", " : "", (long long)(ratio->milli + 5) / 10);
	text_add_format(text, "      %s%-8s%s %-68s %14s", colour_of(console, judged->outcome), outcome_word(judged->outcome),
	                plain(console), name, value);
	if (evidence[0])
		text_add_format(text, "  (%s)", evidence);
}

static void add_message(struct console_sink *console, struct text *text, const struct judged *judged, const char *name)
{
	text_add_format(text, "      %s%-8s%s ", colour_of(console, judged->outcome), outcome_word(judged->outcome), plain(console));
	if (name[0] && !text_find(judged->reason, name))
		text_add_format(text, "%s: ", name);
	text_add(text, judged->reason);
}

/* FAIL and ERROR stand once more at the end: a long run scrolls. */
static void keep_fault(struct console_sink *console, const struct judged *judged, const char *name)
{
	struct text text;

	if (judged->outcome != OUTCOME_FAIL && judged->outcome != OUTCOME_ERROR)
		return;
	if (console->fault_count < CONSOLE_FAULTS) {
		text = TEXT(console->faults[console->fault_count]);
		text_add_format(&text, "%-5s %s: ", outcome_word(judged->outcome), console->step_name);
		if (name[0] && !text_find(judged->reason, name))
			text_add_format(&text, "%s: ", name);
		text_add(&text, judged->reason);
	}
	console->fault_count++;
}

static int show_progress(struct console_sink *console, const struct event *event)
{
	char buffer[160];
	struct text text = TEXT(buffer);

	if (!console->terminal)
		return 0;
	clear_progress(console, &text);
	text_add_format(&text, "      %s: %lld %%, ", console->step_name, (long long)event->value_milli / 10);
	number_add_duration(&text, (event->aux + SECONDS(1) - 1) / SECONDS(1) * SECONDS(1));
	text_add(&text, " left");
	console->progress_shown = true;
	return put(console, &text);
}

static int put_event(struct sink *sink, const struct judged *judged)
{
	struct console_sink *console = (struct console_sink *)sink;
	const struct event *event = judged->event;
	char buffer[1400], name[MAX_METRIC];
	struct text text = TEXT(buffer);

	switch (event->kind) {
	case EVENT_PROGRESS:
		return show_progress(console, event);
	case EVENT_CLAIM:
	case EVENT_SERIES:
	case EVENT_ELEMENT:
	case EVENT_SERIES_END:
		return 0;
	default:
		break;
	}
	event_metric_name(event, name, sizeof name);
	keep_fault(console, judged, name);
	clear_progress(console, &text);
	if (event->kind == EVENT_FIGURE && judged->outcome != OUTCOME_ERROR)
		add_figure(console, &text, judged, name);
	if (event->kind == EVENT_FIGURE && judged->reason[0] && judged->outcome != OUTCOME_ERROR)
		text_add(&text, "\n");
	if (event->kind != EVENT_FIGURE || judged->reason[0])
		add_message(console, &text, judged, name);
	text_add(&text, "\n");
	return put(console, &text);
}

static int step_end(struct sink *sink, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct console_sink *console = (struct console_sink *)sink;
	char buffer[512];
	struct text text = TEXT(buffer);

	(void)name;
	(void)outcome;
	(void)reason;
	(void)time_ns;
	clear_progress(console, &text);
	return text.length ? put(console, &text) : 0;
}

static int put_faults(struct console_sink *console)
{
	char buffer[256];
	struct text text = TEXT(buffer);

	if (console->fault_count)
		text_add_format(&text, "\nWhat failed or could not be measured (%u):\n", console->fault_count);
	for (unsigned i = 0; i < console->fault_count && i < CONSOLE_FAULTS; i++) {
		text_add_format(&text, "  %s\n", console->faults[i]);
		put(console, &text);
		text = TEXT(buffer);
	}
	if (console->fault_count > CONSOLE_FAULTS)
		text_add_format(&text, "  and %u more\n", console->fault_count - CONSOLE_FAULTS);
	return put(console, &text);
}

static int run_end(struct sink *sink, const struct run_end *end)
{
	struct console_sink *console = (struct console_sink *)sink;
	char buffer[640];
	struct text text = TEXT(buffer);

	put_faults(console);
	text_add_format(&text, "%s\n", end->last_line);
	return put(console, &text);
}

static const struct sink_ops ops = { run_start, step_start, put_event, step_end, run_end };

void console_sink_init(struct console_sink *sink, struct output *output, bool terminal)
{
	*sink = (struct console_sink){ .sink = { &ops }, .output = output, .terminal = terminal };
}
