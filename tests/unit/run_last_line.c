/* run_last_line: the last line as scripts will read it. */
#include <string.h>

#include "run/last_line.h"
#include "test.h"

static char line[640];

static const char *write_line(enum verdict verdict, const char *serial, struct tally tally)
{
	struct text text = TEXT(line);

	last_line_write(&text, verdict, "x86", serial, &tally, "none");
	return line;
}

test(last_line_is_written_as_the_design_has_it)
{
	struct tally tally = { .steps = 21, .figures = 187, .warned = 2, .unjudged = 143 };

	static const char want[] = "assay: PASS board=x86 serial=none steps=21 figures=187 failed=0 errors=0 "
	                           "warned=2 unjudged=143 partial=no record=none crc32c=";

	check(!strncmp(write_line(VERDICT_PASS, "", tally), want, strlen(want)));
	check_equal(strlen(line), strlen(want) + 8);
}

test(last_line_reads_back_with_its_verdict)
{
	enum verdict verdict = VERDICT_PASS;

	for (enum verdict v = VERDICT_PASS; v <= VERDICT_INTERRUPTED; v++) {
		write_line(v, "SN1", (struct tally){ .steps = 3 });
		check(last_line_read(line, &verdict));
		check_equal(verdict, v);
	}
}

test(any_changed_byte_of_the_last_line_is_noticed)
{
	enum verdict verdict;

	write_line(VERDICT_FAIL, "SN1", (struct tally){ .steps = 21, .figures = 10, .failed = 1 });
	for (size_t i = 0; line[i]; i++) {
		char saved = line[i];
		line[i] ^= 1;
		check(!last_line_read(line, &verdict));
		line[i] = saved;
	}
	check(last_line_read(line, &verdict));
}

test(white_space_in_a_serial_number_does_not_break_the_line)
{
	check(strstr(write_line(VERDICT_PASS, "A B\n", (struct tally){ 0 }), " serial=A_B_ ") != NULL);
}

test(simulated_run_says_so)
{
	check(strstr(write_line(VERDICT_MEASURED, "", (struct tally){ .simulated = true }), " partial=simulated ") != NULL);
	check(strstr(write_line(VERDICT_MEASURED, "", (struct tally){ .partial = true }), " partial=yes ") != NULL);
}
