/* pattern.c: self-describing blocks, and telling from wrong data what went wrong. */
#include <stdbool.h>
#include <string.h>

#include "block/pattern.h"
#include "lib/crc32c.h"
#include "sys/cpu.h"

enum {
	WORDS = SCRATCH_BLOCK_BYTES / 8,
	SECTOR_BYTES = PATTERN_SECTOR_BYTES,
	FEW = 64,
};

struct head {
	char magic[SCRATCH_MAGIC_BYTES];
	uint64_t at_bytes;
	uint64_t nonce;
	uint32_t pass;
	uint32_t zero;
};
enum { HEAD_WORDS = sizeof(struct head) / 8 };
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks are written as they lie in memory");

/* Of the two, the table is the one that a quick device would wait for. */
static uint64_t checksum(const uint64_t *words, size_t count)
{
	static uint32_t (*chosen)(uint32_t crc, const void *bytes, size_t count);

	if (!chosen)
		chosen = cpu_features() & CPU_CRC32 ? cpu_crc32c : crc32c;
	return chosen(0, words, count * sizeof *words);
}

/* splitmix64 (Steele, Lea, Flood): neighbours and runs have nothing in common. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

/* A Weyl sequence, multiplied and folded: no two words alike, nothing to compress, and half the work of mix. */
static inline uint64_t next_filler(uint64_t *state)
{
	uint64_t word = (*state += 0x9e3779b97f4a7c15) * 0xd1342543de82ef95;

	return word ^ word >> 32;
}

static uint64_t filler_of(const struct pattern *pattern, uint64_t at_bytes)
{
	return mix(pattern->nonce ^ mix(at_bytes + pattern->pass));
}

static struct head head_of(const struct pattern *pattern, uint64_t at_bytes)
{
	struct head head = { .at_bytes = at_bytes, .nonce = pattern->nonce, .pass = pattern->pass };

	memcpy(head.magic, SCRATCH_MAGIC, sizeof head.magic);
	return head;
}

static void fill_block(const struct pattern *pattern, uint64_t at_bytes, uint64_t *words, size_t count)
{
	const struct head head = head_of(pattern, at_bytes);
	uint64_t state = filler_of(pattern, at_bytes);

	memcpy(words, &head, sizeof head);
	for (size_t i = HEAD_WORDS; i < count - 1; i++)
		words[i] = next_filler(&state);
	words[count - 1] = checksum(words, count - 1);
}

static bool is_as_written(const struct pattern *pattern, uint64_t at_bytes, const uint64_t *words, size_t count)
{
	const struct head head = head_of(pattern, at_bytes);
	uint64_t state = filler_of(pattern, at_bytes), wrong = 0;

	for (size_t i = HEAD_WORDS; i < count - 1; i++)
		wrong |= words[i] ^ next_filler(&state);
	return !wrong && !memcmp(words, &head, sizeof head) && words[count - 1] == checksum(words, count - 1);
}

static size_t block_bytes(size_t left_bytes)
{
	return left_bytes < SCRATCH_BLOCK_BYTES ? SECTOR_BYTES : SCRATCH_BLOCK_BYTES;
}

void pattern_fill(const struct pattern *pattern, uint64_t at_bytes, void *to, size_t bytes)
{
	for (size_t done = 0, step; done < bytes; done += step) {
		step = block_bytes(bytes - done);
		fill_block(pattern, at_bytes + done, (uint64_t *)((char *)to + done), step / 8);
	}
}

__attribute__((cold)) static bool is_zeroed(const uint8_t *block, size_t bytes)
{
	return !block[0] && !memcmp(block, block + 1, bytes - 1);
}

__attribute__((cold)) static uint32_t wrong_bits(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < bytes; i++)
		bits += (uint32_t)__builtin_popcount(a[i] ^ b[i]);
	return bits;
}

__attribute__((cold)) static uint32_t equal_sectors(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	uint32_t count = 0;

	for (size_t i = 0; i < bytes; i += SECTOR_BYTES)
		count += !memcmp(a + i, b + i, SECTOR_BYTES);
	return count;
}

__attribute__((cold)) static void compare(const uint8_t *block, const uint8_t *wanted, size_t bytes, struct pattern_finding *finding)
{
	while (block[finding->first_byte] == wanted[finding->first_byte])
		finding->first_byte++;
	finding->bits = wrong_bits(block, wanted, bytes);
	finding->good_sectors = equal_sectors(block, wanted, bytes);
}

/*
 * Does the sector here begin a block of ours, and is the rest what it says?  A capacity that is no whole number of blocks
 * brings such a beginning into the middle.
 */
__attribute__((cold)) static bool knows_itself(const struct pattern *pattern, const uint8_t *from, size_t bytes, struct pattern_finding *finding)
{
	uint64_t meant[WORDS];
	struct pattern claimed;
	struct head head;

	memcpy(&head, from, sizeof head);
	if (memcmp(head.magic, SCRATCH_MAGIC, sizeof head.magic))
		return false;
	claimed = (struct pattern){ .nonce = head.nonce, .pass = head.pass };
	fill_block(&claimed, head.at_bytes, meant, bytes == SECTOR_BYTES ? SECTOR_BYTES / 8 : WORDS);
	if (wrong_bits(from, (uint8_t *)meant, bytes) >= bytes * 8 / FEW) {
		if (equal_sectors(from, (uint8_t *)meant, bytes))
			finding->kind = PATTERN_TORN;
		return false;
	}
	finding->kind = head.nonce == pattern->nonce && head.pass == pattern->pass ? PATTERN_MOVED : PATTERN_STALE;
	finding->other_bytes = head.at_bytes;
	return true;
}

__attribute__((cold, noinline)) static void classify_wrong(const struct pattern *pattern, const void *from, size_t bytes,
                                                            struct pattern_finding *finding)
{
	uint64_t wanted[WORDS];

	fill_block(pattern, finding->at_bytes, wanted, bytes / 8);
	compare(from, (uint8_t *)wanted, bytes, finding);
	if (finding->bits < bytes * 8 / FEW)
		finding->kind = PATTERN_BIT_ERROR;
	else if (is_zeroed(from, bytes))
		finding->kind = PATTERN_ZEROED;
	else if (finding->good_sectors)
		finding->kind = PATTERN_TORN;
	for (size_t i = 0; i < bytes && finding->kind >= PATTERN_TORN && !finding->good_sectors; i += SECTOR_BYTES)
		if (knows_itself(pattern, (const uint8_t *)from + i, bytes - i, finding))
			finding->at_bytes += i;
}

struct pattern_finding pattern_classify(const struct pattern *pattern, uint64_t at_bytes, const void *from, size_t bytes)
{
	struct pattern_finding finding = { .kind = PATTERN_GOOD, .at_bytes = at_bytes };

	if (!is_as_written(pattern, at_bytes, from, bytes / 8)) {
		finding.kind = PATTERN_FOREIGN;
		classify_wrong(pattern, from, bytes, &finding);
	}
	return finding;
}

static void add(struct pattern_tally *tally, const struct pattern_finding *finding)
{
	struct pattern_finding *first = &tally->first[finding->kind];

	if (!tally->count[finding->kind]++ || finding->at_bytes < first->at_bytes)
		*first = *finding;
	if (finding->at_bytes > tally->last_bytes[finding->kind])
		tally->last_bytes[finding->kind] = finding->at_bytes;
	if (finding->kind == PATTERN_BIT_ERROR)
		tally->bits += finding->bits;
	if (finding->kind == PATTERN_MOVED)
		moves_add(&tally->moves, finding->at_bytes, finding->other_bytes);
}

void pattern_check(const struct pattern *pattern, uint64_t at_bytes, const void *from, size_t bytes,
                   struct pattern_tally *tally)
{
	for (size_t done = 0, step; done < bytes; done += step) {
		struct pattern_finding finding;

		step = block_bytes(bytes - done);
		finding = pattern_classify(pattern, at_bytes + done, (const char *)from + done, step);
		add(tally, &finding);
		tally->blocks++;
		tally->bytes += step;
	}
}

bool pattern_ends_in(const struct pattern_tally *tally, enum pattern_kind kind)
{
	for (unsigned other = 0; other < PATTERN_KINDS; other++)
		if (other != kind && tally->count[other] && tally->last_bytes[other] > tally->first[kind].at_bytes)
			return false;
	return tally->count[kind] > 1;
}

const char *pattern_word(enum pattern_kind kind)
{
	static const char words[PATTERN_KINDS][12] = { "good", "stale", "moved", "zeroed", "flipped", "torn", "foreign" };

	return words[kind];
}
