/* inject.c: see inject.h.  One fault at a time, looked at by the one thread that found it. */
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/random.h"
#include "mem/cache.h"
#include "mem/inject.h"
#include "sys/call.h"
#include "sys/cpu.h"

static struct {
	enum inject inject;
	uint64_t *at, *partner;  /* partner: the word that an address fault takes for the same */
	uint64_t right, wrong;
	uint64_t both;           /* address: what the two hold */
	unsigned cpu;            /* coherency: that has the stale line */
	bool is_stale;
	unsigned cached_lines;   /* cached cell: of others, until memory itself is read; 0: now */
} fault;

/* The word behind one line that holds something else, beginning with any line; NULL: all are alike. */
static uint64_t *find_partner(uint64_t *buffer, uint64_t words, uint64_t place, uint64_t start)
{
	unsigned lines = 64 - (unsigned)__builtin_clzll(words);

	for (unsigned i = 0; i < lines; i++) {
		uint64_t partner = place ^ 1ull << (start + i) % lines;

		if (partner < words && buffer[partner] != buffer[place])
			return &buffer[partner];
	}
	return NULL;
}

/* Nobody but the kernel may give another process such a code. */
static void lose(void *at)
{
	siginfo_t info = { .si_signo = SIGBUS, .si_code = BUS_MCEERR_AR };

	info.si_addr = at;
	sys_call(SYS_rt_tgsigqueueinfo, sys_getpid(), sys_call(SYS_gettid), SIGBUS, &info);
}

bool inject_fault(enum inject inject, uint64_t *buffer, uint64_t words, uint64_t seed)
{
	struct random random;
	uint64_t place, number;

	random_seed(&random, seed);
	place = random_below(&random, words);
	number = random_below(&random, 64);
	fault.inject = inject;
	fault.at = &buffer[place];
	fault.right = *fault.at;
	fault.partner = NULL;
	fault.cached_lines = 0;
	fault.wrong = fault.right ^ (inject == INJECT_LANE ? 0xff00 : 1ull << (inject == INJECT_BIT ? 17 : number));
	if (inject == INJECT_ADDRESS) {
		fault.partner = find_partner(buffer, words, place, number);
		fault.wrong = fault.both = fault.partner ? *fault.partner : fault.right;
	}
	if (inject == INJECT_NONE || fault.wrong == fault.right) {
		inject_end();
		return false;
	}
	if (inject == INJECT_UE)
		lose(fault.at);
	*fault.at = fault.wrong;
	return true;
}

void inject_end(void)
{
	fault.inject = INJECT_NONE;
	fault.at = fault.partner = NULL;
}

void inject_look(uint64_t *at, unsigned cpu)
{
	if (at != fault.at || (fault.inject != INJECT_READ && fault.inject != INJECT_COHERENCY))
		return;
	*at = fault.right; /* memory always had it */
	fault.is_stale = fault.inject == INJECT_COHERENCY;
	fault.cpu = cpu;
}

static bool is_aliased(const uint64_t *at)
{
	return fault.inject == INJECT_ADDRESS && (at == fault.at || at == fault.partner);
}

uint64_t inject_read(const uint64_t *at)
{
	uint64_t word = *(const volatile uint64_t *)at, bad = fault.right ^ fault.wrong;

	if (is_aliased(at))
		return fault.both;
	if (!fault.at || at != fault.at) {
		fault.cached_lines -= fault.cached_lines != 0;
		return word;
	}
	if (fault.inject == INJECT_CELL || fault.inject == INJECT_LANE || (fault.inject == INJECT_CACHED_CELL && !fault.cached_lines))
		return (word & ~bad) | (fault.wrong & bad);
	return fault.inject == INJECT_COHERENCY && fault.is_stale && (unsigned)cpu_current() == fault.cpu ? fault.wrong : word;
}

void inject_write(uint64_t *at, uint64_t word)
{
	if (is_aliased(at))
		fault.both = word;
	if (at == fault.at)
		fault.cached_lines = 4 * MIB / 64;
	if (!is_aliased(at) || at == fault.at)
		*(volatile uint64_t *)at = word;
}

void inject_flush(const uint64_t *at)
{
	cache_flush(at, sizeof(*at));
	if (at == fault.at)
		fault.is_stale = false;
}
