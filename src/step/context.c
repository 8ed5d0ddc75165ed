/* context.c: a step's parameters and surroundings. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/text.h"
#include "step/context.h"
#include "sys/call.h"

const struct board *ctx_board(const struct ctx *ctx) { return ctx->board; }
const struct identity *ctx_identity(const struct ctx *ctx) { return ctx->identity; }
const struct scratch *ctx_scratch(const struct ctx *ctx) { return ctx->scratch; }
int ctx_kernel_log(const struct ctx *ctx) { return ctx->kernel_log; }
uint64_t ctx_write_left(const struct ctx *ctx)
{
	if (ctx->write_left_bytes == UINT64_MAX)
		return UINT64_MAX;
	return ctx->write_left_bytes > ctx->plan_write_bytes ? ctx->write_left_bytes - ctx->plan_write_bytes : 0;
}

const char *ctx_peer(const struct ctx *ctx) { return ctx->peer ? ctx->peer : ""; }
uint64_t ctx_seed(const struct ctx *ctx) { return ctx->seed; }
uint64_t ctx_start_throttles(const struct ctx *ctx) { return ctx->start_throttles; }

bool ctx_judges(const struct ctx *ctx, const char *metric, const struct point *points)
{
	static struct event figure;
	char name[MAX_METRIC];
	const struct limit *limit;

	text_copy(figure.metric, sizeof figure.metric, metric);
	figure.point_count = 0;
	for (; points && points->key[0] && figure.point_count < MAX_POINTS; points++)
		figure.points[figure.point_count++] = *points;
	event_metric_name(&figure, name, sizeof name);
	limit = board_limit(ctx->board, name);
	return limit && (limit->has_min || limit->has_max);
}

bool ctx_start_counter(const struct ctx *ctx, const char *name, int64_t *milli)
{
	for (unsigned i = 0; i < ctx->counters->count; i++)
		if (!strcmp(ctx->counters->at[i].name, name)) {
			*milli = ctx->counters->at[i].milli;
			return true;
		}
	return false;
}

bool ctx_put_aside(const struct ctx *ctx, const char *device)
{
	for (unsigned i = 0; i < ctx->put_aside->count; i++)
		if (!strcmp(ctx->put_aside->devices[i], device))
			return true;
	return false;
}

const struct param_value *param_values(const struct ctx *ctx, unsigned param)
{
	return &ctx->params[param];
}

uint64_t param_number(const struct ctx *ctx, unsigned param)
{
	return ctx->params[param].numbers[0];
}

const char *param_string(const struct ctx *ctx, unsigned param)
{
	return ctx->params[param].text;
}

const char *param_text(const struct ctx *ctx, unsigned param, unsigned index, char *word, unsigned size)
{
	param_word(&ctx->step->params[param], ctx->params[param].numbers[index], word, size);
	return word;
}

static const char *default_of(const struct param *param, enum level level)
{
	if (level == LEVEL_LONG && param->def_long)
		return param->def_long;
	if (level >= LEVEL_MEDIUM && param->def_medium)
		return param->def_medium;
	return param->def;
}

static const struct board_param *board_param(const struct board *board, const char *step, const char *param)
{
	for (unsigned i = 0; i < board->param_count; i++)
		if (!strcmp(board->params[i].step, step) && !strcmp(board->params[i].param, param))
			return &board->params[i];
	return NULL;
}

/* The last --set of a parameter wins, as it does in most command lines. */
static const struct setting *setting_of(const struct setting *settings, unsigned count, const char *step, const char *param)
{
	for (unsigned i = count; i-- > 0; )
		if (!strcmp(settings[i].step, step) && !strcmp(settings[i].param, param))
			return &settings[i];
	return NULL;
}

static int resolve(struct ctx *ctx, const struct param *param, struct param_value *value, enum level level,
                   const struct setting *set, char *fault, unsigned fault_size)
{
	const struct board_param *own = board_param(ctx->board, ctx->step->name, param->name);
	char what[160];

	if (set && param_parse(param, set->value, value, what, sizeof what)) {
		struct text out = text_in(fault, fault_size);
		text_add_format(&out, "--set %s.%s", ctx->step->name, what);
		return -EINVAL;
	}
	if (set)
		return 0;
	if (own && param_parse(param, own->value, value, what, sizeof what)) {
		struct text out = text_in(fault, fault_size);
		text_add_format(&out, "%s:%u:%u: %s.%s", ctx->board->source, own->line, own->column, ctx->step->name, what);
		return -EINVAL;
	}
	return own ? 0 : param_parse(param, default_of(param, level), value, fault, fault_size);
}

int context_params(struct ctx *ctx, enum level level, const struct setting *settings, unsigned count,
                   char *fault, unsigned fault_size)
{
	for (unsigned i = 0; ctx->step->params && ctx->step->params[i].type; i++) {
		const struct param *param = &ctx->step->params[i];
		int err = resolve(ctx, param, &ctx->params[i], level, setting_of(settings, count, ctx->step->name, param->name),
		                  fault, fault_size);
		if (err)
			return err;
	}
	return 0;
}

bool planned(struct ctx *ctx, uint64_t time_ns, uint64_t write_bytes)
{
	ctx->plan_ns += time_ns;
	ctx->plan_write_bytes += write_bytes;
	return ctx->dry;
}

void context_send(struct ctx *ctx, const struct event *event)
{
	if (sys_write_all(ctx->event_fd, event, sizeof *event))
		_exit(2);
}
