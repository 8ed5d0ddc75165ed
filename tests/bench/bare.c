/*
 * bare.c: the least that a loop of random reads can be, for the bench: what the kernel gives when nothing is measured.
 *
 *     bare DEVICE io_uring|psync BS DEPTH SECONDS     prints IOPS
 *
 * One thread, O_DIRECT, registered file and buffers, one io_uring_enter for what was reaped; places by xorshift; no clock but
 * once in 64 turns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DEPTH = 256 };

static int fd;
static uint64_t blocks, state = 88172645463325252ull;
static unsigned bs, depth;
static char *buffers;

static uint64_t place(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint64_t)((unsigned __int128)state * blocks >> 64) * bs;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t run_psync(double end)
{
	uint64_t ios = 0;

	while (ios % 64 || now() < end) {
		if (pread(fd, buffers, bs, place()) != (ssize_t)bs)
			exit(1);
		ios++;
	}
	return ios;
}

static struct io_uring_params params;
static char *sq, *cq;
static struct io_uring_sqe *entries;

static void stage(unsigned slot)
{
	uint32_t *tail = (uint32_t *)(sq + params.sq_off.tail), index = *tail & (params.sq_entries - 1);

	entries[index] = (struct io_uring_sqe){ .opcode = IORING_OP_READ_FIXED, .flags = IOSQE_FIXED_FILE, .off = place(),
		.addr = (uintptr_t)(buffers + (size_t)slot * bs), .len = bs, .buf_index = slot, .user_data = slot };
	((uint32_t *)(sq + params.sq_off.array))[index] = index;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
}

static int open_ring(void)
{
	struct iovec vectors[MAX_DEPTH];
	int ring;

	params.flags = IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN; /* from 6.1 on */
	ring = syscall(SYS_io_uring_setup, depth, &params);
	if (ring < 0) {
		params = (struct io_uring_params){ 0 };
		ring = syscall(SYS_io_uring_setup, depth, &params);
	}

	sq = mmap(NULL, params.sq_off.array + params.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	cq = mmap(NULL, params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, params.sq_entries * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	for (unsigned i = 0; i < depth; i++)
		vectors[i] = (struct iovec){ buffers + (size_t)i * bs, bs };
	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, vectors, depth) ||
	    syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1))
		exit(1);
	return ring;
}

static uint64_t run_ring(double end)
{
	int ring = open_ring();
	uint32_t *head = (uint32_t *)(cq + params.cq_off.head), *tail = (uint32_t *)(cq + params.cq_off.tail);
	struct io_uring_cqe *done = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
	uint64_t ios = 0, turns = 0;
	unsigned staged = depth;

	for (unsigned i = 0; i < depth; i++)
		stage(i);
	while (turns++ % 64 || now() < end) {
		uint32_t at = *head, last;

		if (syscall(SYS_io_uring_enter, ring, staged, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			exit(1);
		last = __atomic_load_n(tail, __ATOMIC_ACQUIRE);
		for (staged = 0; at != last; at++, staged++, ios++) {
			if (done[at & (params.cq_entries - 1)].res != (int)bs)
				exit(1);
			stage(done[at & (params.cq_entries - 1)].user_data);
		}
		__atomic_store_n(head, at, __ATOMIC_RELEASE);
	}
	return ios;
}

int main(int argc, char **argv)
{
	double start, end;
	uint64_t size, ios;

	if (argc != 6)
		return 2;
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	bs = atoi(argv[3]);
	depth = atoi(argv[4]);
	if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size) || !bs || !depth || depth > MAX_DEPTH)
		return 2;
	blocks = size / bs;
	buffers = mmap(NULL, (size_t)bs * depth, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	start = now();
	end = start + atof(argv[5]);
	ios = strcmp(argv[2], "psync") ? run_ring(end) : run_psync(end);
	printf("%.0f\n", ios / (now() - start));
	return 0;
}
