/* loads.c: see loads.h. */
#include <errno.h>
#include <sys/syscall.h>

#include "block/engine.h"
#include "lib/random.h"
#include "lib/text.h"
#include "mem/stream.h"
#include "msg/local.h"
#include "net/loopback.h"
#include "step/block_say.h"
#include "study/loads.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/team.h"

enum {
	TCP_PATIENCE_MS = 3000,
	OFFERED_PER_S = 1000000,     /* messages: more than any reader takes */
};

/* What went wrong: err alone, or with words before it; is_fault: the board is to blame. */
struct trouble { int err; bool is_fault, is_said; const char *words; };

const char load_metric[] = "study.interference.rate";

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

static void run_storage(struct ctx *ctx, const struct load_job *job, struct load_result *result, struct trouble *trouble)
{
	static struct block_result measured;
	const struct point points[] = { load_point(LOAD_STORAGE), POINT_LIST_END };
	uint64_t blocks = job->device->size_bytes / LOAD_BLOCK_BYTES, first;
	struct block_job block = { .fd = job->device->fd, .rw = BLOCK_READ, .engine = BLOCK_FIRST, .iodepth = LOAD_DEPTH,
	                           .bs_bytes = LOAD_BLOCK_BYTES, .runtime_ns = job->runtime_ns, .ramp_ns = job->ramp_ns };
	struct random random;

	random_seed(&random, job->seed);
	first = random_below(&random, blocks / 2 + 1);
	block.offset_bytes = first * LOAD_BLOCK_BYTES;
	block.size_bytes = (blocks - first) * LOAD_BLOCK_BYTES;
	trouble->err = block_run(&block, &measured);
	trouble->is_said = trouble->err || measured.errors.count + measured.refusals.count;
	if (ctx)
		block_say(ctx, load_metric, points, job->device->node, "reads", &measured, trouble->err);
	result->rate_milli = measured.bandwidth_milli;
	result->window_ns = measured.time_ns;
	text_format(result->engine, sizeof result->engine, "%s x %u", measured.engine, measured.iodepth);
}

static void run_network(struct ctx *ctx, const struct load_job *job, struct load_result *result, struct trouble *trouble)
{
	static struct net_result measured;
	const struct net_stream_result *sender = &measured.streams[0], *receiver = &measured.streams[1];
	const struct loopback_job tcp = { .test = { .protocol = NET_TCP, .streams = 1, .length_bytes = TEST_TCP_LENGTH_BYTES, .omit_ns = job->ramp_ns,
	                                            .time_ns = job->runtime_ns }, .timeout_ns = MS(TCP_PATIENCE_MS), .free = true };

	(void)ctx;
	trouble->words = "TCP over loopback: ";
	trouble->err = loopback_run(&tcp, &measured);
	if (trouble->err)
		return;
	trouble->err = receiver->error ? receiver->error : sender->error;
	trouble->is_fault = stream_is_broken(trouble->err);
	if (receiver->here.bytes)
		result->rate_milli = milli_per_second(receiver->here.bytes, measured.elapsed_ns);
	result->window_ns = measured.elapsed_ns;
	text_format(result->engine, sizeof result->engine, "%s/%s", sender->engine, receiver->engine);
}

/* ---- memory: by the engine's kernels in our own time, so that what comes before and behind its windows is no gap in the load ---- */

static struct {
	struct buffer buffer;
	const struct mem_kernel *kernel;
	uint64_t begin_ns, end_ns;   /* of what counts */
	struct team team;
	struct part { _Alignas(128) struct stream_part part; uint64_t counted, last_ns, wrong; } parts[MAX_THREADS];
} memory;

static void fill_part(unsigned member, void *context)
{
	(void)context;
	stream_fill(&memory.parts[member].part);
}

/* One piece at least, however late: a thread that had no CPU meanwhile is slow, not without a rate. */
static void read_part(unsigned member, void *context)
{
	struct part *part = &memory.parts[member];
	uint64_t done = 0, counted = 0, now_ns;

	(void)context;
	do {
		part->wrong += !stream_work(&part->part, memory.kernel, done++);
		now_ns = clock_now_ns();
		counted += now_ns > memory.begin_ns;
	} while (now_ns < memory.end_ns);
	part->counted = counted;
	part->last_ns = now_ns;
}

static int prepare_memory(const struct load_job *job)
{
	uint64_t part_bytes = buffer_round(job->buffer_bytes, MAP_PAGE_SMALL);
	int err = buffer_map(&memory.buffer, part_bytes * job->cpus->count, MAP_PAGE_SMALL);

	if (err)
		return err;
	memory.kernel = job->kernel;
	for (unsigned i = 0; i < job->cpus->count; i++)
		stream_cut(&memory.parts[i].part, STREAM_READS, (char *)memory.buffer.at + i * part_bytes, job->buffer_bytes, STREAM_CHUNK_BYTES);
	return team_run(&memory.team, job->cpus, job->cpus->count, fill_part, NULL);
}

/* The first time, to find the kernel. */
static void try_memory(const struct load_job *job, struct load_result *result, struct trouble *trouble)
{
	static struct stream_result measured;
	const struct stream_job stream = { .mix = STREAM_READS, .cpus = job->cpus, .threads = job->cpus->count, .part_bytes = job->buffer_bytes,
	                                   .page = MAP_PAGE_SMALL, .node = NUMA_ANY, .time_ns = job->runtime_ns, .windows = 1 };

	trouble->err = stream_run(&stream, &measured);
	memory.parts[0].wrong = measured.wrong_chunks;
	result->kernel = measured.found;
	if (measured.rates.count)
		result->rate_milli = measured.rates.values[0];
	result->window_ns = job->runtime_ns;
}

static void add_part(const struct part *part, struct load_result *result)
{
	uint64_t time_ns = part->last_ns - memory.begin_ns;

	result->rate_milli = (result->rate_milli == VALUE_NONE ? 0 : result->rate_milli) + milli_per_second(part->counted * STREAM_CHUNK_BYTES, time_ns);
	result->window_ns = time_ns > result->window_ns ? time_ns : result->window_ns;
}

static void run_memory(struct ctx *ctx, const struct load_job *job, struct load_result *result, struct trouble *trouble)
{
	uint64_t wrong = 0;

	(void)ctx;
	trouble->words = "streaming reads: ";
	if (job->kernel) {
		memory.begin_ns = clock_now_ns() + job->ramp_ns;
		memory.end_ns = memory.begin_ns + job->runtime_ns;
		trouble->err = team_run(&memory.team, job->cpus, job->cpus->count, read_part, NULL);
		result->kernel = job->kernel;
	} else {
		try_memory(job, result, trouble);
	}
	for (unsigned i = 0; i < job->cpus->count; i++) {
		wrong += memory.parts[i].wrong;
		if (job->kernel && !trouble->err)
			add_part(&memory.parts[i], result);
	}
	if (wrong)
		*trouble = (struct trouble){ .err = -EBADMSG, .is_fault = true, .words = "memory did not hold what was written to it: " };
	if (result->kernel)
		text_format(result->engine, sizeof result->engine, "%s x %u", result->kernel->name, job->cpus->count);
}

int load_prepare(const struct load_job *job)
{
	return job->load == LOAD_MEMORY && job->kernel ? prepare_memory(job) : 0;
}

/* ---- messages: the writer waits for a place, where msg_local would drop the message: on one CPU the reader has its turn ---- */

static struct transport flow;
static uint64_t flow_ns, flow_end_ns; /* from the first message on */
static unsigned flow_late;

static struct message *claim_place(struct channel *channel)
{
	struct message *message;

	if (!flow_end_ns)
		flow_end_ns = clock_now_ns() + flow_ns;
	while (!(message = transport_shm.claim(channel)) && clock_now_ns() < flow_end_ns)
		sys_call(SYS_sched_yield);
	return message;
}

/* -ETIME is the end that was wanted: not before two messages, for one is no rate. */
static int send_in_time(struct channel *channel, uint64_t timeout_ns)
{
	return clock_now_ns() < flow_end_ns || ++flow_late <= 2 ? transport_shm.send(channel, timeout_ns) : -ETIME;
}

static void judge_messages(const struct msg_result *measured, struct trouble *trouble)
{
	const struct msg_received *received = measured->received;

	if (!trouble->err && measured->send_error != -ETIME)
		trouble->err = measured->send_error;
	if (!trouble->err)
		trouble->err = measured->reader_signal ? -ECHILD : received->error;
	if (received && (received->wrong || received->out_of_order))
		*trouble = (struct trouble){ .err = -EBADMSG, .is_fault = true, .words = "messages with wrong content, or out of order: " };
}

static void run_messages(struct ctx *ctx, const struct load_job *job, struct load_result *result, struct trouble *trouble)
{
	static struct msg_result measured;
	const struct msg_job messages = { .transport = &flow, .size_bytes = LOAD_MESSAGE_BYTES, .rate_hz = OFFERED_PER_S,
	                                  .duration_ns = job->ramp_ns + job->runtime_ns, .budget_bytes = 2 * MAX_SLOTS * LOAD_MESSAGE_BYTES,
	                                  .touch = true };

	(void)ctx;
	flow = transport_shm;
	flow.claim = claim_place;
	flow.send = send_in_time;
	flow_ns = messages.duration_ns;
	flow_end_ns = flow_late = 0;
	trouble->words = "messages: ";
	trouble->err = msg_local(&messages, &measured);
	judge_messages(&measured, trouble);
	if (!measured.received || measured.received->count < 2)
		return;
	result->window_ns = measured.received->last_ns - measured.received->first_ns;
	result->rate_milli = milli_per_second((measured.received->count - 1) * LOAD_MESSAGE_BYTES, result->window_ns);
	result->cpu_ns = measured.received->cpu_ns;
	text_copy(result->engine, sizeof result->engine, flow.name);
}

/* ---- all ---- */

static void say(struct ctx *ctx, enum load load, const struct trouble *trouble)
{
	const struct point points[] = { load_point(load), POINT_LIST_END };

	(trouble->is_fault ? emit_fail : emit_error)(ctx, load_metric, points, "%s%s", trouble->err ? trouble->words : "",
		trouble->err ? sys_error(trouble->err) : "nothing came to an end within the time: give it more --runtime");
}

bool load_run(struct ctx *ctx, const struct load_job *job, struct load_result *result)
{
	static void (*const runs[LOADS])(struct ctx *, const struct load_job *, struct load_result *, struct trouble *) = {
		run_storage, run_network, run_memory, run_messages,
	};
	struct trouble trouble = { .err = 0 };
	uint64_t start_ns = clock_now_ns(), cpu_ns = clock_process_cpu_ns();
	bool good;

	*result = (struct load_result){ .rate_milli = VALUE_NONE };
	runs[job->load](ctx, job, result, &trouble);
	result->end_ns = clock_now_ns();
	result->call_ns = result->end_ns - start_ns;
	result->cpu_ns += clock_process_cpu_ns() - cpu_ns;
	good = !trouble.err && !trouble.is_said && result->rate_milli != VALUE_NONE;
	if (ctx && !good && !trouble.is_said)
		say(ctx, job->load, &trouble);
	return good;
}
