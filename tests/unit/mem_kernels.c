/* mem_kernels.c: every kernel that this CPU can run leaves the same words behind as the plain C one. */
#include "mem/kernels.h"

#include "lib/random.h"
#include "sys/cpu.h"
#include "test.h"

enum { BYTES = 16 * KERNEL_GRANULE, GUARD_WORDS = KERNEL_ALIGNMENT / 8, WORDS = BYTES / 8 + GUARD_WORDS };

static _Alignas(KERNEL_ALIGNMENT) uint64_t source[WORDS], wanted[WORDS], got[WORDS];

static void randomize(uint64_t *words, uint64_t seed)
{
	struct random random;

	random_seed(&random, seed);
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = random_next(&random);
}

/* Calls each(kernel, bytes) for every usable kernel and every number of granules, 0 and odd ones included. */
static void for_each_kernel(void (*each)(const struct mem_kernel *kernel, size_t bytes))
{
	const struct mem_kernel *kernel;

	for (unsigned i = 0; (kernel = kernels_usable(i)); i++)
		for (size_t bytes = 0; bytes <= BYTES; bytes += KERNEL_GRANULE) {
			randomize(source, 1);
			randomize(wanted, 2);
			randomize(got, 2);
			each(kernel, bytes);
		}
}

test(plain_c_reads_the_sum_of_all_words)
{
	static const _Alignas(KERNEL_ALIGNMENT) uint64_t words[KERNEL_GRANULE / 8] = { 1, 2, 3, [63] = 10 };

	check_equal(mem_kernel_c.read(words, KERNEL_GRANULE), 16);
	check_equal(mem_kernel_c.read(words, 0), 0);
}

test(plain_c_writes_updates_and_copies_every_word)
{
	mem_kernel_c.write(source, KERNEL_GRANULE, 7);
	mem_kernel_c.update(source, KERNEL_GRANULE, 5);
	mem_kernel_c.copy(got, source, KERNEL_GRANULE);
	for (unsigned i = 0; i < KERNEL_GRANULE / 8; i++)
		check_equal(got[i], 12);
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

static void compare_read(const struct mem_kernel *kernel, size_t bytes)
{
	check_equal(kernel->read(source, bytes), mem_kernel_c.read(source, bytes));
}

static void compare_write(const struct mem_kernel *kernel, size_t bytes)
{
	mem_kernel_c.write(wanted, bytes, 0x0123456789abcdef);
	kernel->write(got, bytes, 0x0123456789abcdef);
	check(!memcmp(got, wanted, sizeof(got)));
}

static void compare_update(const struct mem_kernel *kernel, size_t bytes)
{
	mem_kernel_c.update(wanted, bytes, 0xfedcba9876543210);
	kernel->update(got, bytes, 0xfedcba9876543210);
	check(!memcmp(got, wanted, sizeof(got)));
}

static void compare_copy(const struct mem_kernel *kernel, size_t bytes)
{
	mem_kernel_c.copy(wanted, source, bytes);
	kernel->copy(got, source, bytes);
	check(!memcmp(got, wanted, sizeof(got)));
}

test(reading_gives_the_reference_sum) { for_each_kernel(compare_read); }
test(writing_leaves_what_the_reference_leaves_and_nothing_behind_it) { for_each_kernel(compare_write); }
test(updating_leaves_what_the_reference_leaves_and_nothing_behind_it) { for_each_kernel(compare_update); }
test(copying_leaves_what_the_reference_leaves_and_nothing_behind_it) { for_each_kernel(compare_copy); }

test(a_single_changed_bit_changes_every_kernels_sum)
{
	const struct mem_kernel *kernel;

	randomize(source, 3);
	for (unsigned i = 0; (kernel = kernels_usable(i)); i++) {
		uint64_t before = kernel->read(source, BYTES);

		source[BYTES / 8 - 1] ^= 1ull << 40;
		check(kernel->read(source, BYTES) != before);
		source[BYTES / 8 - 1] ^= 1ull << 40;
		check_equal(kernel->read(source, BYTES), before);
	}
}
