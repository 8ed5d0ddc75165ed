/* sequence.c: the table of the fixed sequence. */
#include <string.h>

#include "step/sequence.h"

#define STEP(id) extern const struct step step_##id;
#define LATER(id, step_name, step_summary) static const struct step step_##id = { .name = step_name, .summary = step_summary };
#include "step/sequence.def"
#undef STEP
#undef LATER

#define STEP(id) &step_##id,
#define LATER(id, step_name, step_summary) &step_##id,
const struct step *const sequence[] = {
#include "step/sequence.def"
	NULL
};

_Static_assert(COUNT_OF(sequence) - 1 <= MAX_STEPS, "MAX_STEPS is too small");

const struct step *sequence_find(const char *name)
{
	for (unsigned i = 0; sequence[i]; i++)
		if (!strcmp(sequence[i]->name, name))
			return sequence[i];
	return NULL;
}

const char *sequence_name(unsigned index, const void *context)
{
	(void)context;
	return index < COUNT_OF(sequence) - 1 ? sequence[index]->name : NULL;
}

const struct param *step_param(const struct step *step, const char *name)
{
	for (const struct param *param = step->params; param && param->type; param++)
		if (!strcmp(param->name, name))
			return param;
	return NULL;
}
