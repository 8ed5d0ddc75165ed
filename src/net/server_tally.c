/* server_tally.c: what the streams of a bout have moved, warm-up apart. */
#include <string.h>
#include <sys/ioctl.h>

#include "capacity.h"
#include "net/server_bout.h"
#include "net/timekeeper.h"
#include "sys/call.h"
#include "sys/clock.h"

static uint64_t lost(const struct stream_counts *counts)
{
	return counts->highest > counts->datagrams ? counts->highest - counts->datagrams : 0;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* As counts and states are now. */
void tally_read(bool receivers_only)
{
	for (unsigned i = 0; i < bout.have; i++) {
		if (receivers_only && bout.streams[i].sends)
			continue;
		stream_counts(&bout.streams[i], &bout.counts[i]);
		socket_state(bout.streams[i].fd, &bout_result.streams[i].state);
	}
}

void tally_start(void)
{
	bout_result.start_ns = clock_now_ns();
	bout_result.omitted_ns = bout_result.start_ns - bout.begin_ns;
	timekeeper_cpu(&bout.user_ns, &bout.system_ns);
}

void tally_end_omitting(void)
{
	tally_read(false);
	memcpy(bout.omitted, bout.counts, sizeof bout.omitted);
	for (unsigned i = 0; i < bout.have; i++)
		bout.retransmits_omitted[i] = bout_result.streams[i].state.retransmits;
	bout.omitting = false;
	tally_start();
}

static void tell_stream(unsigned index)
{
	const struct stream *stream = &bout.streams[index];
	const struct stream_counts *now = &bout.counts[index], *before = &bout.omitted[index];
	struct net_stream_result *told = &bout_result.streams[index];

	told->id = stream->id;
	told->sends = stream->sends;
	told->counts = *now;
	told->error = stream_error(stream);
	told->here = (struct net_end){
		.told = true, .bytes = now->bytes - before->bytes, .datagrams = now->datagrams - before->datagrams,
		.omitted_bytes = before->bytes, .omitted_datagrams = before->datagrams,
		.errors = stream->sends ? 0 : less(lost(now), lost(before)), .jitter_ns = stream->sends ? 0 : now->jitter_ns,
		.has_retransmits = stream->sends && bout.test.protocol == NET_TCP,
		.retransmits = less(told->state.retransmits, bout.retransmits_omitted[index]),
		.elapsed_ns = stream->sends ? bout_result.elapsed_ns : less(bout.end_ns, bout_result.start_ns),
	};
}

void tally_end_time(void)
{
	if (bout.omitting)
		tally_end_omitting();
	if (bout_result.elapsed_ns)
		return;
	tally_read(false);
	bout.end_ns = clock_now_ns();
	bout_result.elapsed_ns = less(bout.end_ns, bout_result.start_ns);
}

void tally_tell(void)
{
	uint64_t user_ns, system_ns;

	tally_end_time();
	timekeeper_cpu(&user_ns, &system_ns);
	bout_result.user_ns = user_ns - bout.user_ns;
	bout_result.system_ns = system_ns - bout.system_ns;
	bout_result.stream_count = bout.have;
	for (unsigned i = 0; i < bout.have; i++)
		tell_stream(i);
}

uint64_t tally_all_bytes(void)
{
	struct stream_counts counts;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < bout.have; i++) {
		stream_counts(&bout.streams[i], &counts);
		bytes += counts.bytes;
	}
	return bytes;
}

uint64_t tally_received_bytes(void)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < bout.have; i++)
		bytes += bout.streams[i].sends ? 0 : bout.counts[i].bytes;
	return bytes;
}

bool tally_is_over_rate(const struct server_job *job, uint64_t now_ns)
{
	uint64_t ms = (now_ns - bout.begin_ns) / MS(1);

	return job->max_rate_bit_per_s && ms > 1000 && bout.moved_bytes / ms > job->max_rate_bit_per_s / 8000 * 11 / 10 + bout.test.length_bytes / 1000;
}

/* A thread that gets no turn is not the end of what came, nor is a pause in what the client has sent for sure. */
bool tally_is_anything_left(void)
{
	uint64_t asked = limits_asked_bytes(&bout.test);
	int bytes = bout.test.protocol == NET_TCP && asked && !bout.test.reverse && tally_received_bytes() < asked;

	for (unsigned i = 0; i < bout.have && !bytes; i++)
		if (!bout.streams[i].sends)
			sys_ioctl(bout.streams[i].fd, FIONREAD, &bytes);
	return bytes;
}
