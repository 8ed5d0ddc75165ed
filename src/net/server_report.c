/* server_report.c: one line on each test, and few on those that were turned away. */
#include <stdarg.h>

#include "capacity.h"
#include "lib/number.h"
#include "net/server_inside.h"
#include "sys/clock.h"

static const char *const protocols[] = { [NET_TCP] = "TCP", [NET_UDP] = "UDP" };

/* To the second. */
static void add_time(struct text *text)
{
	char time[40];
	struct text whole = TEXT(time);

	number_add_time(&whole, clock_real_ns());
	text_add_bytes(text, time, 19);
	text_add(text, "Z ");
}

void report_say(const struct server *server, const char *format, ...)
{
	char line[500];
	struct text text = TEXT(line);
	va_list args;

	add_time(&text);
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	server->job->say(server->job->context, line);
}

/* ---- those turned away: a line at once, then what came meanwhile as one ---- */

void report_turned_away(struct server *server, const struct net_address *peer, const char *why)
{
	char from[ADDRESS_TEXT];
	uint64_t now_ns = clock_now_ns();

	address_text(peer, from);
	if (server->said_ns && now_ns - server->said_ns < SECONDS(10)) {
		server->held_back++;
		text_format(server->held_why, sizeof server->held_why, "%s, %s", from, why);
		return;
	}
	server->said_ns = now_ns;
	report_say(server, "%s: turned away: %s", from, why);
}

uint64_t report_tick(struct server *server, uint64_t now_ns)
{
	if (!server->held_back)
		return UINT64_MAX;
	if (now_ns - server->said_ns < SECONDS(10))
		return server->said_ns + SECONDS(10);
	report_say(server, "turned away %u more; the last: %s", server->held_back, server->held_why);
	server->held_back = 0;
	server->said_ns = now_ns;
	return UINT64_MAX;
}

/* ---- a test ---- */

static uint64_t bits_per_s(uint64_t bytes, uint64_t duration_ns)
{
	uint64_t us = duration_ns / 1000;

	return us ? bytes / us * 8000000 + bytes % us * 8000000 / us : 0;
}

static void add_volume(struct text *text, uint64_t bytes, uint64_t duration_ns)
{
	text_add_format(text, "%llu B, ", (unsigned long long)bytes);
	number_add_milli(text, (int64_t)(bits_per_s(bytes, duration_ns) / 1000));
	text_add(text, " Mbit/s");
}

static uint64_t missing(const struct net_result *result, uint64_t *of)
{
	uint64_t count = 0;

	*of = 0;
	for (unsigned i = 0; i < result->stream_count; i++)
		if (!result->streams[i].sends) {
			count += result->streams[i].here.errors;
			*of += result->streams[i].here.errors + result->streams[i].here.datagrams;
		}
	return count;
}

static void add_direction(const struct net_test *test, const struct net_result *result, bool sends, struct text *text)
{
	uint64_t bytes = 0, elapsed_ns = 0, datagrams, lost = missing(result, &datagrams);

	for (unsigned i = 0; i < result->stream_count; i++)
		if (result->streams[i].sends == sends) {
			bytes += result->streams[i].here.bytes;
			if (result->streams[i].here.elapsed_ns > elapsed_ns)
				elapsed_ns = result->streams[i].here.elapsed_ns;
		}
	text_add(text, sends ? "sent " : "received ");
	add_volume(text, bytes, elapsed_ns);
	if (test->protocol == NET_UDP && !sends)
		text_add_format(text, ", %llu of %llu datagrams missing", (unsigned long long)lost, (unsigned long long)datagrams);
}

static void add_test(const struct net_test *test, const struct net_result *result, struct text *text)
{
	text_add_format(text, "%s, %u stream%s%s, ", protocols[test->protocol], test->streams, test->streams == 1 ? "" : "s", test->bidirectional ? " each way" : "");
	number_add_milli(text, (int64_t)(result->elapsed_ns / 1000000));
	text_add(text, " s: ");
	if (!test->reverse)
		add_direction(test, result, false, text);
	if (test->bidirectional)
		text_add(text, "; ");
	if (test->reverse || test->bidirectional)
		add_direction(test, result, true, text);
}

void report_test(const struct server *server, const struct net_test *test, const struct net_result *result)
{
	char peer[ADDRESS_TEXT], what[256];
	struct text text = TEXT(what);

	address_text(&result->control_peer, peer);
	add_test(test, result, &text);
	if (result->phase == NET_DONE)
		report_say(server, "%s: %s: done", peer, what);
	else
		report_say(server, "%s: %s: ended while %s: %s", peer, what, net_phase_word(result->phase), result->fault);
}

/* ---- for the client ---- */

void report_output(const struct net_test *test, const struct net_result *result, struct text *text)
{
	text_add_format(text, "assay %s, serving: ", ASSAY_VERSION);
	add_test(test, result, text);
	text_add(text, "\n");
	for (unsigned i = 0; i < result->stream_count; i++) {
		const struct net_stream_result *stream = &result->streams[i];

		text_add_format(text, "[%3d] %s ", stream->id, stream->sends ? "sent" : "received");
		add_volume(text, stream->here.bytes, stream->here.elapsed_ns);
		if (stream->here.has_retransmits)
			text_add_format(text, ", %llu retransmitted", (unsigned long long)stream->here.retransmits);
		text_add(text, "\n");
	}
	text_add(text, "CPU time: ");
	number_add_duration(text, result->user_ns);
	text_add(text, " user, ");
	number_add_duration(text, result->system_ns);
	text_add(text, " system\n");
}
