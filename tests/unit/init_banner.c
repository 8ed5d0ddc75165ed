/* The verdict in big letters. */
#include "test.h"

#include "init/banner.h"
#include "verdict.h"

static char out[2048];

static void draw(const char *word)
{
	struct text text = TEXT(out);

	banner_add(&text, word);
}

test(pass_is_five_lines_of_big_letters)
{
	draw("PASS");
	check_string(out,
		"\n"
		"####    ###    ####   ####\n"
		"#   #  #   #  #      #    \n"
		"####   #####   ###    ### \n"
		"#      #   #      #      #\n"
		"#      #   #  ####   #### \n"
		"\n");
}

test(pass_and_fail_differ_in_every_line_but_the_first_letters_column)
{
	char pass[sizeof(out)];

	draw("PASS");
	strcpy(pass, out);
	draw("FAIL");
	check(strcmp(pass, out));
	check(strstr(out, "#####   ###    ###   #    \n"));
}

test(the_font_has_every_letter_of_every_verdict)
{
	static const char *const blank = "     ";

	for (enum verdict v = VERDICT_PASS; v <= VERDICT_INTERRUPTED; v++) {
		for (const char *letter = verdict_word(v); *letter; letter++) {
			const char one[] = { *letter, 0 };

			draw(one);
			check(strncmp(out + 1, blank, 5));
		}
	}
}

test(the_longest_verdict_fits_a_line_of_80)
{
	draw("INTERRUPTED");
	check(strchr(out + 1, '\n') - (out + 1) <= 80);
}
