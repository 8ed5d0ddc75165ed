/* fill.c: see fill.h. */
#include <string.h>

#include "block/fill.h"
#include "lib/random.h"
#include "scratch_block.h"

enum { SECTOR_BYTES = 512 };

void fill_buffer(void *to, size_t bytes, uint64_t seed)
{
	struct random random;
	char *at = to;

	random_seed(&random, seed);
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		uint64_t word = random_next(&random);
		const void *from = i % SECTOR_BYTES ? (const void *)&word : SCRATCH_MAGIC;

		memcpy(at + i, from, bytes - i < sizeof word ? bytes - i : sizeof word);
	}
}
