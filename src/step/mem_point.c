/* mem_point.c: see mem_point.h: the evidence that all points of memory have in common. */
#include "step/mem_point.h"

void mem_fact_cell(struct facts *facts, const struct mem_cell *cell)
{
	if (cell->table)
		fact_cell(facts, cell->table, cell->row, cell->column, cell->reference_milli);
}

struct mem_told *mem_told_none(struct mem_told *told)
{
	static struct mem_told nobody;

	told = told ? told : &nobody;
	*told = (struct mem_told){ .median_milli = VALUE_NONE, .low_milli = VALUE_NONE, .high_milli = VALUE_NONE, .of_flushed_milli = VALUE_NONE };
	return told;
}

void mem_cell_begin(struct ctx *ctx, const struct mem_cell *cell, const char *unit)
{
	static struct facts facts;

	facts = (struct facts){ .count = 0 };
	mem_fact_cell(&facts, cell);
	emit_cell(ctx, cell->table ? &facts : NULL, unit);
}

void mem_cell_end(struct ctx *ctx)
{
	emit_cell(ctx, NULL, "");
}

void mem_tell_rounds(const struct samples *rounds, struct facts *facts, struct mem_told *told)
{
	struct summary summary;

	summary_of(rounds, &summary);
	summary_facts(&summary, facts);
	mem_told_none(told);
	told->is_told = summary.count;
	if (summary.count)
		told->median_milli = summary.median;
	if (summary.has_interval) {
		told->low_milli = summary.low;
		told->high_milli = summary.high;
	}
}
