/* loads.c: see loads.h. */
#include <errno.h>
#include <sys/syscall.h>

#include "block/engine.h"
#include "lib/number.h"
#include "lib/random.h"
#include "mem/stream.h"
#include "msg/local.h"
#include "net/tcp.h"
#include "step/block_say.h"
#include "study/loads.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/map.h"

enum {
	TCP_LENGTH_BYTES = 128 << 10,
	TCP_PATIENCE_MS = 3000,
	WINDOWS = 10,
	OFFERED_PER_S = 1000000,     /* messages: more than any reader takes */
	BUDGET_PART = 4,
};

static const char metric[] = "study.interference.rate";

const char *load_word(enum load load)
{
	static const struct param words = { .words = LOAD_WORDS };
	static char word[12];

	param_word(&words, load, word, sizeof word);
	return word;
}

struct point load_point(enum load load)
{
	return point_text("load", load_word(load));
}

uint64_t load_memory_bytes(const struct load_job *job)
{
	switch (job->load) {
	case LOAD_STORAGE: return job->bs_bytes * job->iodepth;
	case LOAD_MEMORY: return job->buffer_bytes * job->cpus->count;
	case LOAD_MESSAGES: return job->message_bytes * MAX_SLOTS;
	default: return 2 * TCP_LENGTH_BYTES;
	}
}

/* Says it, with the load's name, as ERROR or, when it is the board's fault, as FAIL.  Returns false. */
__attribute__((format(printf, 4, 5)))
static bool say(struct ctx *ctx, enum load load, bool fault, const char *format, ...)
{
	const struct point points[] = { load_point(load), POINT_LIST_END };
	char what[MAX_MESSAGE];
	struct text text = TEXT(what);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	if (ctx)
		(fault ? emit_fail : emit_error)(ctx, metric, points, "%s", what);
	return false;
}

/* ---- storage ---- */

static bool run_storage(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static struct block_result measured;
	const struct point points[] = { load_point(LOAD_STORAGE), POINT_LIST_END };
	uint64_t blocks = job->device->size_bytes / job->bs_bytes, first;
	struct block_job block = { .fd = job->device->fd, .rw = BLOCK_READ, .engine = BLOCK_FIRST, .iodepth = job->iodepth,
	                           .bs_bytes = job->bs_bytes, .runtime_ns = job->runtime_ns, .ramp_ns = job->ramp_ns };
	struct random random;
	unsigned faults;
	int err;

	random_seed(&random, job->seed);
	first = random_below(&random, blocks / 2 + 1);
	block.offset_bytes = first * job->bs_bytes;
	block.size_bytes = (blocks - first) * job->bs_bytes;
	err = block_run(&block, &measured);
	faults = ctx ? block_say(ctx, metric, points, job->device->node, "reads", &measured, err) : measured.errors.count + measured.refusals.count;
	if (err || faults)
		return false;
	if (!measured.ios)
		return say(ctx, LOAD_STORAGE, false, "%s: no read came to an end within the time: give it more --runtime", job->device->node);
	result->rate_milli = measured.bandwidth_milli;
	result->window_ns = measured.time_ns;
	text_format(result->engine, sizeof result->engine, "%s x %u", measured.engine, measured.iodepth);
	return true;
}

/* ---- network ---- */

static bool run_network(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static struct tcp_result measured;
	const struct tcp_job tcp = { .omit_ns = job->ramp_ns, .runtime_ns = job->runtime_ns, .timeout_ns = MS(TCP_PATIENCE_MS),
	                             .length_bytes = TCP_LENGTH_BYTES };
	int err = tcp_loopback(&tcp, &measured), end = measured.receive_error ? measured.receive_error : measured.send_error;

	if (err)
		return say(ctx, LOAD_NETWORK, false, "no connection over loopback: %s", sys_error(err));
	if (end)
		return say(ctx, LOAD_NETWORK, tcp_is_broken(end), "the connection over loopback ended early: %s", sys_error(end));
	if (!measured.bytes)
		return say(ctx, LOAD_NETWORK, false, "no byte arrived over loopback");
	result->rate_milli = milli_per_second(measured.bytes, measured.elapsed_ns);
	result->window_ns = measured.elapsed_ns;
	text_copy(result->engine, sizeof result->engine, "send/recv x 1");
	return true;
}

/* ---- memory ---- */

static bool run_memory(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static struct stream_result measured;
	static struct summary summary;
	const struct stream_job stream = { .mix = STREAM_READS, .cpus = job->cpus, .threads = job->cpus->count, .part_bytes = job->buffer_bytes,
	                                   .page = MAP_PAGE_SMALL, .time_ns = job->runtime_ns, .windows = WINDOWS };
	int err = stream_run(&stream, &measured);

	if (measured.wrong_chunks)
		return say(ctx, LOAD_MEMORY, true, "%llu pieces of 64 KiB did not hold what was written to them",
		           (unsigned long long)measured.wrong_chunks);
	if (err)
		return say(ctx, LOAD_MEMORY, false, "streaming reads: %s", sys_error(err));
	summary_of(&measured.rates, &summary);
	if (!summary.count)
		return say(ctx, LOAD_MEMORY, false, "streaming reads: no samples");
	result->rate_milli = summary.mean;
	result->window_ns = job->runtime_ns;
	text_format(result->engine, sizeof result->engine, "%s x %u", measured.kernel, job->cpus->count);
	return true;
}

/* ---- messages ---- */

static struct transport flow;
static uint64_t flow_end_ns;

/* The writer waits for a place, where msg_local would drop the message: on one CPU the reader has its turn. */
static struct message *claim_place(struct channel *channel)
{
	struct message *message;

	while (!(message = transport_shm.claim(channel)) && clock_now_ns() < flow_end_ns)
		sys_call(SYS_sched_yield);
	return message;
}

/* -ETIME is the end that was wanted. */
static int send_in_time(struct channel *channel, uint64_t timeout_ns)
{
	return clock_now_ns() < flow_end_ns ? transport_shm.send(channel, timeout_ns) : -ETIME;
}

static bool say_messages(struct ctx *ctx, int err, const struct msg_result *measured)
{
	const struct msg_received *received = measured->received;

	if (received && (received->wrong || received->out_of_order))
		return say(ctx, LOAD_MESSAGES, true, "%llu messages arrived with wrong content, %llu out of order",
		           (unsigned long long)received->wrong, (unsigned long long)received->out_of_order);
	if (measured->reader_signal)
		return say(ctx, LOAD_MESSAGES, false, "the reader was killed by signal %d", measured->reader_signal);
	if (!err && measured->send_error && measured->send_error != -ETIME)
		err = measured->send_error;
	if (!err && received)
		err = received->error;
	if (err)
		return say(ctx, LOAD_MESSAGES, false, "messages: %s", sys_error(err));
	return received->count > 1 ? true : say(ctx, LOAD_MESSAGES, false, "one message is no rate: give it more --runtime");
}

static bool run_messages(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static struct msg_result measured;
	const struct msg_job messages = { .transport = &flow, .size_bytes = job->message_bytes, .rate_hz = OFFERED_PER_S,
	                                  .duration_ns = job->ramp_ns + job->runtime_ns, .budget_bytes = map_budget_bytes(NULL) / BUDGET_PART,
	                                  .touch = true };
	int err;

	flow = transport_shm;
	flow.claim = claim_place;
	flow.send = send_in_time;
	flow_end_ns = clock_now_ns() + messages.duration_ns;
	measured = (struct msg_result){ .received = NULL };
	err = msg_local(&messages, &measured);
	if (!say_messages(ctx, err, &measured))
		return false;
	result->window_ns = measured.received->last_ns - measured.received->first_ns;
	result->rate_milli = milli_per_second((measured.received->count - 1) * job->message_bytes, result->window_ns);
	result->cpu_ns = measured.received->cpu_ns;
	text_copy(result->engine, sizeof result->engine, flow.name);
	return true;
}

/* ---- all ---- */

bool load_run(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static bool (*const runs[LOADS])(struct ctx *, const struct load_job *, struct load_result *) = {
		run_storage, run_network, run_memory, run_messages,
	};
	uint64_t start_ns = clock_now_ns(), cpu_ns = clock_process_cpu_ns();
	bool good;

	*result = (struct load_result){ .rate_milli = VALUE_NONE };
	good = runs[job->load](ctx, job, result);
	result->end_ns = clock_now_ns();
	result->call_ns = result->end_ns - start_ns;
	result->cpu_ns += clock_process_cpu_ns() - cpu_ns;
	return good;
}
