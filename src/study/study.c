/* study.c: the table of the studies. */
#include <string.h>

#include "study/study.h"

#define STUDY(id) extern const struct step study_##id;
#define LATER(id, step_name, step_summary) static const struct step study_##id = { .name = step_name, .summary = step_summary };
#include "study/study.def"
#undef STUDY
#undef LATER

#define STUDY(id) &study_##id,
#define LATER(id, step_name, step_summary) &study_##id,
const struct step *const studies[] = {
#include "study/study.def"
	NULL
};

const char *study_name(unsigned index, const void *context)
{
	(void)context;
	return index < COUNT_OF(studies) - 1 ? studies[index]->name + strlen("study.") : NULL;
}

const struct step *study_find(const char *name)
{
	for (unsigned i = 0; studies[i]; i++)
		if (!strcmp(study_name(i, NULL), name))
			return studies[i];
	return NULL;
}
