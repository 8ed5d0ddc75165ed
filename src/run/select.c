/*
 * select.c: which steps a run has, and whether all that names a step, a parameter or a figure names one that exists: before
 * anything is tested.
 */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "run/scope.h"
#include "run/session.h"
#include "step/sequence.h"

static int unknown_step(const char *name, char *fault, unsigned fault_size)
{
	const char *nearest = text_nearest(name, sequence_name, NULL);
	struct text text = text_in(fault, fault_size);

	text_add_format(&text, "no step \"%s\"", name);
	if (nearest)
		text_add_format(&text, " (did you mean %s?)", nearest);
	return -EINVAL;
}

static int check_names(const char *list, char *fault, unsigned fault_size)
{
	char name[48];

	for (size_t n; *list; list += n + (list[n] == ',')) {
		struct text text = TEXT(name);

		n = strcspn(list, ",");
		text_add_bytes(&text, list, n);
		if (!sequence_find(name))
			return unknown_step(name, fault, fault_size);
	}
	return 0;
}

static bool any_needs(const struct session *session, unsigned needs)
{
	for (unsigned i = 0; i < session->step_count; i++)
		if (session->steps[i]->needs & needs)
			return true;
	return false;
}

int session_select(struct session *session, char *fault, unsigned fault_size)
{
	const char *only = session->options->only, *skip = session->options->skip;

	if (check_names(only, fault, fault_size) || check_names(skip, fault, fault_size))
		return -EINVAL;
	session->step_count = 0;
	for (unsigned i = 0; sequence[i]; i++)
		if (*only ? text_in_list(only, ',', sequence[i]->name) : !text_in_list(skip, ',', sequence[i]->name))
			session->steps[session->step_count++] = sequence[i];
	/* Without a peer a declared port is not measured whole. */
	session->partial = *only || *skip || (!*session->options->peer && session->board->network_count && any_needs(session, NEEDS_NETWORK));
	return 0;
}

static const char *param_name(unsigned index, const void *context)
{
	const struct param *params = context;

	return params && params[index].type ? params[index].name : NULL;
}

/* A board file may speak of steps to come; --set may not. */
static int check_setting(const char *step_name, const char *param, bool may_be_later, const char *where, char *fault, unsigned fault_size)
{
	const struct step *step = sequence_find(step_name);
	struct text text = text_in(fault, fault_size);
	const char *nearest;

	text_add(&text, where);
	if (!step)
		return unknown_step(step_name, fault + text.length, fault_size - (unsigned)text.length);
	if (step_param(step, param) || (!step->run && may_be_later))
		return 0;
	if (!step->run) {
		text_add_format(&text, "%s is not in this version", step_name);
		return -EINVAL;
	}
	text_add_format(&text, "%s has no parameter \"%s\"", step_name, param);
	nearest = text_nearest(param, param_name, step->params);
	if (nearest)
		text_add_format(&text, " (did you mean %s?)", nearest);
	return -EINVAL;
}

/* A limit that no step can meet would never be judged, and nobody would notice. */
static int check_limit(const struct board *board, const struct limit *limit, char *fault, unsigned fault_size)
{
	if (scope_known(limit->metric))
		return 0;
	text_format(fault, fault_size, "%s:%u:%u: no step brings a figure named %s", board->source, limit->line, limit->column, limit->metric);
	return -EINVAL;
}

int session_check_params(const struct session *session, char *fault, unsigned fault_size)
{
	static struct ctx ctx;

	for (unsigned i = 0; i < session->options->set_count; i++)
		if (check_setting(session->options->sets[i].step, session->options->sets[i].param, false, "--set: ", fault, fault_size))
			return -EINVAL;
	for (unsigned i = 0; i < session->board->param_count; i++) {
		const struct board_param *own = &session->board->params[i];
		char where[200];
		struct text text = TEXT(where);

		text_add_format(&text, "%s:%u:%u: ", session->board->source, own->line, own->column);
		if (check_setting(own->step, own->param, true, where, fault, fault_size))
			return -EINVAL;
	}
	for (unsigned i = 0; i < session->board->limit_count; i++)
		if (check_limit(session->board, &session->board->limits[i], fault, fault_size))
			return -EINVAL;
	for (unsigned i = 0; sequence[i]; i++)
		if (session_prepare(session, sequence[i], &ctx, fault, fault_size))
			return -EINVAL;
	return 0;
}
