/* plot.c: see plot.h. */
#include <string.h>

#include "lib/text.h"
#include "report/plot.h"
#include "report/scale.h"

static const int64_t most_drawn_milli = INT64_MAX / 1000; /* and so high what is beyond it */
enum { INDENT = 6, LABEL = 8, TICKS = 4, ACROSS = PLOT_WIDTH / TICKS, UP = PLOT_HEIGHT / TICKS };

/* ---- while the step runs ---- */

/* NULL: there is no room. */
static struct plot *plot_for(struct plot_sink *sink, const struct event *event, const char *title)
{
	struct plot *plot = sink->plots, *end = plot + sink->plot_count;

	while (plot < end && strcmp(plot->title, title))
		plot++;
	if (plot == end && sink->plot_count++ < PLOT_MAX) {
		*plot = (struct plot){ .curve_count = 0 };
		text_copy(plot->title, sizeof plot->title, title);
		text_copy(plot->unit, sizeof plot->unit, event->unit);
	}
	if (sink->plot_count <= PLOT_MAX)
		return plot;
	sink->plot_count = PLOT_MAX;
	return NULL;
}

/* Its number; PLOT_CURVES: there is no room. */
static unsigned curve_for(struct plot *plot, const char *name)
{
	unsigned i = 0;

	while (i < plot->curve_count && strcmp(plot->curves[i], name))
		i++;
	if (i == plot->curve_count && i < PLOT_CURVES)
		text_copy(plot->curves[plot->curve_count++], sizeof plot->curves[i], name);
	return i;
}

static int take_event(struct sink *base, const struct judged *judged)
{
	struct plot_sink *sink = (struct plot_sink *)base;
	const struct event *event = judged->event;
	const char *title = fact_find_text(&event->facts, "plot"), *name = fact_find_text(&event->facts, "curve");
	const struct fact *across = fact_find(&event->facts, "across");
	struct plot *plot;
	unsigned curve;

	if (event->kind != EVENT_FIGURE || event->value_milli == VALUE_NONE || !title || !name || !across)
		return 0;
	plot = plot_for(sink, event, title);
	curve = plot ? curve_for(plot, name) : PLOT_CURVES;
	if (curve == PLOT_CURVES || sink->point_count == PLOT_POINTS)
		sink->left_out++;
	else
		sink->points[sink->point_count++] = (struct plot_point){ .across_milli = across->milli, .up_milli = event->value_milli,
		                                                         .plot = (uint8_t)(plot - sink->plots), .curve = (uint8_t)curve };
	return 0;
}

/* ---- when it ends ---- */

struct drawing {
	struct plot_sink *sink;
	unsigned plot;
	int64_t step_across_milli, step_up_milli; /* between two ticks */
	const struct scale *scale;
	char cells[PLOT_HEIGHT + 1][PLOT_WIDTH + 1];
};

/* A number that is easy to read, of which TICKS reach most. */
static int64_t nice_step(int64_t most_milli)
{
	static const uint8_t tenths[] = { 10, 15, 20, 25, 30, 40, 50, 60, 80 };

	for (int64_t power = 1; ; power *= 10)
		for (unsigned i = 0; i < COUNT_OF(tenths); i++)
			if (power * tenths[i] / 10 * TICKS >= most_milli)
				return power * tenths[i] / 10;
}

static void find_steps(struct drawing *drawing)
{
	const struct plot_sink *sink = drawing->sink;
	int64_t across = 0, up = 0;

	for (unsigned i = 0; i < sink->point_count; i++) {
		const struct plot_point *point = &sink->points[i];

		if (point->plot != drawing->plot)
			continue;
		across = point->across_milli > across ? point->across_milli : across;
		up = point->up_milli > up ? point->up_milli : up;
	}
	across = across < most_drawn_milli ? across : most_drawn_milli;
	up = up < most_drawn_milli ? up : most_drawn_milli;
	drawing->scale = scale_named(sink->plots[drawing->plot].title, sink->plots[drawing->plot].unit);
	drawing->step_across_milli = nice_step(across);
	drawing->step_up_milli = nice_step(up);
}

/* To the nearest cell.  What is below 0 lies on the axis. */
static unsigned place(int64_t milli, int64_t step_milli, unsigned cells)
{
	if (milli >= TICKS * step_milli)
		return TICKS * cells;
	return milli <= 0 ? 0 : (unsigned)((milli * cells + step_milli / 2) / step_milli);
}

static void set_points(struct drawing *drawing)
{
	for (unsigned i = 0; i < drawing->sink->point_count; i++) {
		const struct plot_point *point = &drawing->sink->points[i];
		char letter = (char)('A' + point->curve), *cell;

		if (point->plot != drawing->plot)
			continue;
		cell = &drawing->cells[place(point->up_milli, drawing->step_up_milli, UP)][place(point->across_milli, drawing->step_across_milli, ACROSS)];
		*cell = !*cell || *cell == letter ? letter : '*';
	}
}

static int put(struct plot_sink *sink, struct text *text)
{
	while (text->length && text->at[text->length - 1] == ' ')
		text->length--;
	text->at[text->length] = 0;
	text_add(text, "\n");
	return sink->output->write(sink->output, text->at, text->length);
}

static int put_line(const struct drawing *drawing, unsigned row)
{
	char buffer[128], number[24] = "";
	struct text text = TEXT(buffer), label = TEXT(number);

	if (row % UP == 0)
		scale_add(&label, drawing->step_up_milli * (row / UP), drawing->scale, true);
	text_add_format(&text, "%*s%*s %c", INDENT, "", LABEL, number, row % UP ? '|' : '+');
	for (unsigned i = 0; i <= PLOT_WIDTH; i++)
		text_add_format(&text, "%c", drawing->cells[row][i] ? drawing->cells[row][i] : row ? ' ' : i && i % ACROSS == 0 ? '+' : '-');
	return put(drawing->sink, &text);
}

static int put_across(const struct drawing *drawing)
{
	char buffer[128];
	struct text text = TEXT(buffer);

	text_add_format(&text, "%*s", INDENT + LABEL + 2, "");
	for (unsigned i = 0; i <= TICKS; i++) {
		char number[24];
		struct text label = TEXT(number);

		scale_add(&label, drawing->step_across_milli * i, NULL, true);
		text_add_format(&text, "%-*s", ACROSS, number);
	}
	return put(drawing->sink, &text);
}

static int put_legend(const struct drawing *drawing)
{
	const struct plot *plot = &drawing->sink->plots[drawing->plot];
	char buffer[PLOT_CURVES * (sizeof plot->curves[0] + 6) + INDENT + 32];
	struct text text = TEXT(buffer);

	text_add_format(&text, "%*s", INDENT, "");
	for (unsigned i = 0; i < plot->curve_count; i++)
		text_add_format(&text, "%c %s   ", (char)('A' + i), plot->curves[i]);
	if (plot->curve_count > 1)
		text_add(&text, "* several");
	return put(drawing->sink, &text);
}

static int draw(struct plot_sink *sink, unsigned plot)
{
	static struct drawing drawing;
	char buffer[128];
	struct text text = TEXT(buffer);
	int err;

	drawing = (struct drawing){ .sink = sink, .plot = plot };
	find_steps(&drawing);
	set_points(&drawing);
	text_add_format(&text, "%*s%s", INDENT, "", sink->plots[plot].title);
	err = put(sink, &text);
	for (unsigned row = PLOT_HEIGHT + 1; row-- && !err; )
		err = put_line(&drawing, row);
	if (!err)
		err = put_across(&drawing);
	return err ? err : put_legend(&drawing);
}

static int step_end(struct sink *base, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct plot_sink *sink = (struct plot_sink *)base;
	char buffer[128];
	struct text text = TEXT(buffer);
	int err = 0;

	(void)name;
	(void)outcome;
	(void)reason;
	(void)time_ns;
	for (unsigned i = 0; i < sink->plot_count && !err; i++)
		err = draw(sink, i);
	text_add_format(&text, "%*s%u more points: there is room for %u plots, %u curves each, %u points; the record has them all",
	                INDENT, "", sink->left_out, PLOT_MAX, PLOT_CURVES, PLOT_POINTS);
	if (!err && sink->left_out)
		err = put(sink, &text);
	sink->plot_count = sink->point_count = sink->left_out = 0;
	return err;
}

static const struct sink_ops ops = { .event = take_event, .step_end = step_end };

void plot_sink_init(struct plot_sink *sink, struct output *output)
{
	memset(sink, 0, sizeof *sink);
	sink->sink.ops = &ops;
	sink->output = output;
}
