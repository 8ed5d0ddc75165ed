/* report_table: a study's cells as tables, in one unit, turned when too wide, never cut silently; and its claims, wrapped. */
#include "report/scale.h"
#include "report/table.h"
#include "sink_buffer.h"
#include "test.h"

static struct table_sink sink;

static void begin(bool terminal)
{
	buffer.size = 0;
	buffer.bytes[0] = 0;
	table_sink_init(&sink, &buffer.output, terminal);
}

static const char *end(void)
{
	buffer.size = 0;
	buffer.bytes[0] = 0;
	check_equal(sink_tell(&sink.sink, step_end, "study", OUTCOME_PASS, "", 0), 0);
	return buffer.bytes;
}

static void say(const struct event *event, enum outcome outcome)
{
	struct judged judged = { .event = event, .outcome = outcome, .reason = "" };

	check_equal(sink_tell(&sink.sink, event, &judged), 0);
}

static const char *title = "a table, MB/s";

static void cell(const char *row, const char *column, int64_t value, int64_t reference)
{
	struct event event = { .kind = EVENT_FIGURE, .unit = "B/s", .value_milli = value * 1000 };

	fact_cell(&event.facts, title, row, column, reference < 0 ? VALUE_NONE : reference * 1000);
	say(&event, OUTCOME_MEASURED);
}

static void empty_cell(enum event_kind kind, enum outcome outcome, const char *row, const char *column, int64_t reference)
{
	struct event event = { .kind = kind, .unit = "B/s", .value_milli = VALUE_NONE };

	fact_cell(&event.facts, title, row, column, reference * 1000);
	say(&event, outcome);
}

static void claim(enum claim verdict, const char *message)
{
	struct event event = { .kind = EVENT_CLAIM, .aux = verdict, .metric = "edge-nvme.a" };

	strcpy(event.message, message);
	say(&event, OUTCOME_NONE);
}

test(cells_stand_in_rows_and_columns_with_their_reference_in_brackets)
{
	begin(false);
	cell("1k", "64MB", 3512345, 3500000);
	cell("1k", "1GB", 4000000, -1);
	cell("4096k", "64MB", 256049000, 256000000);
	cell("4096k", "1GB", 1234567890, 266750000);
	check_string(end(), "      a table, MB/s\n"
	                    "                    64MB            1GB\n"
	                    "      1k     3.512 (3.5)  4.000\n"
	                    "      4096k  256.0 (256)   1235 (266.8)\n");
}

test(missing_skipped_and_broken_cells_say_so)
{
	begin(false);
	cell("1k", "a", 1000000, -1);
	empty_cell(EVENT_SKIP, OUTCOME_SKIP, "1k", "b", 90000000);
	empty_cell(EVENT_FIGURE, OUTCOME_ERROR, "2k", "b", 90000000);
	empty_cell(EVENT_FAIL, OUTCOME_FAIL, "2k", "c", 1000000);
	check_string(end(), "      a table, MB/s\n"
	                    "              a           b         c\n"
	                    "      1k  1.000   skip (90)     -\n"
	                    "      2k      -  error (90)  fail (1)\n");
}

test(nothing_is_printed_without_cells_and_claims)
{
	struct event event = { .kind = EVENT_FIGURE, .unit = "B/s", .value_milli = 1000 };

	begin(false);
	say(&event, OUTCOME_MEASURED);
	check_string(end(), "");
}

test(one_row_is_a_row_while_it_fits_and_turned_when_it_does_not)
{
	static const char *const sizes[] = { "2k", "4k", "8k", "16k", "32k", "64k", "128k", "256k", "512k", "1m" };

	begin(false);
	for (unsigned i = 0; i < 6; i++)
		cell("read", sizes[i], 88120000, 90000000);
	check_string(end(), "      a table, MB/s\n"
	                    "                    2k          4k          8k         16k         32k         64k\n"
	                    "      read  88.12 (90)  88.12 (90)  88.12 (90)  88.12 (90)  88.12 (90)  88.12 (90)\n");
	for (unsigned i = 0; i < 10; i++)
		cell("read", sizes[i], 88120000 * (i + 1), 90000000);
	check_string(end(), "      a table, MB/s\n"
	                    "                  read\n"
	                    "      2k    88.12 (90)\n"
	                    "      4k    176.2 (90)\n"
	                    "      8k    264.4 (90)\n"
	                    "      16k   352.5 (90)\n"
	                    "      32k   440.6 (90)\n"
	                    "      64k   528.7 (90)\n"
	                    "      128k  616.8 (90)\n"
	                    "      256k  705.0 (90)\n"
	                    "      512k  793.1 (90)\n"
	                    "      1m    881.2 (90)\n");
}

test(width_of_exactly_the_limit_is_not_turned)
{
	char wide[80];

	begin(false);
	memset(wide, 'w', sizeof wide);
	wide[TABLE_WIDTH - 6 - 4 - 2 - 2 - 40] = 0;
	cell("read", wide, 1000000, -1);
	memset(wide, 'x', 40);
	wide[40] = 0;
	cell("read", wide, 1000000, -1);
	check(strstr(end(), "\n      read  ") != NULL);
	check_equal(strcspn(strchr(buffer.bytes, '\n') + 1, "\n"), TABLE_WIDTH);
	memset(wide, 'w', sizeof wide);
	wide[TABLE_WIDTH - 6 - 4 - 2 - 2 - 40 + 1] = 0;
	cell("read", wide, 1000000, -1);
	memset(wide, 'x', 40);
	wide[40] = 0;
	cell("read", wide, 1000000, -1);
	check(strstr(end(), "\n      read  ") == NULL);
}

test(several_tables_stand_in_order_of_appearance)
{
	begin(false);
	cell("r", "c", 1000000, -1);
	title = "another, MB/s";
	cell("r", "c", 2000000, -1);
	title = "a table, MB/s";
	cell("r", "d", 3000000, -1);
	check_string(end(), "      a table, MB/s\n             c      d\n      r  1.000  3.000\n"
	                    "      another, MB/s\n             c\n      r  2.000\n");
}

test(latest_value_of_a_cell_counts)
{
	begin(false);
	cell("r", "c", 1000000, -1);
	cell("r", "c", 2000000, -1);
	check_string(end(), "      a table, MB/s\n             c\n      r  2.000\n");
}

test(unit_that_no_text_names_is_chosen_by_the_largest_value_and_told)
{
	begin(false);
	title = "without a unit";
	cell("r", "c", 5000, -1);
	cell("r", "d", 3820000000, -1);
	check_string(end(), "      without a unit [GB/s]\n             c      d\n      r  0.000  3.820\n");
	cell("r", "c", 5000, 3820000000);
	cell("r", "d", 999, -1);
	check(strstr(end(), "[GB/s]") != NULL);
	cell("r", "c", 5000, -1);
	cell("r", "d", 999, -1);
	check_string(end(), "      without a unit [kB/s]\n             c      d\n      r  5.000  0.999\n");
	title = "a table, MB/s";
}

test(column_may_name_its_own_unit)
{
	struct event event = { .kind = EVENT_FIGURE, .unit = "ns", .value_milli = 17957123456 };

	begin(false);
	title = "jobs 8, depth 32";
	cell("1M read", "MiB/s", 3683ll << 20, 3683ll << 20);
	fact_cell(&event.facts, title, "1M read", "p95, us", VALUE_NONE);
	say(&event, OUTCOME_MEASURED);
	check_string(end(), "      jobs 8, depth 32\n                     MiB/s  p95, us\n      1M read  3683 (3683)    17957\n");
	title = "a table, MB/s";
}

test(too_many_cells_are_counted_not_hidden)
{
	char row[16], column[16];

	begin(false);
	for (unsigned i = 0; i < 116; i++)
		for (unsigned j = 0; j < 116; j++) {
			snprintf(row, sizeof row, "%u", i);
			snprintf(column, sizeof column, "%u", j);
			cell(row, column, 1000000, -1);
		}
	check(strstr(end(), "      656 more cells: there is room for 12800; the record has them all\n") != NULL);
	/* and the next step begins anew */
	cell("r", "c", 1000000, -1);
	check_string(end(), "      a table, MB/s\n             c\n      r  1.000\n");
}

test(too_many_labels_are_counted_too)
{
	char row[16];

	begin(false);
	for (unsigned i = 0; i < TABLE_LABELS + 8; i++) {
		snprintf(row, sizeof row, "%u", i);
		cell(row, "a", 1000000, -1);
	}
	/* A title, a column, and rows for all the others; without a column's label nothing is kept */
	check(strstr(end(), "      10 more cells") != NULL);
}

/* A matrix' first row lacks the first column: 0 with itself. */
test(rows_and_columns_that_are_numbers_stand_by_their_value)
{
	begin(false);
	cell("0", "2", 2000000, -1);
	cell("0", "10", 10000000, -1);
	cell("2", "0", 20000000, -1);
	cell("2", "10", 210000000, -1);
	cell("10", "2", 102000000, -1);
	cell("1", "0", 1000000, -1);
	check_string(end(), "      a table, MB/s\n"
	                    "              0      2     10\n"
	                    "      0       -  2.000  10.00\n"
	                    "      1   1.000      -      -\n"
	                    "      2   20.00      -  210.0\n"
	                    "      10      -  102.0      -\n");
}

test(three_matrices_of_64_cpus_are_whole)
{
	static const char *const titles[] = { "one, MB/s", "two, MB/s", "three, MB/s" };
	char row[16], column[16];

	begin(false);
	for (unsigned t = 0; t < COUNT_OF(titles); t++)
		for (unsigned i = 0; i < 64; i++)
			for (unsigned j = 0; j < 64; j++) {
				if (i == j)
					continue;
				title = titles[t];
				snprintf(row, sizeof row, "%u", i);
				snprintf(column, sizeof column, "%u", j);
				cell(row, column, 1000000, -1);
			}
	title = "a table, MB/s";
	check_equal(sink.label_count, 3 * 129);
	check_equal(sink.cells_left_out, 0);
	end();
}

test(title_is_bold_on_a_terminal)
{
	begin(true);
	cell("r", "c", 1000000, -1);
	check(strstr(end(), "      \033[1ma table, MB/s\033[0m\n") != NULL);
}

test(claims_are_wrapped_beside_each_other)
{
	begin(false);
	claim(CLAIM_REFUTED, "a minimum block of 0.5 GB is necessary for the whole bandwidth of the drive\n16m brings 89 % of the maximum, "
	      "128m 98 %, and 64k random reads with 256 in flight reach the same: bytes in flight are the cause");
	claim(CLAIM_NOT_COMPARABLE, "short\nno");
	check_string(end(),
		"      verdict         claim                                   evidence\n"
		"      refuted         a minimum block of 0.5 GB is necessary  16m brings 89 % of the maximum, 128m 98 %, and\n"
		"                      for the whole bandwidth of the drive    64k random reads with 256 in flight reach the\n"
		"                                                              same: bytes in flight are the cause\n"
		"      not comparable  short                                   no\n");
}

test(no_line_of_claims_is_wider_than_the_limit)
{
	char message[MAX_MESSAGE];

	begin(false);
	memset(message, 'm', sizeof message);
	message[190] = '\n';
	message[sizeof message - 1] = 0;
	claim(CLAIM_CANNOT_TELL, message);
	end();
	for (const char *at = buffer.bytes; *at; at += strcspn(at, "\n") + 1)
		check(strcspn(at, "\n") <= CLAIMS_WIDTH);
	unsigned letters = 0;
	for (const char *at = strchr(buffer.bytes, '\n'); *at; at++)
		letters += *at == 'm';
	check_equal(letters, MAX_MESSAGE - 2);
}

test(claims_beyond_their_room_are_counted)
{
	begin(false);
	for (unsigned i = 0; i < TABLE_CLAIMS + 2; i++)
		claim(CLAIM_SUPPORTED, "c\ne");
	check(strstr(end(), "      2 more claims: there is room for 16; the record has them all\n") != NULL);
}

static const char *scaled(int64_t milli, const char *words, const char *unit, bool trimmed)
{
	static char bytes[40];
	struct text text = TEXT(bytes);

	scale_add(&text, milli, scale_named(words, unit), trimmed);
	return bytes;
}

test(four_digits_count_and_rounding_may_carry)
{
	check_string(scaled(999949000000, "MB/s", "B/s", false), "999.9");
	check_string(scaled(999950000000, "MB/s", "B/s", false), "1000");
	check_string(scaled(9999500000, "MB/s", "B/s", false), "10.00");
	check_string(scaled(90000000, "MB/s", "B/s", false), "0.090");
	check_string(scaled(90000000, "MB/s", "B/s", true), "0.09");
	check_string(scaled(3820000000000, "MB/s", "B/s", true), "3820");
	check_string(scaled(100000000000, "MB/s", "B/s", true), "100");
	check_string(scaled(12345678000000, "MB/s", "B/s", false), "12346");
	check_string(scaled(-1500, "ns", "ns", false), "-1.500");
	check_string(scaled(0, "us", "ns", false), "0.000");
	check_string(scaled(INT64_MAX, "", "1", false), "9223372036854776");
}

test(unit_is_named_by_a_whole_word_only)
{
	check(scale_named("bandwidth, MB/s (theirs)", "B/s") != NULL);
	check_equal(scale_named("bandwidth, MB/s (theirs)", "B/s")->factor, 1000000);
	check_equal(scale_named("latency in us", "ns")->factor, 1000);
	check_equal(scale_named("IOPS; kIOPS", "1/s")->factor, 1000);
	check_equal(scale_named("read MiB/s", "B/s")->factor, 1048576);
	check(scale_named("bus and focus", "ns") == NULL);
	check(scale_named("MB/second", "B/s") == NULL);
	check(scale_named("MLC's latency", "ns") == NULL);
	check(scale_named("MB/s", "ns") == NULL);
}

test(scale_by_the_largest_is_the_power_of_thousand_below_it)
{
	check(scale_for(999999, "B/s") == NULL);
	check_string(scale_for(1000000, "B/s")->word, "kB/s");
	check_string(scale_for(999999999, "B/s")->word, "kB/s");
	check_string(scale_for(1000000000, "B/s")->word, "MB/s");
	check_string(scale_for(5000000, "ns")->word, "us");
	check_string(scale_for(150000000000, "1/s")->word, "M/s");
	check(scale_for(5000000000, "C") == NULL);
}
