/*
 * test.h: unit tests.  One behaviour a test, its name says it, values written out:
 *
 *     test(median_interval_needs_six_samples) { check(!summary_median_ranks(5, &low, &high)); }
 *
 * Each file in tests/unit/ is one program: it runs all its tests, prints `ok NAME` or `not ok NAME` a line, and
 * exits 1 when one failed.
 */
#ifndef TEST_H
#define TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test { const char *name; void (*run)(void); };

static struct test tests[256];
static unsigned test_count, test_faults;

#define test(name) \
	static void test_##name(void); \
	__attribute__((constructor)) static void register_##name(void) { tests[test_count++] = (struct test){ #name, test_##name }; } \
	static void test_##name(void)

#define check(condition) do { \
	if (!(condition)) { test_faults++; printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); } } while (0)
#define check_equal(a, b) do { \
	int64_t a_ = (int64_t)(a), b_ = (int64_t)(b); \
	if (a_ != b_) { test_faults++; printf("# %s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__, __LINE__, #a, a_, b_); } } while (0)
#define check_string(a, b) do { \
	const char *a_ = (a), *b_ = (b); \
	if (strcmp(a_, b_)) { test_faults++; printf("# %s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #a, a_, b_); } } while (0)

int main(void)
{
	unsigned failed = 0;

	for (unsigned i = 0; i < test_count; i++) {
		test_faults = 0;
		fflush(stdout);
		tests[i].run();
		printf("%s %s\n", test_faults ? "not ok" : "ok", tests[i].name);
		failed += test_faults != 0;
	}
	return failed != 0;
}

#endif
