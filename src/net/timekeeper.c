/*
 * timekeeper.c: a poll on the control connection is the clock's tick.  Every number is a difference of two readings, over the time between them.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "net/timekeeper.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { TICK_MS = 50, LIMIT_TICK_MS = 5, SILENCE_S = 30 };

/* One test at a time. */
static struct keeper {
	const struct timekeeper_job *job;
	struct net_result *result;
	uint64_t begin_ns;           /* of all */
	uint64_t last_ns;            /* end of the last interval */
	uint64_t interval_ns;
	uint64_t moved_bytes, moved_ns; /* of a test by limits: all bytes, and when they last grew */
	struct stream_counts counts[2 * MAX_NET_STREAMS];      /* at the end of the last interval */
	struct stream_counts omitted[2 * MAX_NET_STREAMS];     /* at the end of the warm-up */
	struct stream_counts stopped[2 * MAX_NET_STREAMS];     /* at the very end */
	uint64_t stopped_ns;         /* 0: not yet */
	uint32_t retransmits[2 * MAX_NET_STREAMS], retransmits_omitted[2 * MAX_NET_STREAMS];
	uint64_t user_ns, system_ns; /* at its end */
} keeper;

static bool by_limits(const struct net_test *test)
{
	return test->bytes || test->blocks;
}

static uint64_t lost(const struct stream_counts *counts)
{
	return counts->highest > counts->datagrams ? counts->highest - counts->datagrams : 0;
}

static uint64_t grown(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void timekeeper_cpu(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage usage = { .ru_nvcsw = 0 };

	sys_call(SYS_getrusage, RUSAGE_SELF, &usage);
	*user_ns = SECONDS((uint64_t)usage.ru_utime.tv_sec) + US((uint64_t)usage.ru_utime.tv_usec);
	*system_ns = SECONDS((uint64_t)usage.ru_stime.tv_sec) + US((uint64_t)usage.ru_stime.tv_usec);
}

/* ---- intervals ---- */

static void join_cells(struct net_cell *into, const struct net_cell *first, const struct net_cell *second)
{
	struct net_cell sum = *second;

	sum.bytes += first->bytes;
	sum.datagrams += first->datagrams;
	sum.lost += first->lost;
	sum.reordered += first->reordered;
	sum.retransmits += first->retransmits;
	*into = sum;
}

/* One of which a part was warm-up is warm-up. */
static void join_intervals(struct net_interval *into, const struct net_interval *first, const struct net_interval *second)
{
	struct net_interval sum = *first;

	sum.end_ns = second->end_ns;
	sum.bytes[0] += second->bytes[0];
	sum.bytes[1] += second->bytes[1];
	sum.retransmits += second->retransmits;
	*into = sum;
}

/* Two become one, all over; intervals last twice as long from here on. */
static void halve(struct net_result *result)
{
	for (unsigned i = 0; i < result->interval_count / 2; i++)
		join_intervals(&result->intervals[i], &result->intervals[2 * i], &result->intervals[2 * i + 1]);
	result->interval_count /= 2;
	result->cell_intervals /= 2;
	for (unsigned i = 0; i < result->cell_intervals; i++)
		for (unsigned j = 0; j < result->stream_count; j++)
			join_cells(result_cell_at(i, j), result_cell_at(2 * i, j), result_cell_at(2 * i + 1, j));
	keeper.interval_ns *= 2;
}

/* What TCP tells of a stream at the end of an interval. */
static void read_state(struct net_stream_result *told, int fd, struct net_cell *cell, unsigned index)
{
	struct socket_state *state = &told->state;

	socket_state(fd, state);
	told->cwnd_max_bytes = state->cwnd_bytes > told->cwnd_max_bytes ? state->cwnd_bytes : told->cwnd_max_bytes;
	told->rtt_max_us = state->rtt_us > told->rtt_max_us ? state->rtt_us : told->rtt_max_us;
	told->rtt_sum_us += state->rtt_us;
	cell->retransmits = (uint32_t)grown(keeper.retransmits[index], state->retransmits);
	cell->cwnd_bytes = state->cwnd_bytes;
	cell->rtt_us = state->rtt_us;
	cell->rttvar_us = state->rttvar_us;
	cell->path_mtu = state->path_mtu;
	cell->send_window_bytes = state->send_window_bytes;
	keeper.retransmits[index] = state->retransmits;
}

static void read_stream(unsigned index, struct net_interval *interval)
{
	const struct stream *stream = &keeper.job->streams[index];
	struct net_cell cell = { .bytes = 0 }, *kept = result_cell_at(keeper.result->interval_count, index);
	struct stream_counts now, *before = &keeper.counts[index];

	if (keeper.stopped_ns && !stream->sends)
		now = keeper.stopped[index];
	else
		stream_counts(stream, &now);
	cell.bytes = now.bytes - before->bytes;
	cell.datagrams = now.datagrams - before->datagrams;
	cell.lost = grown(lost(before), lost(&now));
	cell.reordered = now.reordered - before->reordered;
	cell.jitter_ns = now.jitter_ns;
	read_state(&keeper.result->streams[index], stream->fd, &cell, index);
	interval->bytes[stream->sends] += cell.bytes;
	interval->retransmits += cell.retransmits;
	*before = now;
	if (kept)
		*kept = cell;
}

static void end_interval(bool omitted)
{
	struct net_result *result = keeper.result;
	struct net_interval *interval;
	uint64_t now_ns = keeper.stopped_ns ? keeper.stopped_ns : clock_now_ns();
	bool kept;

	if (result->interval_count == MAX_NET_INTERVALS)
		halve(result);
	interval = &result->intervals[result->interval_count];
	*interval = (struct net_interval){ .start_ns = keeper.last_ns - keeper.begin_ns, .end_ns = now_ns - keeper.begin_ns, .omitted = omitted };
	kept = result_cell_at(result->interval_count, keeper.job->stream_count - 1) && result->cell_intervals == result->interval_count;
	for (unsigned i = 0; i < keeper.job->stream_count; i++)
		read_stream(i, interval);
	result->interval_count++;
	result->cell_intervals += kept;
	keeper.last_ns = now_ns;
	if (keeper.job->note)
		keeper.job->note(keeper.job->note_context, now_ns, omitted);
}

/* ---- waiting ---- */

static int error_of_streams(void)
{
	for (unsigned i = 0; i < keeper.job->stream_count; i++)
		if (stream_error(&keeper.job->streams[i]))
			return stream_error(&keeper.job->streams[i]);
	return 0;
}

/* A test by limits has no end if nothing moves: where datagrams do not come, no stream has an error. */
static bool is_silent(uint64_t now_ns)
{
	struct stream_counts counts;
	uint64_t bytes = 0;

	for (unsigned i = 0; i < keeper.job->stream_count; i++) {
		stream_counts(&keeper.job->streams[i], &counts);
		bytes += counts.bytes;
	}
	if (bytes != keeper.moved_bytes || !keeper.moved_ns)
		keeper.moved_ns = now_ns;
	keeper.moved_bytes = bytes;
	return now_ns - keeper.moved_ns > SECONDS(SILENCE_S);
}

/* 0: nothing happened in this time; 1: a limit is reached; -errno: the test is over. */
static int tick(uint64_t time_ns)
{
	const struct timekeeper_job *job = keeper.job;
	struct pollfd control = { .fd = job->control_fd, .events = POLLIN };
	uint64_t most_ns = MS(by_limits(job->test) ? LIMIT_TICK_MS : TICK_MS);
	int err;

	if (job->control_fd < 0 || time_ns < MS(1))
		sys_sleep_ns(time_ns < most_ns ? time_ns : most_ns);
	if (job->control_fd >= 0 && sys_poll(&control, 1, time_ns < MS(1) ? 0 : (int)((time_ns < most_ns ? time_ns : most_ns) / MS(1))) > 0)
		return -ECANCELED;
	if (job->interrupted && *job->interrupted)
		return -EINTR;
	err = error_of_streams();
	if (!err && atomic_load(&job->streams->gate->limit_reached))
		return 1;
	if (!err && by_limits(job->test) && is_silent(clock_now_ns()))
		return -ETIMEDOUT;
	if (!err && by_limits(job->test) && job->longest_ns && clock_now_ns() - keeper.begin_ns > job->longest_ns)
		return -ETIME;
	return err;
}

static int wait_until(uint64_t until_ns)
{
	uint64_t now_ns;
	int end = 0;

	while (!end && (now_ns = clock_now_ns()) < until_ns)
		end = tick(until_ns - now_ns);
	return end;
}

/* Many streams may take longer to read than an interval lasts: those that were missed are one with the next, lest the test goes on until all are made up for. */
static uint64_t next_end(uint64_t last_ns)
{
	uint64_t now_ns = clock_now_ns(), missed = now_ns > last_ns ? (now_ns - last_ns) / keeper.interval_ns : 0;

	return last_ns + (missed + 1) * keeper.interval_ns;
}

/* Intervals until a moment; the last one, shorter or not, is ended by the caller.  As tick. */
static int keep_intervals(uint64_t until_ns, bool omitted)
{
	uint64_t next_ns = clock_now_ns() + keeper.interval_ns;
	int end = 0;

	while (!end && next_ns < until_ns) {
		end = wait_until(next_ns);
		if (end)
			break;
		end_interval(omitted);
		next_ns = next_end(next_ns);
	}
	return end ? end : wait_until(until_ns);
}

/* ---- the test ---- */

static void end_omitting(void)
{
	struct net_result *result = keeper.result;

	end_interval(true);
	memcpy(keeper.omitted, keeper.counts, sizeof keeper.omitted);
	memcpy(keeper.retransmits_omitted, keeper.retransmits, sizeof keeper.retransmits);
	result->omitted_ns = keeper.last_ns - keeper.begin_ns;
	for (unsigned i = 0; i < keeper.job->stream_count; i++)
		result->streams[i].cwnd_max_bytes = result->streams[i].rtt_max_us = 0, result->streams[i].rtt_sum_us = 0;
}

/* What is under way at the end of a warm-up is no part of so many bytes. */
static void set_limits(const struct timekeeper_job *job)
{
	atomic_store(&job->streams->gate->limit_bytes, job->test->bytes);
	atomic_store(&job->streams->gate->limit_blocks, job->test->bytes ? 0 : job->test->blocks);
}

static void start_measuring(void)
{
	keeper.result->start_ns = clock_now_ns();
	keeper.last_ns = keeper.result->start_ns;
	timekeeper_cpu(&keeper.user_ns, &keeper.system_ns);
}

/*
 * Senders' counts are whole only once they have ended; whatever receivers get later is no part of the test.  But what is missing is asked once they have ended:
 * datagrams that came meanwhile may be overtaken ones of the test's own, and the others' gaps are closed by those that still come.
 */
static void tell_stream(unsigned index)
{
	const struct stream *stream = &keeper.job->streams[index];
	const struct stream_counts *now = &keeper.counts[index], *omitted = &keeper.omitted[index];
	struct net_stream_result *told = &keeper.result->streams[index];
	struct stream_counts last;

	stream_counts(stream, &last);
	told->late = !stream->sends && last.datagrams > now->datagrams;
	told->id = stream->id;
	told->sends = stream->sends;
	told->here = (struct net_end){
		.told = true, .bytes = now->bytes - omitted->bytes, .datagrams = now->datagrams - omitted->datagrams,
		.omitted_bytes = omitted->bytes, .omitted_datagrams = omitted->datagrams,
		.errors = stream->sends ? 0 : grown(lost(omitted), lost(&last)), .jitter_ns = now->jitter_ns,
		.has_retransmits = stream->sends && keeper.job->test->protocol == NET_TCP,
		.retransmits = keeper.retransmits[index] - keeper.retransmits_omitted[index], .elapsed_ns = keeper.result->elapsed_ns,
	};
	told->counts = *now;
	told->counts.highest = last.highest;
	told->cpu = stream->ended_on_cpu;
	told->error = stream_error(stream);
	memcpy(told->engine, stream->engine, sizeof told->engine);
}

static void tell(void)
{
	struct net_result *result = keeper.result;
	uint64_t user_ns, system_ns;

	timekeeper_cpu(&user_ns, &system_ns);
	result->user_ns = user_ns - keeper.user_ns;
	result->system_ns = system_ns - keeper.system_ns;
	result->elapsed_ns = keeper.last_ns - result->start_ns;
	for (unsigned i = 0; i < keeper.job->stream_count; i++)
		tell_stream(i);
}

static uint64_t interval_of(const struct timekeeper_job *job)
{
	uint64_t least_ns = by_limits(job->test) ? 0 : (job->test->time_ns + job->test->omit_ns) / (MAX_NET_INTERVALS - 2) + 1;

	if (job->interval_ns)
		return job->interval_ns;
	return least_ns > MS(100) ? least_ns : MS(100);
}

static int keep_time(const struct net_test *test)
{
	int end = 0;

	if (test->omit_ns) {
		end = keep_intervals(keeper.begin_ns + test->omit_ns, true);
		end_omitting();
		set_limits(keeper.job);
	}
	start_measuring();
	if (!end)
		end = keep_intervals(by_limits(test) ? UINT64_MAX : keeper.last_ns + test->time_ns, false);
	return end;
}

/*
 * The test ends before its threads do, which may wait for a while yet: whatever comes then is not counted, but what a sender has begun to send
 * by then is.
 */
static void stop(const struct timekeeper_job *job)
{
	uint64_t limit_ns = atomic_load(&job->streams->gate->limit_ns);

	keeper.stopped_ns = limit_ns > keeper.last_ns ? limit_ns : clock_now_ns();
	for (unsigned i = 0; i < job->stream_count; i++)
		stream_counts(&job->streams[i], &keeper.stopped[i]);
	streams_leave(job->streams, job->stream_count);
}

int timekeeper_run(const struct timekeeper_job *job, struct net_result *result)
{
	int err, end;

	memset(&keeper, 0, sizeof keeper);
	keeper.job = job;
	keeper.result = result;
	keeper.interval_ns = interval_of(job);
	result->stream_count = job->stream_count;
	result->interval_count = result->cell_intervals = 0;
	result->omitted_ns = result->elapsed_ns = 0;
	if (!job->test->omit_ns)
		set_limits(job);
	err = streams_start(job->streams, job->stream_count);
	if (err)
		return err;
	keeper.begin_ns = keeper.last_ns = clock_now_ns();
	end = keep_time(job->test);
	stop(job);
	end_interval(false);
	tell();
	if (end == -EINTR)
		result->interrupted = true;
	return end < 0 ? end : 0;
}
