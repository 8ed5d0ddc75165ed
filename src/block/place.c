/*
 * place.c: see place.h.
 *
 * Job i of n begins at the i-th part of the region (or of its random order) and wraps; once through the region, it ends where
 * the next one began.  Sides in sequence each have a place of their own, as fio's do.
 */
#include "block/place.h"

__attribute__((cold)) uint64_t place_blocks(const struct block_job *job)
{
	uint64_t blocks = job->size_bytes / job->bs_bytes;

	return blocks + (!job->runtime_ns && job->size_bytes % job->bs_bytes);
}

__attribute__((cold)) static uint64_t share_of(uint64_t all, unsigned number, unsigned jobs)
{
	return all / jobs * number + all % jobs * number / jobs;
}

__attribute__((cold)) static uint64_t part_of(uint64_t all, unsigned number, unsigned jobs)
{
	return share_of(all, number + 1, jobs) - share_of(all, number, jobs);
}

__attribute__((cold)) static uint64_t blocks_of(const struct block_job *job, uint64_t blocks, unsigned number, unsigned jobs)
{
	uint64_t once = job->runtime_ns ? UINT64_MAX : part_of(blocks, number, jobs);
	uint64_t limit = job->limit_ios ? part_of(job->limit_ios, number, jobs) : UINT64_MAX;

	return once < limit ? once : limit;
}

__attribute__((cold)) void place_prepare(struct block_place *place, const struct block_job *job, unsigned number, const struct zipf *zipf)
{
	uint64_t blocks = place_blocks(job), left_bytes = job->size_bytes % job->bs_bytes;
	unsigned jobs = job->numjobs ? job->numjobs : 1, reads = !block_writes(job->rw) ? 100 : block_reads(job->rw) ? job->rwmixread : 0;
	uint64_t first = share_of(blocks, number, jobs);

	*place = (struct block_place){
		.kind = !block_is_random(job->rw) ? PLACE_IN_SEQUENCE : job->distribution == BLOCK_ZIPF ? PLACE_BY_RANK :
		        job->norandommap && job->runtime_ns ? PLACE_ANYWHERE : PLACE_IN_ORDER,
		.offset_bytes = job->offset_bytes, .bs_bytes = job->bs_bytes,
		.last_offset_bytes = job->offset_bytes + (blocks - 1) * job->bs_bytes,
		.last_bytes = !job->runtime_ns && left_bytes ? left_bytes : job->bs_bytes,
		.blocks = blocks, .next = { first, first },
		.left = blocks_of(job, blocks, number, jobs),
		.mixed = reads && reads < 100, .writes = !reads, .read_below = ((uint64_t)reads << 32) / 100,
		.seed = job->seed, .zipf = zipf,
	};
	place->draws = place->mixed || place->kind > PLACE_IN_ORDER;
	random_order(&place->order, blocks, place->seed, 0);
	random_seed(&place->random, job->seed ^ (uint64_t)number << 32);
}

static uint64_t in_sequence(struct block_place *place, bool write)
{
	uint64_t block = place->next[write];

	place->next[write] = block + 1 == place->blocks ? 0 : block + 1;
	return block;
}

__attribute__((cold, noinline)) static void begin_pass(struct block_place *place)
{
	place->next[0] = 0;
	random_order(&place->order, place->blocks, place->seed, ++place->pass);
}

static inline uint64_t in_order(struct block_place *place)
{
	if (place->next[0] == place->blocks)
		begin_pass(place);
	return random_order_at(&place->order, place->next[0]++);
}

__attribute__((noinline)) static struct block_at by_chance(struct block_place *place)
{
	struct block_at at = { .write = place->mixed ? random_next(&place->random) >> 32 >= place->read_below : place->writes };
	uint64_t block;

	if (place->kind == PLACE_IN_SEQUENCE)
		block = in_sequence(place, at.write);
	else if (place->kind == PLACE_IN_ORDER)
		block = in_order(place);
	else if (place->kind == PLACE_ANYWHERE)
		block = random_below(&place->random, place->blocks);
	else
		block = random_order_at(&place->order, zipf_next(place->zipf, &place->random));
	at.offset_bytes = place->offset_bytes + block * place->bs_bytes;
	return at;
}

struct block_at place_next(struct block_place *place)
{
	struct block_at at = { .write = place->writes };

	place->left--;
	if (place->draws)
		return by_chance(place);
	at.offset_bytes = place->offset_bytes + place->bs_bytes *
	                  (place->kind == PLACE_IN_ORDER ? in_order(place) : in_sequence(place, at.write));
	return at;
}
