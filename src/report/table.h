/*
 * table.h: what a study found, for people, when its step ends: its tables beside the study's own figures, then its claims.
 *
 * A cell is an event with the texts `table`, `row` and `column` (fact_cell of event.h); tables, rows and columns stand in the order
 * in which they appeared, rows and columns that are numbers by their value.  A value has four digits that count, in the unit that the column's, the row's or the table's text names
 * ("MB/s", "us"), else in one for the whole table, by its largest value, told behind the title; the study's own figure stands in
 * brackets.  "-" is a cell that never came, "skip", "error" and "fail" one that has no value.  A table that is too wide is turned.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>

#include "lib/output.h"
#include "report/claims.h"
#include "sink.h"

/* Room for three matrices of 64 CPUs, and a study beside them: what is not used is not touched. */
enum { TABLE_CELLS = 3 * 64 * 64 + 512, TABLE_LABELS = 3 * (1 + 2 * 64) + 125, TABLE_CLAIMS = 16, TABLE_WIDTH = 110 };

enum label_kind { LABEL_TABLE, LABEL_ROW, LABEL_COLUMN };

struct table_label {
	uint8_t kind;
	uint16_t table;        /* of rows and columns: the label of their table */
	uint16_t last;         /* of rows: their latest cell, from 1; 0: none */
	char text[sizeof((struct text_fact *)0)->text];
};

struct table_cell {
	int64_t value_milli, reference_milli;
	char unit[8];
	uint8_t outcome;       /* enum outcome, why there is no value */
	uint16_t table, row, column; /* labels */
	uint16_t before;       /* the row's cell before it, as last */
};

struct table_sink {
	struct sink sink;
	struct output *output;
	bool terminal;
	/* of the running step */
	unsigned cell_count, label_count, claim_count;
	unsigned cells_left_out, claims_left_out;
	struct table_label labels[TABLE_LABELS];
	struct table_cell cells[TABLE_CELLS];
	struct claim_text claims[TABLE_CLAIMS];
};

/* For text only, and behind the console, which clears its progress line first. */
void table_sink_init(struct table_sink *sink, struct output *output, bool terminal);

#endif
