/* study_table.c: the studies are found by their names, and their parameters can be read. */
#include "study/study.h"

#include "step/context.h"
#include "test.h"

test(every_study_is_found_by_its_name)
{
	for (unsigned i = 0; studies[i]; i++) {
		check_equal(strncmp(studies[i]->name, "study.", 6), 0);
		check(study_find(study_name(i, NULL)) == studies[i]);
		check(studies[i]->summary[0]);
	}
	check_string(study_find("edge-nvme")->name, "study.edge-nvme");
	check(study_find("load")->run);
	check(!study_find("xfi")->run);
	check(!study_find("edge"));
	check(!study_find("study.edge-nvme"));
	check(!study_name(99, NULL));
}

test(every_default_is_a_value_at_every_level)
{
	static struct ctx ctx;
	static const struct board board;
	char fault[200];

	for (unsigned i = 0; studies[i]; i++)
		for (enum level level = LEVEL_SHORT; level < LEVEL_COUNT; level++) {
			ctx = (struct ctx){ .step = studies[i], .board = &board };
			check_equal(context_params(&ctx, level, NULL, 0, fault, sizeof fault), 0);
		}
}
