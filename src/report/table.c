/* table.c: see table.h. */
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "report/scale.h"
#include "report/table.h"

enum { INDENT = 6, GAP = 2, NO_LABEL = TABLE_LABELS };

/* ---- while the step runs ---- */

static void move_up(uint16_t *label, unsigned from)
{
	*label = (uint16_t)(*label + (*label >= from));
}

/* Where a new label stands: behind the others, but before a greater number where both are numbers; what refers to the labels behind moves with them. */
static unsigned place_for(struct table_sink *sink, enum label_kind kind, unsigned table, const char *text)
{
	unsigned place = 0;
	uint64_t number, other;

	while (place < sink->label_count && (sink->labels[place].kind != kind || sink->labels[place].table != table || number_parse(text, &number) ||
	       number_parse(sink->labels[place].text, &other) || other <= number))
		place++;
	for (unsigned i = sink->label_count; i > place; i--) {
		sink->labels[i] = sink->labels[i - 1];
		move_up(&sink->labels[i].table, place);
	}
	for (unsigned i = 0; place < sink->label_count && i < sink->cell_count; i++) {
		move_up(&sink->cells[i].table, place);
		move_up(&sink->cells[i].row, place);
		move_up(&sink->cells[i].column, place);
	}
	sink->label_count++;
	return place;
}

/* The label's number, a new one if need be; NO_LABEL when there is no room. */
static unsigned label(struct table_sink *sink, enum label_kind kind, unsigned table, const char *text)
{
	unsigned i = 0;

	while (i < sink->label_count &&
	       (sink->labels[i].kind != kind || sink->labels[i].table != table || strcmp(sink->labels[i].text, text)))
		i++;
	if (i == sink->label_count && i < TABLE_LABELS) {
		i = place_for(sink, kind, table, text);
		sink->labels[i] = (struct table_label){ .kind = (uint8_t)kind, .table = (uint16_t)table };
		text_copy(sink->labels[i].text, sizeof sink->labels[i].text, text);
	}
	return i;
}

static struct table_cell *find_cell(struct table_sink *sink, unsigned row, unsigned column)
{
	for (unsigned i = sink->labels[row].last; i; i = sink->cells[i - 1].before)
		if (sink->cells[i - 1].column == column)
			return &sink->cells[i - 1];
	return NULL;
}

static const char *text_of(const struct event *event, const char *key)
{
	const char *text = fact_find_text(&event->facts, key);

	return text ? text : "";
}

static struct table_cell *cell_for(struct table_sink *sink, const struct event *event)
{
	unsigned table = label(sink, LABEL_TABLE, 0, fact_find_text(&event->facts, "table"));
	unsigned row = table == NO_LABEL ? NO_LABEL : label(sink, LABEL_ROW, table, text_of(event, "row"));
	unsigned column = row == NO_LABEL ? NO_LABEL : label(sink, LABEL_COLUMN, table, text_of(event, "column"));
	struct table_cell *cell;

	if (column == NO_LABEL)
		return NULL;
	row = label(sink, LABEL_ROW, table, text_of(event, "row")); /* it may have moved */
	cell = find_cell(sink, row, column);
	if (!cell && sink->cell_count < TABLE_CELLS) {
		cell = &sink->cells[sink->cell_count++];
		*cell = (struct table_cell){ .table = (uint16_t)table, .row = (uint16_t)row, .column = (uint16_t)column, .before = sink->labels[row].last };
		sink->labels[row].last = (uint16_t)sink->cell_count;
	}
	return cell;
}

static void add_cell(struct table_sink *sink, const struct judged *judged)
{
	const struct event *event = judged->event;
	const struct fact *reference = fact_find(&event->facts, "reference");
	struct table_cell *cell = cell_for(sink, event);

	if (!cell) {
		sink->cells_left_out++;
		return;
	}
	cell->outcome = (uint8_t)judged->outcome;
	cell->value_milli = event->kind == EVENT_FIGURE ? event->value_milli : VALUE_NONE;
	cell->reference_milli = reference ? reference->milli : VALUE_NONE;
	text_copy(cell->unit, sizeof cell->unit, event->unit);
}

static void add_claim(struct table_sink *sink, const struct event *event)
{
	if (sink->claim_count < TABLE_CLAIMS)
		claims_split(event, &sink->claims[sink->claim_count++]);
	else
		sink->claims_left_out++;
}

static int take_event(struct sink *sink, const struct judged *judged)
{
	if (judged->event->kind == EVENT_CLAIM)
		add_claim((struct table_sink *)sink, judged->event);
	else if (fact_find_text(&judged->event->facts, "table"))
		add_cell((struct table_sink *)sink, judged);
	return 0;
}

/* ---- when it ends ---- */

struct widths { unsigned value, reference, all; };

/* One table, as it is printed: lines down and columns across are labels of these kinds. */
struct view {
	struct table_sink *sink;
	unsigned table;
	enum label_kind down, across;
	unsigned down_width, width; /* of the labels of its lines, of the whole table */
	struct widths widths[TABLE_LABELS];
};

static int put(struct table_sink *sink, struct text *text)
{
	while (text->length && text->at[text->length - 1] == ' ')
		text->length--;
	text->at[text->length] = 0;
	text_add(text, "\n");
	return sink->output->write(sink->output, text->at, text->length);
}

/* The next label of that kind from i on; label_count behind the last. */
static unsigned next_label(const struct view *view, enum label_kind kind, unsigned i)
{
	while (i < view->sink->label_count && (view->sink->labels[i].kind != kind || view->sink->labels[i].table != view->table))
		i++;
	return i;
}

#define each_label(view, kind, i) \
	(unsigned i = next_label(view, kind, 0); i < (view)->sink->label_count; i = next_label(view, kind, i + 1))

static const struct table_cell *cell_at(const struct view *view, unsigned down, unsigned across)
{
	return view->down == LABEL_ROW ? find_cell(view->sink, down, across) : find_cell(view->sink, across, down);
}

static int64_t largest(const struct table_sink *sink, unsigned table, const char *unit)
{
	int64_t most = 0;

	for (unsigned i = 0; i < sink->cell_count; i++) {
		const struct table_cell *cell = &sink->cells[i];

		if (cell->table != table || strcmp(cell->unit, unit))
			continue;
		if (cell->value_milli > most)
			most = cell->value_milli;
		if (cell->reference_milli > most)
			most = cell->reference_milli;
	}
	return most;
}

/* Named by a text of the cell's: NULL when none does. */
static const struct scale *named_scale(const struct table_sink *sink, const struct table_cell *cell)
{
	const struct scale *scale = scale_named(sink->labels[cell->column].text, cell->unit);

	if (!scale)
		scale = scale_named(sink->labels[cell->row].text, cell->unit);
	return scale ? scale : scale_named(sink->labels[cell->table].text, cell->unit);
}

static const struct scale *scale_of(const struct table_sink *sink, const struct table_cell *cell)
{
	const struct scale *scale = named_scale(sink, cell);

	return scale ? scale : scale_for(largest(sink, cell->table, cell->unit), cell->unit);
}

/* Both parts of a cell: each is "" when there is nothing to show. */
struct shown { char value[32], reference[32]; };

static void show(const struct view *view, const struct table_cell *cell, struct shown *shown)
{
	static const char *const words[] = { [OUTCOME_SKIP] = "skip", [OUTCOME_ERROR] = "error", [OUTCOME_FAIL] = "fail" };
	struct text value = TEXT(shown->value), reference = TEXT(shown->reference);

	if (!cell)
		text_add(&value, "-");
	else if (cell->value_milli != VALUE_NONE)
		scale_add(&value, cell->value_milli, scale_of(view->sink, cell), false);
	else
		text_add(&value, cell->outcome < COUNT_OF(words) && words[cell->outcome] ? words[cell->outcome] : "-");
	if (!cell || cell->reference_milli == VALUE_NONE)
		return;
	text_add(&reference, "(");
	scale_add(&reference, cell->reference_milli, scale_of(view->sink, cell), true);
	text_add(&reference, ")");
}

static unsigned larger(unsigned a, size_t b)
{
	return b > a ? (unsigned)b : a;
}

static struct widths column_width(const struct view *view, unsigned across)
{
	struct widths widths = { 0 };
	struct shown shown;

	for each_label(view, view->down, down) {
		show(view, cell_at(view, down, across), &shown);
		widths.value = larger(widths.value, strlen(shown.value));
		widths.reference = larger(widths.reference, strlen(shown.reference));
	}
	widths.all = larger(widths.value + widths.reference + (widths.reference > 0), strlen(view->sink->labels[across].text));
	return widths;
}

static void lay_out(struct view *view)
{
	for each_label(view, view->down, down)
		view->down_width = larger(view->down_width, strlen(view->sink->labels[down].text));
	view->width = INDENT + view->down_width;
	for each_label(view, view->across, across) {
		view->widths[across] = column_width(view, across);
		view->width += GAP + view->widths[across].all;
	}
}

/* The title, and behind it the units that no text of the table names. */
static int put_title(const struct view *view)
{
	struct table_sink *sink = view->sink;
	char buffer[200], units[64];
	struct text text = TEXT(buffer), told = TEXT(units);

	for (unsigned i = 0; i < sink->cell_count; i++) {
		const struct table_cell *cell = &sink->cells[i];
		const struct scale *scale = scale_of(sink, cell);
		const char *word = scale ? scale->word : cell->unit;

		if (cell->table != view->table || !*word || !strcmp(word, "1") || named_scale(sink, cell) || text_in_list(units, ' ', word))
			continue;
		text_add_format(&told, "%s%s", told.length ? " " : "", word);
	}
	text_add_format(&text, "%*s%s%s%s", INDENT, "", sink->terminal ? "\033[1m" : "", sink->labels[view->table].text,
	                sink->terminal ? "\033[0m" : "");
	if (told.length)
		text_add_format(&text, " [%s]", units);
	return put(sink, &text);
}

static int put_head(const struct view *view, struct text text)
{
	text_add_format(&text, "%*s", INDENT + (int)view->down_width, "");
	for each_label(view, view->across, across)
		text_add_format(&text, "%*s", GAP + (int)view->widths[across].all, view->sink->labels[across].text);
	return put(view->sink, &text);
}

static int put_line(const struct view *view, unsigned down, struct text text)
{
	struct shown shown;

	text_add_format(&text, "%*s%-*s", INDENT, "", (int)view->down_width, view->sink->labels[down].text);
	for each_label(view, view->across, across) {
		const struct widths *widths = &view->widths[across];
		int reference = (int)(widths->reference + (widths->reference > 0));

		show(view, cell_at(view, down, across), &shown);
		text_add_format(&text, "%*s%*s", GAP + (int)widths->all - reference, shown.value, reference, shown.reference);
	}
	return put(view->sink, &text);
}

static int put_table(struct table_sink *sink, unsigned table)
{
	static char line[4096];
	static struct view view, turned; /* 6 KiB each */
	int err;

	view = (struct view){ .sink = sink, .table = table, .down = LABEL_ROW, .across = LABEL_COLUMN };
	turned = (struct view){ .sink = sink, .table = table, .down = LABEL_COLUMN, .across = LABEL_ROW };
	lay_out(&view);
	if (view.width > TABLE_WIDTH) {
		lay_out(&turned);
		if (turned.width < view.width)
			view = turned;
	}
	err = put_title(&view);
	if (!err)
		err = put_head(&view, TEXT(line));
	for each_label(&view, view.down, down)
		if (!err)
			err = put_line(&view, down, TEXT(line));
	return err;
}

static int put_left_out(struct table_sink *sink, unsigned count, const char *what, unsigned room)
{
	char buffer[128];
	struct text text = TEXT(buffer);

	if (!count)
		return 0;
	text_add_format(&text, "%*s%u more %s: there is room for %u; the record has them all", INDENT, "", count, what, room);
	return put(sink, &text);
}

static int step_end(struct sink *base, const char *name, enum outcome outcome, const char *reason, uint64_t time_ns)
{
	struct table_sink *sink = (struct table_sink *)base;
	int err = 0;

	(void)name;
	(void)outcome;
	(void)reason;
	(void)time_ns;
	for (unsigned i = 0; i < sink->label_count && !err; i++)
		if (sink->labels[i].kind == LABEL_TABLE)
			err = put_table(sink, i);
	if (!err)
		err = put_left_out(sink, sink->cells_left_out, "cells", TABLE_CELLS);
	if (!err)
		err = claims_put(sink->output, sink->claims, sink->claim_count);
	if (!err)
		err = put_left_out(sink, sink->claims_left_out, "claims", TABLE_CLAIMS);
	sink->cell_count = sink->label_count = sink->claim_count = sink->cells_left_out = sink->claims_left_out = 0;
	return err;
}

static const struct sink_ops ops = { .event = take_event, .step_end = step_end };

void table_sink_init(struct table_sink *sink, struct output *output, bool terminal)
{
	sink->cell_count = sink->label_count = sink->claim_count = sink->cells_left_out = sink->claims_left_out = 0;
	sink->sink.ops = &ops;
	sink->output = output;
	sink->terminal = terminal;
}
