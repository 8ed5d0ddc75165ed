/* local.c: the writer's loop, the reader's process, and the handshake between them. */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capacity.h"
#include "msg/local.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/guard.h"
#include "sys/map.h"

#define PATIENCE_NS SECONDS(5) /* with the other side, before it is given up */
#define SPIN_NS US(60)         /* before a message is due: a sleep alone would add its own lateness */

static struct msg_received *shared;

/* ---- reader ---- */

static void note_message(const struct msg_job *job, const struct message *message, struct msg_received *received)
{
	uint64_t wrong_page = job->touch ? message_check(message) : 0;
	uint64_t now_ns = clock_now_ns();

	histogram_add(&received->latency, now_ns - message->intended_ns);
	histogram_add(&received->transit, now_ns - message->sent_ns);
	if (!received->count++)
		received->first_ns = now_ns;
	received->last_ns = now_ns;
	if (wrong_page && !received->wrong++) {
		received->wrong_sequence = message->sequence;
		received->wrong_page = wrong_page - 1;
	}
}

static void read_all(const struct msg_job *job, struct channel *channel, struct msg_received *received)
{
	const struct transport *transport = job->transport;
	const struct message *message;
	uint64_t last = 0;
	int err;

	while (!(err = transport->receive(channel, &message, PATIENCE_NS + 2 * SECONDS(1) / job->rate_hz))) {
		received->out_of_order += message->sequence <= last;
		last = message->sequence;
		note_message(job, message, received);
		transport->release(channel);
	}
	received->error = err == -EPIPE ? 0 : err;
}

static _Noreturn void be_reader(const struct msg_job *job, struct channel *channel, pid_t writer)
{
	uint64_t cpu_ns;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != writer) /* it died before the line above */
		_exit(1);
	job->transport->be_reader(channel);
	cpu_ns = clock_process_cpu_ns();
	atomic_store(&shared->ready, 1);
	read_all(job, channel, shared);
	shared->cpu_ns = clock_process_cpu_ns() - cpu_ns;
	shared->cpu = cpu_current();
	atomic_store(&shared->done, 1);
	_exit(0);
}

/* ---- writer ---- */

static void wait_until(uint64_t due_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (due_ns > now_ns + SPIN_NS)
		sys_sleep_ns(due_ns - now_ns - SPIN_NS);
	while (clock_now_ns() < due_ns)
		cpu_relax();
}

static struct message *make_message(const struct msg_job *job, struct channel *channel, uint64_t sequence)
{
	struct message *message = job->transport->claim(channel);

	if (!message)
		return NULL;
	message_stamp(message, sequence);
	if (job->spoil)
		job->spoil(message);
	return message;
}

/* A message is made before it is due, where there is room: making it is no part of its way. */
static int send_one(const struct msg_job *job, struct channel *channel, uint64_t sequence, uint64_t due_ns, struct msg_result *result)
{
	struct message *message = make_message(job, channel, sequence);

	wait_until(due_ns);
	if (!message)
		message = make_message(job, channel, sequence);
	if (!message) {
		result->dropped++;
		return 0;
	}
	message->intended_ns = due_ns;
	message->sent_ns = result->last_sent_ns = clock_now_ns();
	if (!result->sent++)
		result->first_sent_ns = message->sent_ns;
	if (message->sent_ns - due_ns > result->worst_late_ns)
		result->worst_late_ns = message->sent_ns - due_ns;
	return job->transport->send(channel, PATIENCE_NS);
}

static void write_all(const struct msg_job *job, struct channel *channel, struct msg_result *result)
{
	uint64_t start_ns = clock_now_ns() + MS(1);

	for (uint64_t n = 0; n < result->due && !result->send_error; n++)
		result->send_error = send_one(job, channel, n + 1, start_ns + n * SECONDS(1) / job->rate_hz, result);
	job->transport->finish(channel);
}

/* Waits for *flag, or the reader's end, or for the time to be over: 0, -ECHILD, -ETIMEDOUT.  status: of the ended reader. */
static int wait_for(_Atomic uint32_t *flag, pid_t reader, int *status)
{
	uint64_t deadline_ns = clock_now_ns() + 2 * PATIENCE_NS;

	while (!atomic_load(flag)) {
		if (sys_waitpid(reader, status, WNOHANG) == reader)
			return atomic_load(flag) ? 0 : -ECHILD;
		if (clock_now_ns() > deadline_ns)
			return -ETIMEDOUT;
		sys_sleep_ns(US(200));
	}
	return 0;
}

/* The reader must not outlive this call, whatever it does. */
static void end_reader(pid_t reader)
{
	int status;

	sys_kill(reader, SIGKILL);
	while (sys_waitpid(reader, &status, 0) == -EINTR)
		;
}

static int be_writer(const struct msg_job *job, struct channel *channel, pid_t reader, struct msg_result *result)
{
	uint64_t start_ns, cpu_ns;
	int status = 0, err;

	job->transport->be_writer(channel);
	err = wait_for(&shared->ready, reader, &status);
	start_ns = clock_now_ns();
	cpu_ns = clock_thread_cpu_ns();
	if (!err)
		write_all(job, channel, result);
	result->writer_cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	result->writer_cpu = cpu_current();
	if (!err)
		err = wait_for(&shared->done, reader, &status);
	result->elapsed_ns = clock_now_ns() - start_ns;
	if (err == -ECHILD && WIFSIGNALED(status)) {
		result->reader_signal = WTERMSIG(status);
		err = 0; /* what came before is told, and why no more did */
	}
	if (err != -ECHILD)
		end_reader(reader);
	return err;
}

static int run_both(const struct msg_job *job, struct channel *channel, struct msg_result *result)
{
	pid_t writer = sys_getpid(), reader = sys_fork();

	if (reader < 0)
		return reader;
	if (reader == 0) {
		guard_forget();
		be_reader(job, channel, writer);
	}
	return be_writer(job, channel, reader, result);
}

int msg_local(const struct msg_job *job, struct msg_result *result)
{
	struct channel channel;
	void *at = shared;
	int err = at ? 0 : map_shared(sizeof *shared, &at);

	result->received = NULL;
	if (err)
		return err;
	shared = at;
	memset(shared, 0, sizeof *shared);
	histogram_clear(&shared->latency);
	histogram_clear(&shared->transit);
	*result = (struct msg_result){ .due = job->duration_ns * job->rate_hz / SECONDS(1), .received = shared };
	if (!result->due)
		result->due = 1;
	err = job->transport->open(&channel, job->size_bytes, job->budget_bytes);
	if (err)
		return err;
	result->memory_bytes = channel.memory_bytes;
	result->slots = channel.slots;
	result->send_buffer_bytes = channel.send_buffer_bytes;
	err = run_both(job, &channel, result);
	job->transport->close(&channel);
	return err;
}
