/* block_pattern.c: every kind of wrong data is told apart from every other. */
#include "test.h"

#include "block/pattern.h"
#include "lib/crc32c.h"
#include "scratch_block.h"
#include "sys/cpu.h"

static const struct pattern ours = { .nonce = 0x1122334455667788, .pass = 1 };
static const struct pattern earlier = { .nonce = 0x99aabbccddeeff00, .pass = 1 };

static _Alignas(8) unsigned char block[SCRATCH_BLOCK_BYTES], other[SCRATCH_BLOCK_BYTES];

static struct pattern_finding written_at(uint64_t at_bytes)
{
	return pattern_classify(&ours, at_bytes, block, sizeof block);
}

test(block_as_written_is_good)
{
	pattern_fill(&ours, 8192, block, sizeof block);
	check_equal(written_at(8192).kind, PATTERN_GOOD);
	check_equal(written_at(8192).bits, 0);
}

test(block_begins_with_the_magic_that_the_scratch_check_knows)
{
	pattern_fill(&ours, 0, block, sizeof block);
	check(!memcmp(block, SCRATCH_MAGIC, 8));
}

test(block_of_an_earlier_run_is_stale)
{
	pattern_fill(&earlier, 8192, block, sizeof block);
	check_equal(written_at(8192).kind, PATTERN_STALE);
}

test(block_of_an_earlier_pass_is_stale)
{
	const struct pattern second = { .nonce = ours.nonce, .pass = 2 };

	pattern_fill(&ours, 8192, block, sizeof block);
	check_equal(pattern_classify(&second, 8192, block, sizeof block).kind, PATTERN_STALE);
}

test(block_of_another_address_is_moved_and_tells_where_it_belongs)
{
	pattern_fill(&ours, 1073741824, block, sizeof block);
	check_equal(written_at(4096).kind, PATTERN_MOVED);
	check_equal(written_at(4096).other_bytes, 1073741824);
	check_equal(written_at(4096).at_bytes, 4096);
}

test(zeros_are_zeroed)
{
	memset(block, 0, sizeof block);
	check_equal(written_at(4096).kind, PATTERN_ZEROED);
}

test(one_flipped_bit_is_a_bit_error_with_its_place)
{
	pattern_fill(&ours, 4096, block, sizeof block);
	block[1234] ^= 0x10;
	check_equal(written_at(4096).kind, PATTERN_BIT_ERROR);
	check_equal(written_at(4096).bits, 1);
	check_equal(written_at(4096).first_byte, 1234);
}

test(flipped_bit_in_the_checksum_itself_is_a_bit_error)
{
	pattern_fill(&ours, 4096, block, sizeof block);
	block[4095] ^= 0x80;
	check_equal(written_at(4096).kind, PATTERN_BIT_ERROR);
	check_equal(written_at(4096).first_byte, 4095);
}

test(flipped_bit_in_the_address_is_a_bit_error_not_a_move)
{
	pattern_fill(&ours, 4096, block, sizeof block);
	block[8] ^= 0x01;
	check_equal(written_at(4096).kind, PATTERN_BIT_ERROR);
}

test(half_new_half_old_is_torn)
{
	pattern_fill(&ours, 4096, block, sizeof block);
	pattern_fill(&earlier, 4096, other, sizeof other);
	memcpy(block + 1536, other + 1536, sizeof block - 1536);
	check_equal(written_at(4096).kind, PATTERN_TORN);
	check_equal(written_at(4096).good_sectors, 3);
	check(written_at(4096).first_byte >= 1536);
}

test(half_new_half_zero_is_torn)
{
	pattern_fill(&ours, 4096, block, sizeof block);
	memset(block + 2048, 0, 2048);
	check_equal(written_at(4096).kind, PATTERN_TORN);
	check_equal(written_at(4096).good_sectors, 4);
}

test(other_data_is_foreign)
{
	memset(block, 0xa5, sizeof block);
	check_equal(written_at(4096).kind, PATTERN_FOREIGN);
}

test(same_byte_everywhere_is_never_good)
{
	for (int byte = 0; byte < 256; byte++) {
		memset(block, byte, sizeof block);
		check(written_at(0).kind != PATTERN_GOOD);
	}
}

test(moved_block_with_a_flipped_bit_is_still_known)
{
	pattern_fill(&ours, 1 << 20, block, sizeof block);
	block[2000] ^= 1;
	check_equal(written_at(4096).kind, PATTERN_MOVED);
	check_equal(written_at(4096).other_bytes, 1 << 20);
}

/* A capacity of 512 B more than whole blocks: the beginning of what belongs elsewhere stands within the block. */
test(block_moved_by_sectors_is_moved)
{
	pattern_fill(&ours, 1 << 20, other, sizeof other);
	pattern_fill(&earlier, 0, block, sizeof block);
	memcpy(block + 1536, other, sizeof block - 1536);
	check_equal(written_at(4096).kind, PATTERN_MOVED);
	check_equal(written_at(4096).at_bytes, 4096 + 1536);
	check_equal(written_at(4096).other_bytes, 1 << 20);
}

test(half_of_one_earlier_run_half_zero_is_torn)
{
	pattern_fill(&earlier, 4096, block, sizeof block);
	memset(block + 2048, 0, 2048);
	check_equal(written_at(4096).kind, PATTERN_TORN);
	check_equal(written_at(4096).good_sectors, 0);
}

test(sectors_of_an_odd_end_are_checked_one_by_one)
{
	static _Alignas(8) unsigned char end[SCRATCH_BLOCK_BYTES + 1536];
	struct pattern_tally tally = { .blocks = 0 };

	pattern_fill(&ours, 8192, end, sizeof end);
	pattern_check(&ours, 8192, end, sizeof end, &tally);
	check_equal(tally.count[PATTERN_GOOD], 4);
	check_equal(tally.bytes, SCRATCH_BLOCK_BYTES + 1536);
	end[SCRATCH_BLOCK_BYTES + 512 + 77] ^= 1;
	memset(end + SCRATCH_BLOCK_BYTES + 1024, 0, 512);
	pattern_check(&ours, 8192, end, sizeof end, &tally);
	check_equal(tally.count[PATTERN_BIT_ERROR], 1);
	check_equal(tally.first[PATTERN_BIT_ERROR].at_bytes, 8192 + 4096 + 512);
	check_equal(tally.count[PATTERN_ZEROED], 1);
	check_equal(tally.first[PATTERN_ZEROED].at_bytes, 8192 + 4096 + 1024);
}

test(checksum_is_the_crc_of_all_before_it)
{
	uint32_t crc;

	pattern_fill(&ours, 8192, block, sizeof block);
	memcpy(&crc, block + sizeof block - 8, sizeof crc);
	check_equal(crc, crc32c(0, block, sizeof block - 8));
}

test(quick_checksum_is_that_of_the_table)
{
	pattern_fill(&ours, 8192, block, sizeof block);
	for (size_t bytes = 0; bytes <= sizeof block && cpu_features() & CPU_CRC32; bytes += 8)
		check_equal(cpu_crc32c(77, block, bytes), crc32c(77, block, bytes));
}

test(end_of_one_kind_is_told)
{
	static _Alignas(8) unsigned char blocks[4 * SCRATCH_BLOCK_BYTES];
	struct pattern_tally tally = { .blocks = 0 };

	pattern_fill(&ours, 0, blocks, sizeof blocks);
	memset(blocks + 8192, 0, 8192);
	pattern_check(&ours, 0, blocks, sizeof blocks, &tally);
	check(pattern_ends_in(&tally, PATTERN_ZEROED));
	check(!pattern_ends_in(&tally, PATTERN_GOOD));
	pattern_fill(&ours, 16384, blocks, 4096);
	pattern_check(&ours, 16384, blocks, 4096, &tally);
	check(!pattern_ends_in(&tally, PATTERN_ZEROED));
}

test(tally_counts_kinds_and_keeps_the_lowest_address)
{
	static _Alignas(8) unsigned char blocks[4 * SCRATCH_BLOCK_BYTES];
	struct pattern_tally tally = { .blocks = 0 };

	pattern_fill(&ours, 65536, blocks, sizeof blocks);
	memset(blocks + 4096, 0, 4096);
	memset(blocks + 8192, 0, 4096);
	blocks[12288 + 100] ^= 1;
	pattern_check(&ours, 65536, blocks, sizeof blocks, &tally);
	check_equal(tally.blocks, 4);
	check_equal(tally.count[PATTERN_GOOD], 1);
	check_equal(tally.count[PATTERN_ZEROED], 2);
	check_equal(tally.first[PATTERN_ZEROED].at_bytes, 69632);
	check_equal(tally.count[PATTERN_BIT_ERROR], 1);
	check_equal(tally.first[PATTERN_BIT_ERROR].at_bytes, 77824);
	memset(blocks, 0, 4096);
	pattern_check(&ours, 4096, blocks, 4096, &tally);
	check_equal(tally.first[PATTERN_ZEROED].at_bytes, 4096);
}

test(neighbouring_blocks_share_no_filler_word)
{
	unsigned same = 0;

	pattern_fill(&ours, 0, block, sizeof block);
	pattern_fill(&ours, 4096, other, sizeof other);
	for (unsigned i = 32; i < 4088; i += 8)
		same += !memcmp(block + i, other + i, 8);
	check_equal(same, 0);
}
