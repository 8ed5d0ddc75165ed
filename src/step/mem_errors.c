/* mem_errors.c: see mem_errors.h.  The log is opened once more by its descriptor: env.after reads on from where the run began. */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capacity.h"
#include "env/kernel_fault.h"
#include "env/sensor.h"
#include "lib/text.h"
#include "step/mem_errors.h"
#include "sys/call.h"
#include "sys/kernel_log.h"

static int log_fd = -1;

static int64_t edac_count(const char *file)
{
	struct sensor sensor = { .name = "" };
	int64_t count;

	text_format(sensor.path, sizeof sensor.path, "/sys/devices/system/edac/mc/mc*/%s", file);
	return sensor_read(&sensor, &count) ? -1 : count;
}

struct reading { struct ctx *ctx; struct mem_errors *errors; };

/* The firmware's reports (drivers/acpi/apei, drivers/firmware/efi/cper.c) say how grave it is some lines before they say of what. */
static bool is_grave;

/* Hardware errors are PCIe's and processors', too: those are left to env.after. */
static bool is_of_memory(const char *message, const char *name)
{
	static const char *const words[] = { "memory", "DIMM", "DRAM", "EDAC" };

	if (text_find(name, "memory error"))
		return true;
	for (unsigned i = 0; i < COUNT_OF(words) && text_find(name, "machine check"); i++)
		if (text_has_nocase(message, words[i]))
			return true;
	return false;
}

static void note_record(const struct kernel_record *record, void *context)
{
	struct reading *reading = context;
	const char *name;
	enum kernel_meaning meaning = kernel_fault(record->message, &name);

	if (text_find(record->message, "event severity:"))
		is_grave = meaning == KERNEL_FAULT;
	if (!record->from_kernel || meaning == KERNEL_NOTHING || !is_of_memory(record->message, name))
		return;
	reading->errors->logged++;
	reading->errors->logged_fatal += meaning == KERNEL_FAULT || (is_grave && text_find(record->message, "section_type:"));
	emit_log(reading->ctx, "the kernel reports, %s: %s", name, record->message);
}

void mem_errors_read(struct ctx *ctx, struct mem_errors *errors)
{
	struct reading reading = { ctx, errors };
	uint64_t lost;

	errors->corrected = edac_count("ce_count");
	errors->uncorrected = edac_count("ue_count");
	if (log_fd >= 0)
		kernel_log_read(log_fd, note_record, &reading, &lost);
}

void mem_errors_start(const struct ctx *ctx, struct mem_errors *errors)
{
	char path[40];

	text_format(path, sizeof path, "/proc/self/fd/%d", ctx_kernel_log(ctx));
	log_fd = ctx_kernel_log(ctx) < 0 ? -1 : sys_open(path, O_RDONLY | O_NONBLOCK, 0);
	if (log_fd >= 0)
		sys_call(SYS_lseek, log_fd, 0L, (long)SEEK_END);
	*errors = (struct mem_errors){ .corrected = edac_count("ce_count"), .uncorrected = edac_count("ue_count") };
}

void mem_errors_facts(const struct mem_errors *before, const struct mem_errors *after, struct facts *facts)
{
	if (before->corrected >= 0 && before->uncorrected >= 0) {
		fact_number(facts, "edac_ce_before", before->corrected);
		fact_number(facts, "edac_ce_after", after->corrected);
		fact_number(facts, "edac_ue_before", before->uncorrected);
		fact_number(facts, "edac_ue_after", after->uncorrected);
	}
	fact_number(facts, "kernel_memory_errors", (int64_t)(after->logged - before->logged));
}

void mem_errors_judge(struct ctx *ctx, const char *metric, const struct mem_errors *before, const struct mem_errors *after)
{
	uint64_t fatal = after->logged_fatal - before->logged_fatal, other = after->logged - before->logged - fatal;

	if (before->uncorrected >= 0 && after->uncorrected > before->uncorrected)
		emit_fail(ctx, metric, NULL, "uncorrected memory errors rose from %lld to %lld during the test (EDAC)", (long long)before->uncorrected,
		          (long long)after->uncorrected);
	else if (fatal)
		emit_fail(ctx, metric, NULL, "the kernel reported uncorrected memory errors during the test, in %llu lines of its log",
		          (unsigned long long)fatal);
	if (before->corrected >= 0 && after->corrected > before->corrected)
		emit_warn(ctx, metric, NULL, "corrected memory errors rose from %lld to %lld during the test (EDAC)", (long long)before->corrected,
		          (long long)after->corrected);
	else if (other)
		emit_warn(ctx, metric, NULL, "the kernel reported corrected memory errors during the test, in %llu lines of its log",
		          (unsigned long long)other);
}
