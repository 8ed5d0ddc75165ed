/* pattern.c: self-describing blocks, and telling from wrong data what went wrong. */
#include <stdbool.h>
#include <string.h>

#include "block/pattern.h"
#include "lib/crc32c.h"

enum {
	SECTOR_BYTES = 512,
	SECTORS = SCRATCH_BLOCK_BYTES / SECTOR_BYTES,
	FEW_BITS = SCRATCH_BLOCK_BYTES * 8 / 64,
};

struct block {
	char magic[SCRATCH_MAGIC_BYTES];
	uint64_t at_bytes;
	uint64_t nonce;
	uint32_t pass;
	uint32_t zero;
	uint64_t filler[(SCRATCH_BLOCK_BYTES - 40) / 8];
	uint32_t zero_too;
	uint32_t crc;
};
_Static_assert(sizeof(struct block) == SCRATCH_BLOCK_BYTES, "a block is what the scratch check samples");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks are written as they lie in memory");

static uint32_t block_crc(const struct block *block)
{
	return crc32c(0, block, offsetof(struct block, crc));
}

/* splitmix64 (Steele, Lea, Flood): neighbours and runs have nothing in common. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return value ^ value >> 31;
}

static void fill_block(const struct pattern *pattern, uint64_t at_bytes, struct block *block)
{
	uint64_t state = mix(pattern->nonce ^ mix(at_bytes + pattern->pass));

	memcpy(block->magic, SCRATCH_MAGIC, sizeof block->magic);
	block->at_bytes = at_bytes;
	block->nonce = pattern->nonce;
	block->pass = pattern->pass;
	block->zero = block->zero_too = 0;
	for (unsigned i = 0; i < sizeof block->filler / sizeof *block->filler; i++)
		block->filler[i] = mix(state += 0x9e3779b97f4a7c15);
	block->crc = block_crc(block);
}

void pattern_fill(const struct pattern *pattern, uint64_t at_bytes, void *to, size_t bytes)
{
	struct block *blocks = to;

	for (size_t i = 0; i < bytes / sizeof *blocks; i++)
		fill_block(pattern, at_bytes + i * sizeof *blocks, &blocks[i]);
}

static bool is_whole(const struct block *block)
{
	return !memcmp(block->magic, SCRATCH_MAGIC, sizeof block->magic) && block->crc == block_crc(block);
}

static bool is_zeroed(const struct block *block)
{
	const char *bytes = (const char *)block;

	return !bytes[0] && !memcmp(bytes, bytes + 1, sizeof *block - 1);
}

static void compare(const struct block *block, const struct block *wanted, struct pattern_finding *finding)
{
	const uint8_t *a = (const uint8_t *)block, *b = (const uint8_t *)wanted;

	for (unsigned i = sizeof *block; i-- > 0; ) {
		if (a[i] != b[i])
			finding->first_byte = i;
		finding->bits += (unsigned)__builtin_popcount(a[i] ^ b[i]);
	}
	for (unsigned i = 0; i < SECTORS; i++)
		finding->good_sectors += !memcmp(a + i * SECTOR_BYTES, b + i * SECTOR_BYTES, SECTOR_BYTES);
}

static enum pattern_kind kind_of(const struct pattern *pattern, const struct block *block,
                                 const struct pattern_finding *finding)
{
	if (is_whole(block) && (block->nonce != pattern->nonce || block->pass != pattern->pass))
		return PATTERN_STALE;
	if (is_whole(block))
		return PATTERN_MOVED;
	if (is_zeroed(block))
		return PATTERN_ZEROED;
	if (finding->bits < FEW_BITS)
		return PATTERN_BIT_ERROR;
	return finding->good_sectors ? PATTERN_TORN : PATTERN_FOREIGN;
}

struct pattern_finding pattern_classify(const struct pattern *pattern, uint64_t at_bytes, const void *from)
{
	struct pattern_finding finding = { .kind = PATTERN_GOOD, .at_bytes = at_bytes };
	const struct block *block = from;
	struct block wanted;

	fill_block(pattern, at_bytes, &wanted);
	if (!memcmp(block, &wanted, sizeof wanted))
		return finding;
	compare(block, &wanted, &finding);
	finding.kind = kind_of(pattern, block, &finding);
	finding.other_bytes = finding.kind == PATTERN_MOVED ? block->at_bytes : 0;
	return finding;
}

void pattern_check(const struct pattern *pattern, uint64_t at_bytes, const void *from, size_t bytes,
                   struct pattern_tally *tally)
{
	for (size_t i = 0; i < bytes; i += SCRATCH_BLOCK_BYTES) {
		struct pattern_finding finding = pattern_classify(pattern, at_bytes + i, (const char *)from + i);
		struct pattern_finding *first = &tally->first[finding.kind];

		if (!tally->count[finding.kind]++ || finding.at_bytes < first->at_bytes)
			*first = finding;
		tally->blocks++;
	}
}

const char *pattern_word(enum pattern_kind kind)
{
	static const char words[PATTERN_KINDS][12] = { "good", "stale", "moved", "zeroed", "flipped", "torn", "foreign" };

	return words[kind];
}
