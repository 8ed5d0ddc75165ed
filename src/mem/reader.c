/* reader.c: see reader.h.  One at a time: the state is static. */
#include <errno.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/number.h"
#include "mem/reader.h"
#include "mem/stream.h"
#include "sys/call.h"
#include "sys/clock.h"

enum { SMALLEST_MIB = 16, NAME_BYTES = 16 };

static const uint64_t burst_ns = US(250), backlog_ns = MS(10), chunk_max_ns = MS(1);

static struct {
	struct buffer buffer;
	struct stream_part part;
	uint64_t chunk_ns;         /* what one chunk may take */
	unsigned cpu;
	char name[NAME_BYTES];
	pthread_t thread;
	atomic_bool ready, stop;
	_Atomic int error;
	struct reader_told told;
} reader;

void reader_add_rate(struct text *text, uint64_t rate_bytes_per_s)
{
	number_add_milli(text, (int64_t)(rate_bytes_per_s / 1000000));
	text_add(text, " GB/s");
}

/* Enough chunks for the rate: a slow one has small ones, so that it is even. */
static void cut(uint64_t rate_bytes_per_s)
{
	uint64_t step_bytes = STREAM_CHUNK_BYTES;

	while (step_bytes > KERNEL_GRANULE && step_bytes * SECONDS(1) / rate_bytes_per_s > chunk_max_ns)
		step_bytes /= 2;
	stream_cut(&reader.part, STREAM_READS, reader.buffer.at, reader.buffer.bytes, step_bytes);
	reader.chunk_ns = stream_step_bytes(&reader.part) * SECONDS(1) / rate_bytes_per_s;
}

static const struct mem_kernel *kernel_to_read(void)
{
	const struct mem_kernel *kernel;
	unsigned i = 0;

	while ((kernel = kernels_usable(i++)) && !kernel->work[STREAM_READS])
		;
	return kernel ? kernel : &mem_kernel_c;
}

static uint64_t read_on(void)
{
	const struct mem_kernel *kernel = kernel_to_read();
	uint64_t due_ns = clock_now_ns(), now_ns, done = 0;

	while (!atomic_load_explicit(&reader.stop, memory_order_relaxed)) {
		reader.told.wrong_chunks += !stream_work(&reader.part, kernel, done++);
		due_ns += reader.chunk_ns;
		now_ns = clock_now_ns();
		if (due_ns > now_ns + burst_ns)
			sys_sleep_ns(due_ns - now_ns);
		else if (now_ns > due_ns + backlog_ns)
			due_ns = now_ns;
	}
	return done;
}

static void *run(void *unused)
{
	uint64_t start_ns, cpu_ns;

	(void)unused;
	sys_call(SYS_prctl, PR_SET_NAME, reader.name);
	atomic_store(&reader.error, cpu_pin(reader.cpu));
	atomic_store(&reader.ready, true);
	if (atomic_load(&reader.error))
		return NULL;
	cpu_ns = clock_thread_cpu_ns();
	start_ns = clock_now_ns();
	reader.told.bytes = read_on() * stream_step_bytes(&reader.part);
	reader.told.elapsed_ns = clock_now_ns() - start_ns;
	reader.told.cpu_ns = clock_thread_cpu_ns() - cpu_ns;
	return NULL;
}

static uint64_t usual_bytes(void)
{
	uint64_t bytes = 4 * buffer_last_cache_bytes(), room_bytes = buffer_room_bytes(MAP_PAGE_SMALL);

	if (room_bytes && bytes > room_bytes)
		bytes = room_bytes;
	return bytes > SMALLEST_MIB * MIB ? bytes : SMALLEST_MIB * MIB;
}

int reader_open(uint64_t bytes)
{
	int err;

	reader_close();
	err = buffer_get(&reader.buffer, bytes ? bytes : usual_bytes(), MAP_PAGE_SMALL, NUMA_ANY, buffer_fill);
	if (err) {
		reader_close();
		return err;
	}
	stream_cut(&reader.part, STREAM_READS, reader.buffer.at, reader.buffer.bytes, STREAM_CHUNK_BYTES);
	stream_fill(&reader.part);
	return 0;
}

uint64_t reader_buffer_bytes(void)
{
	return reader.buffer.bytes;
}

bool reader_may_fit_cache(void)
{
	return buffer_may_fit_cache(reader.buffer.bytes);
}

int reader_start(uint64_t rate_bytes_per_s, unsigned cpu)
{
	struct text name = TEXT(reader.name);
	int err;

	if (!reader.buffer.at)
		return -ENXIO;
	if (!rate_bytes_per_s)
		return -EINVAL;
	cut(rate_bytes_per_s);
	text_add(&name, "load ");
	reader_add_rate(&name, rate_bytes_per_s);
	reader.cpu = cpu;
	reader.told = (struct reader_told){ .bytes = 0 };
	atomic_store(&reader.stop, false);
	atomic_store(&reader.ready, false);
	err = thread_start(&reader.thread, run, NULL);
	if (err)
		return err;
	while (!atomic_load(&reader.ready))
		sys_sleep_ns(US(50));
	err = atomic_load(&reader.error);
	if (err)
		pthread_join(reader.thread, NULL);
	return err;
}

void reader_stop(struct reader_told *told)
{
	atomic_store(&reader.stop, true);
	pthread_join(reader.thread, NULL);
	*told = reader.told;
}

void reader_close(void)
{
	buffer_unmap(&reader.buffer);
	reader.buffer = (struct buffer){ .at = NULL };
}
