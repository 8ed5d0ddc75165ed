/* fault.c: see fault.h.  All accesses go by inject.h, so that every class can be shown to be told. */
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

static uint64_t write_through(uint64_t *at, uint64_t word)
{
	inject_write(at, word);
	inject_flush(at);
	return inject_read(at);
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
	inject_flush(&buffer[place]);
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
	inject_flush(at);
	fault->flushed = inject_read(at);
	if (fault->flushed != fault->expected) {
		has_partner = find_partner(fault, buffer, words, place, content_place);
		fault->inverted = write_through(at, ~fault->expected);
		fault->rewritten = write_through(at, fault->expected);
	}
	fault->kind = fault_classify(fault, has_partner && (wrong & (wrong - 1)));
}
