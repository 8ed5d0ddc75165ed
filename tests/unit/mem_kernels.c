/* mem_kernels.c: every kernel that this CPU can run leaves the same words behind as the plain C one, for every mix. */
#include "mem/kernels.h"

#include "lib/random.h"
#include "sys/cpu.h"
#include "test.h"

enum { BYTES = 13 * KERNEL_GRANULE, GUARD_WORDS = KERNEL_GRANULE / 8, WORDS = BYTES / 8 + GUARD_WORDS, ARRAYS = 3 };

static const char *const mixes[STREAM_MIXES] = { "reads", "3:1", "2:1", "1:1", "triad", "writes", "nt-writes", "copy" };

struct arrays { _Alignas(KERNEL_GRANULE) uint64_t words[ARRAYS][WORDS]; };
static struct arrays wanted, got;

static void randomize(struct arrays *arrays)
{
	struct random random;

	random_seed(&random, 7);
	for (unsigned i = 0; i < ARRAYS * WORDS; i++)
		arrays->words[i / WORDS][i % WORDS] = random_next(&random);
}

static uint64_t run_on(struct arrays *arrays, const struct mem_kernel *kernel, enum stream_mix mix, size_t bytes)
{
	struct kernel_span span = { .to = arrays->words[0], .from = arrays->words[1], .other = arrays->words[2], .bytes = bytes,
	                            .word = 0xfedcba9876543210 };

	return kernels_run(kernel, mix, &span);
}

/* What the mix's line in kernels.h says, word by word. */
static uint64_t run_by_hand(struct arrays *arrays, enum stream_mix mix, size_t bytes)
{
	uint64_t (*words)[WORDS] = arrays->words, sum = 0, word = 0xfedcba9876543210;

	for (size_t i = 0; i < bytes / 8; i++)
		switch (mix) {
		case STREAM_READS: sum += words[1][i]; break;
		case STREAM_3_TO_1: words[0][i] += words[1][i] + words[2][i]; break;
		case STREAM_2_TO_1: words[0][i] += words[1][i]; break;
		case STREAM_1_TO_1: words[0][i] += word; break;
		case STREAM_TRIAD: words[0][i] = words[1][i] + 3 * words[2][i]; break;
		case STREAM_COPY: words[0][i] = words[1][i]; break;
		default: words[0][i] = word; break;
		}
	return sum;
}

/* Does the kernel do what the mix says, on every number of granules, 0 and odd ones included, and touch nothing else? */
static bool is_right(const struct mem_kernel *kernel, enum stream_mix mix)
{
	bool right = true;

	for (size_t bytes = 0; bytes <= BYTES; bytes += KERNEL_GRANULE) {
		randomize(&wanted);
		randomize(&got);
		right &= run_on(&got, kernel, mix, bytes) == run_by_hand(&wanted, mix, bytes);
		right &= !memcmp(&got, &wanted, sizeof(got));
	}
	return right;
}

test(every_kernel_of_every_mix_does_what_the_mix_says_and_nothing_else)
{
	const struct mem_kernel *kernel;
	unsigned checked = 0;

	for (unsigned i = 0; (kernel = kernels_usable(i)); i++)
		for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++)
			if (kernel->work[mix]) {
				if (!is_right(kernel, mix))
					printf("# %s, %s\n", kernel->name, mixes[mix]);
				check(is_right(kernel, mix));
				checked++;
			}
	check(checked >= 2 * STREAM_MIXES);
}

test(every_mix_has_a_kernel_of_the_architecture_itself)
{
	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++) {
		unsigned count = 0;

		for (unsigned i = 0; kernels_usable(i) != &mem_kernel_c; i++)
			count += kernels_usable(i)->work[mix] != NULL;
		check(count > 0);
	}
}

test(kernels_have_names_of_their_own)
{
	for (unsigned i = 0; kernels_usable(i); i++)
		for (unsigned other = 0; other < i; other++)
			check(strcmp(kernels_usable(i)->name, kernels_usable(other)->name));
}

test(plain_c_is_the_last_of_the_usable_kernels)
{
	unsigned count = 0;

	while (kernels_usable(count))
		count++;
	check(count >= 2);
	check(kernels_usable(count - 1) == &mem_kernel_c);
	check(!kernels_usable(count + 1));
}

test(no_kernel_is_offered_that_needs_what_the_cpu_lacks)
{
	const struct mem_kernel *kernel;

	for (unsigned i = 0; (kernel = kernels_usable(i)); i++)
		check_equal(kernel->needs & ~cpu_features(), 0);
}

/* ---- the check above finds each kind of fault ---- */

static kernel_work *faulty_work[STREAM_MIXES];
static const struct mem_kernel faulty = { .name = "faulty", .streams = 1, .work = faulty_work };
static enum stream_mix faulty_mix;

static uint64_t drops_the_last_word(const struct kernel_span *span)
{
	struct kernel_span most = *span;

	most.bytes -= most.bytes ? 8 : 0;
	return kernels_run(&mem_kernel_c, faulty_mix, &most);
}

static uint64_t writes_behind_the_end(const struct kernel_span *span)
{
	span->to[span->bytes / 8] ^= 1;
	return drops_the_last_word(span);
}

static uint64_t turns_a_bit(const struct kernel_span *span)
{
	struct kernel_span copy = *span;
	uint64_t sum = kernels_run(&mem_kernel_c, faulty_mix, &copy);

	if (span->bytes && faulty_mix != STREAM_READS)
		span->to[span->bytes / 16] ^= 1ull << 40;
	return faulty_mix == STREAM_READS ? sum ^ 1 : sum;
}

test(a_kernel_that_is_wrong_in_one_word_or_one_bit_or_beyond_its_end_is_found)
{
	kernel_work *const faults[] = { drops_the_last_word, writes_behind_the_end, turns_a_bit };

	for (enum stream_mix mix = 0; mix < STREAM_MIXES; mix++)
		for (unsigned i = 0; i < 3; i++) {
			faulty_mix = mix == STREAM_NT_WRITES ? STREAM_WRITES : mix;
			faulty_work[mix] = faults[i];
			check(!is_right(&faulty, mix));
		}
}
