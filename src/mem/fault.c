/* fault.c: see fault.h.  All accesses go by inject.h, so that every class can be shown to be told. */
#include "capacity.h"
#include "lib/random.h"
#include "mem/fault.h"
#include "mem/inject.h"
#include "mem/pagemap.h"
#include "sys/cpu.h"

const char *fault_word(enum fault_class kind)
{
	static const char *const words[] = { "cell", "read path", "write path", "coherency", "address line" };

	return words[kind];
}

enum fault_class fault_classify(const struct fault *fault, bool holds_anothers)
{
	if (fault->flushed == fault->expected)
		return fault->elsewhere == fault->expected && fault->again != fault->expected ? FAULT_COHERENCY : FAULT_READ;
	if (fault->is_proven)
		return FAULT_ADDRESS;
	if (fault->rewritten != fault->expected || fault->inverted != ~fault->expected)
		return FAULT_CELL; /* bits that are stuck make an address into another one, too */
	return holds_anothers ? FAULT_ADDRESS : FAULT_WRITE;
}

enum { LINE_WORDS = 8, FAR_WORDS = 16 * MIB / sizeof(uint64_t), APART_WORDS = 512 };

/* A flush ends at a cache on the memory's side (a system-level cache of a few MiB): it lets a line go only for others, where the buffer has enough of them. */
static void drive_out(uint64_t *buffer, uint64_t words, uint64_t place)
{
	inject_flush(&buffer[place]);
	if (words < FAR_WORDS + APART_WORDS)
		return;
	for (uint64_t i = LINE_WORDS; i < FAR_WORDS; i += LINE_WORDS)
		inject_read(&buffer[(place + i) % words]);
	inject_flush(&buffer[place]); /* which may have been fetched with its neighbours */
}

static uint64_t read_memory(uint64_t *buffer, uint64_t words, uint64_t place)
{
	drive_out(buffer, words, place);
	return inject_read(&buffer[place]);
}

static uint64_t write_through(uint64_t *buffer, uint64_t words, uint64_t place, uint64_t word)
{
	inject_write(&buffer[place], word);
	return read_memory(buffer, words, place);
}

/* Does what is written to one word show in the other? */
static bool is_same(uint64_t *buffer, uint64_t words, uint64_t partner, uint64_t sign)
{
	if (partner >= words)
		return false;
	inject_flush(&buffer[partner]);
	return inject_read(&buffer[partner]) == sign;
}

/* Writes what stands nowhere else, and looks for it where its content came from and behind each single line. */
static bool find_partner(struct fault *fault, uint64_t *buffer, uint64_t words, uint64_t place, uint64_t content_place)
{
	struct random random;
	uint64_t sign, partner = content_place;

	random_seed(&random, place ^ fault->expected);
	sign = random_next(&random);
	inject_write(&buffer[place], sign);
	drive_out(buffer, words, place);
	fault->is_proven = is_same(buffer, words, partner, sign);
	for (uint64_t line = 1; line < words && !fault->is_proven; line *= 2) {
		partner = place ^ line;
		fault->is_proven = is_same(buffer, words, partner, sign);
	}
	if (!fault->is_proven)
		partner = content_place;
	if (partner >= words)
		return false;
	fault->partner_bytes = partner * sizeof(*buffer);
	fault->partner_physical_bytes = pagemap_address(&buffer[partner]);
	return true;
}

void fault_look(struct fault *fault, uint64_t *buffer, uint64_t words, uint64_t place, uint64_t content_place)
{
	uint64_t *at = &buffer[place], wrong = fault->expected ^ fault->found;
	bool has_partner = false;

	inject_look(at, fault->cpu);
	fault->offset_bytes = place * sizeof(*at);
	fault->physical_bytes = pagemap_address(at);
	fault->elsewhere = fault->found;
	if (fault->other_cpu != fault->cpu && !cpu_pin(fault->other_cpu)) {
		fault->elsewhere = inject_read(at);
		cpu_pin(fault->cpu);
	} else {
		fault->other_cpu = fault->cpu;
	}
	fault->again = inject_read(at);
	fault->flushed = read_memory(buffer, words, place);
	if (fault->flushed != fault->expected) {
		has_partner = find_partner(fault, buffer, words, place, content_place);
		fault->inverted = write_through(buffer, words, place, ~fault->expected);
		fault->rewritten = write_through(buffer, words, place, fault->expected);
	}
	fault->kind = fault_classify(fault, has_partner && (wrong & (wrong - 1)));
}
