#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capacity.h"
#include "msg/local.h"
#include "test.h"

static struct msg_job job_of(const struct transport *transport, uint64_t size_bytes)
{
	return (struct msg_job){ .transport = transport, .size_bytes = size_bytes, .rate_hz = 100, .duration_ns = MS(200),
	                         .budget_bytes = 64 * MIB, .touch = true };
}

static void all_arrive(const struct transport *transport, uint64_t size_bytes)
{
	struct msg_job job = job_of(transport, size_bytes);
	struct msg_result result;

	check_equal(msg_local(&job, &result), 0);
	check_equal(result.due, 20);
	check_equal(result.sent, 20);
	check_equal(result.received->count, 20);
	check_equal(result.received->wrong, 0);
	check_equal(result.received->out_of_order, 0);
	check_equal(result.received->error, 0);
}

test(every_message_arrives_whole_by_shm) { all_arrive(&transport_shm, 64 * KIB); }
test(every_message_arrives_whole_by_unix) { all_arrive(&transport_unix, 64 * KIB); }
test(a_message_larger_than_the_socket_buffer_arrives_whole) { all_arrive(&transport_unix, 3 * MIB); }
test(the_smallest_message_arrives) { all_arrive(&transport_shm, MESSAGE_MIN); }
test(a_size_that_fills_no_page_arrives) { all_arrive(&transport_unix, 5000); }

test(latency_from_the_due_time_is_never_below_that_from_the_real_one)
{
	struct msg_job job = job_of(&transport_shm, 4096);
	struct msg_result result;

	check_equal(msg_local(&job, &result), 0);
	check_equal(result.received->latency.count, 20);
	check_equal(result.received->transit.count, 20);
	check(result.received->latency.min >= result.received->transit.min);
	check(result.received->latency.sum >= result.received->transit.sum);
	check(result.received->transit.min > 0);
}

static void flip(struct message *message)
{
	if (message->sequence == 7)
		message->words[600] ^= 1ull << 40;
}

static void flipped_bit_is_found(const struct transport *transport)
{
	struct msg_job job = job_of(transport, 64 * KIB);
	struct msg_result result;

	job.duration_ns = MS(70);
	job.spoil = flip;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.received->count, 7);
	check_equal(result.received->wrong, 1);
	check_equal(result.received->wrong_sequence, 7);
	check_equal(result.received->wrong_page, 1);
}

test(one_flipped_bit_is_found_by_shm) { flipped_bit_is_found(&transport_shm); }
test(one_flipped_bit_is_found_by_unix) { flipped_bit_is_found(&transport_unix); }

/* Number 7 says that it is number 4. */
static void step_back(struct message *message) { message->sequence -= message->sequence == 7 ? 3 : 0; }

static void disorder_is_counted(const struct transport *transport)
{
	struct msg_job job = job_of(transport, 4096);
	struct msg_result result;

	job.touch = false;
	job.spoil = step_back;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.received->count, 20);
	check_equal(result.received->out_of_order, 1);
	check_equal(result.received->wrong, 0);
}

test(a_message_out_of_order_is_counted_by_shm) { disorder_is_counted(&transport_shm); }
test(a_message_out_of_order_is_counted_by_unix) { disorder_is_counted(&transport_unix); }

static void grow(struct message *message) { message->size_bytes += message->sequence == 3; }

test(a_frame_of_another_size_ends_the_reader)
{
	struct msg_job job = job_of(&transport_unix, 4096);
	struct msg_result result;

	job.spoil = grow;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.received->error, -EBADMSG);
	check_equal(result.received->count, 2);
}

test(too_little_memory_is_refused_before_anything_is_mapped)
{
	struct msg_job job = job_of(&transport_shm, 10 * MIB);
	struct msg_result result;

	job.budget_bytes = 16 * MIB;
	check_equal(msg_local(&job, &result), -ENOMEM);
	job.transport = &transport_unix;
	check_equal(msg_local(&job, &result), -ENOMEM);
	check(result.received != NULL && result.received->count == 0);
}

test(the_arena_shrinks_to_the_memory_there_is)
{
	struct msg_job job = job_of(&transport_shm, 1 * MIB);
	struct msg_result result;

	job.budget_bytes = 4 * MIB;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.slots, 3);
	check_equal(result.memory_bytes, 3 * MIB + 4096);
}

test(a_slow_rate_still_sends_one_message)
{
	struct msg_job job = job_of(&transport_shm, 4096);
	struct msg_result result;

	job.rate_hz = 1;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.due, 1);
	check_equal(result.received->count, 1);
}

/* Called in the writer: its only child then is the reader. */
static void kill_reader(struct message *message)
{
	siginfo_t info = { .si_pid = 0 };

	if (message->sequence != 5)
		return;
	for (pid_t pid = getpid() + 1; pid < getpid() + 2000; pid++)
		if (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && !kill(pid, SIGKILL))
			return;
}

test(a_killed_reader_is_told_with_what_came_before)
{
	struct msg_job job = job_of(&transport_shm, 4096);
	struct msg_result result;

	job.spoil = kill_reader;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.reader_signal, SIGKILL);
	check(result.received->count >= 3);
	check(result.received->count < 20);
}

static void flip_then_kill(struct message *message)
{
	if (message->sequence == 2)
		message->words[600] ^= 1;
	kill_reader(message);
}

test(wrong_content_is_told_although_the_reader_died)
{
	struct msg_job job = job_of(&transport_shm, 64 * KIB);
	struct msg_result result;

	job.spoil = flip_then_kill;
	check_equal(msg_local(&job, &result), 0);
	check_equal(result.reader_signal, SIGKILL);
	check_equal(result.received->wrong, 1);
	check_equal(result.received->wrong_sequence, 2);
}

test(a_full_ring_gives_no_place)
{
	struct channel channel;

	check_equal(transport_shm.open(&channel, 4096, 2 * 4096 + 4096), 0);
	check_equal(channel.slots, 2);
	transport_shm.be_writer(&channel);
	for (unsigned i = 0; i < 2; i++) {
		check(transport_shm.claim(&channel) != NULL);
		transport_shm.send(&channel, 0);
	}
	check(transport_shm.claim(&channel) == NULL);
	transport_shm.close(&channel);
}

test(a_reader_without_messages_gives_up_in_time)
{
	struct channel channel;
	const struct message *message;

	check_equal(transport_shm.open(&channel, 4096, MIB), 0);
	check_equal(transport_shm.receive(&channel, &message, MS(20)), -ETIMEDOUT);
	transport_shm.finish(&channel);
	check_equal(transport_shm.receive(&channel, &message, MS(20)), -EPIPE);
	transport_shm.close(&channel);
	check_equal(transport_unix.open(&channel, 4096, 4 * MIB), 0);
	check_equal(transport_unix.receive(&channel, &message, MS(20)), -ETIMEDOUT);
	transport_unix.finish(&channel);
	check_equal(transport_unix.receive(&channel, &message, MS(20)), -EPIPE);
	transport_unix.close(&channel);
}
