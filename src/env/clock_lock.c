/* clock_lock.c: each kind keeps what it has set, in order, and takes it back in reverse. */
#include <errno.h>
#include <string.h>

#include "env/clock_lock.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/guard.h"

enum { MAX_HELD = 384 };

static const char cpus[] = "/sys/devices/system/cpu";

struct held { char path[96], value[24], before[24]; };

static struct lock { unsigned count; struct held held[MAX_HELD]; } locks[CLOCK_KINDS];

const char *clock_kind_word(enum clock_kind kind)
{
	static const char *const words[CLOCK_KINDS] = { "emc", "cpufreq", "cpuidle" };

	return words[kind];
}

static const struct sensor *emc_of(const struct stack *stack)
{
	for (unsigned i = 0; stack && i < stack->clock_count; i++)
		if (!strcmp(stack->clocks[i].name, "emc") && *stack->clocks[i].lock_path && *stack->clocks[i].max_path)
			return &stack->clocks[i];
	return NULL;
}

/* ---- every CPU's files ---- */

struct walk {
	const char *file;       /* below the CPU's folder; of cpuidle below each state's */
	bool states;
	char cpu[8];
	int (*each)(const char *path, void *context);
	void *context;
};

static int visit_state(const char *name, void *context)
{
	const struct walk *walk = context;
	char path[96];

	if (!text_starts(name, "state"))
		return 0;
	text_format(path, sizeof path, "%s/%s/cpuidle/%s/%s", cpus, walk->cpu, name, walk->file);
	return file_exists("%s", path) ? walk->each(path, walk->context) : 0;
}

static int visit_cpu(const char *name, void *context)
{
	struct walk *walk = context;
	char path[96];
	int stop;

	if (!text_starts(name, "cpu") || name[3] < '0' || name[3] > '9' || !text_copy(walk->cpu, sizeof walk->cpu, name))
		return 0;
	if (!walk->states) {
		text_format(path, sizeof path, "%s/%s/%s", cpus, name, walk->file);
		return file_exists("%s", path) ? walk->each(path, walk->context) : 0;
	}
	text_format(path, sizeof path, "%s/%s/cpuidle", cpus, name);
	stop = file_each(path, visit_state, walk);
	return stop == -ENOENT ? 0 : stop;
}

/* What each() stopped with, 0, or -errno of the folder. */
static int each_file(enum clock_kind kind, int (*each)(const char *path, void *context), void *context)
{
	struct walk walk = { .file = kind == CLOCK_CPUIDLE ? "disable" : "cpufreq/scaling_min_freq", .states = kind == CLOCK_CPUIDLE,
	                     .each = each, .context = context };

	return file_each(cpus, visit_cpu, &walk);
}

static int found(const char *path, void *context)
{
	(void)path;
	(void)context;
	return 1;
}

bool clock_available(enum clock_kind kind, const struct stack *stack, char *why, size_t size)
{
	const struct sensor *emc = emc_of(stack);

	if (kind == CLOCK_EMC && !emc)
		text_format(why, size, "the board file names no memory clock that can be held");
	else if (kind == CLOCK_EMC && !file_exists("%s", emc->path))
		text_format(why, size, "%s is not there (debugfs, or another kernel)", emc->path);
	else if (kind == CLOCK_CPUFREQ && each_file(kind, found, NULL) != 1)
		text_format(why, size, "no CPU has cpufreq here");
	else if (kind == CLOCK_CPUIDLE && each_file(kind, found, NULL) != 1)
		text_format(why, size, "no CPU has states of cpuidle here that can be disabled");
	else
		return true;
	return false;
}

/* ---- one setting ---- */

struct fault { struct text text; struct lock *lock; };

static int refuse(struct fault *fault, const char *path, const char *value, int err)
{
	char now[24];

	file_string(now, sizeof now, "%s", path);
	if (err == -EIO)
		text_add_format(&fault->text, "%s: %s was not taken, it reads %s", path, value, now);
	else if (err == -ENOTCONN)
		text_add_format(&fault->text, "%s: no guardian is there to put it back, so it is not changed", path);
	else
		text_add_format(&fault->text, "%s: %s", path, sys_error(err));
	return err;
}

static int hold(struct fault *fault, const char *path, const char *value)
{
	struct lock *lock = fault->lock;
	struct held *held = &lock->held[lock->count];
	char now[24];
	int err;

	file_string(now, sizeof now, "%s", path);
	if (!strcmp(now, value))
		return 0;
	if (lock->count == MAX_HELD) {
		text_add_format(&fault->text, "more than %d settings", MAX_HELD);
		return -ENOSPC;
	}
	if (!text_copy(held->path, sizeof held->path, path) || !text_copy(held->value, sizeof held->value, value))
		return refuse(fault, path, value, -ENAMETOOLONG);
	err = guard_set(path, value, held->before, sizeof held->before);
	if (err)
		return refuse(fault, path, value, err);
	lock->count++;
	return 0;
}

static int hold_minimum(const char *path, void *context)
{
	struct fault *fault = context;
	char maximum[24], max_path[96];
	struct text at = TEXT(max_path);

	text_add_bytes(&at, path, strlen(path) - strlen("min_freq"));
	text_add(&at, "max_freq");
	file_string(maximum, sizeof maximum, "%s", max_path);
	return *maximum ? hold(fault, path, maximum) : refuse(fault, max_path, "", -ENOENT);
}

static int hold_disabled(const char *path, void *context)
{
	return hold(context, path, "1");
}

/* The lower of the maximum and the cap that the power mode sets (0: none). */
static int hold_emc(struct fault *fault, const struct sensor *emc)
{
	uint64_t maximum, cap;
	char value[24];
	int err = file_number(&maximum, "%s", emc->max_path);

	if (err)
		return refuse(fault, emc->max_path, "", err);
	if (*emc->cap_path && !file_number(&cap, "%s", emc->cap_path) && cap && cap < maximum)
		maximum = cap;
	text_format(value, sizeof value, "%llu", (unsigned long long)maximum);
	err = hold(fault, emc->lock_path, "1");
	return err ? err : hold(fault, emc->path, value);
}

int clock_lock(enum clock_kind kind, const struct stack *stack, char *why, size_t size)
{
	struct fault fault = { .text = text_in(why, size), .lock = &locks[kind] };
	char unused[8];
	int err;

	if (kind == CLOCK_EMC)
		err = emc_of(stack) ? hold_emc(&fault, emc_of(stack)) : -ENOENT;
	else
		err = each_file(kind, kind == CLOCK_CPUFREQ ? hold_minimum : hold_disabled, &fault);
	if (err)
		clock_unlock(kind, unused, sizeof unused);
	return err;
}

unsigned clock_changed(enum clock_kind kind)
{
	return locks[kind].count;
}

int clock_unlock(enum clock_kind kind, char *why, size_t size)
{
	struct fault fault = { .text = text_in(why, size), .lock = &locks[kind] };
	int first = 0;

	while (locks[kind].count) {
		const struct held *held = &locks[kind].held[--locks[kind].count];
		int err = guard_set_back(held->path, held->value, held->before);

		if (err && !first)
			first = refuse(&fault, held->path, held->before, err);
	}
	return first;
}
