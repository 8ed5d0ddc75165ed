/* scope.c: from a metric name to its step. */
#include <string.h>

#include "lib/text.h"
#include "run/scope.h"
#include "step/sequence.h"

static bool begins(const char *metric, const char *step)
{
	size_t n = strlen(step);

	return text_starts(metric, step) && (metric[n] == '.' || metric[n] == '[' || !metric[n]);
}

/* The step of the whole sequence that the metric is named after; NULL when it is a shared family. */
static const struct step *owner(const char *metric)
{
	const struct step *best = NULL;

	for (unsigned i = 0; sequence[i]; i++)
		if (begins(metric, sequence[i]->name) && (!best || strlen(sequence[i]->name) > strlen(best->name)))
			best = sequence[i];
	return best;
}

bool scope_selected(const struct step *const *steps, unsigned count, const char *metric)
{
	const struct step *step = owner(metric);
	size_t domain = strcspn(metric, ".");

	for (unsigned i = 0; i < count; i++)
		if (step ? steps[i] == step : !strncmp(steps[i]->name, metric, domain + 1))
			return true;
	return false;
}

bool scope_known(const char *metric)
{
	unsigned count = 0;

	while (sequence[count])
		count++;
	return scope_selected(sequence, count, metric);
}
