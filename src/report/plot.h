/*
 * plot.h: curves drawn for people, in plain characters, when a step ends.
 *
 * A point is a figure with the texts `plot` and `curve` (fact_curve of event.h): all curves of one title stand in one drawing, each by a letter
 * in the order in which they appeared; `*` is where two of them fall together.  Both axes begin at 0.  The height is in the unit that the title
 * names ("ns"), else the figure's own; what lies across is as it was given.  A figure without a value has no point.
 */
#ifndef PLOT_H
#define PLOT_H

#include "lib/output.h"
#include "sink.h"

enum { PLOT_MAX = 8, PLOT_CURVES = 8, PLOT_POINTS = 512, PLOT_WIDTH = 64, PLOT_HEIGHT = 16 };

struct plot {
	char title[sizeof((struct text_fact *)0)->text], unit[sizeof((struct event *)0)->unit];
	unsigned curve_count;
	char curves[PLOT_CURVES][sizeof((struct text_fact *)0)->text];
};

struct plot_point { int64_t across_milli, up_milli; uint8_t plot, curve; };

struct plot_sink {
	struct sink sink;
	struct output *output;
	/* of the running step */
	unsigned plot_count, point_count, left_out;
	struct plot plots[PLOT_MAX];
	struct plot_point points[PLOT_POINTS];
};

/* For text only, and behind the console, which clears its progress line first. */
void plot_sink_init(struct plot_sink *sink, struct output *output);

#endif
