/* mem_point.c: see mem_point.h: the evidence that all points of memory have in common. */
#include "step/mem_point.h"

void mem_fact_cell(struct facts *facts, const struct mem_cell *cell)
{
	if (cell->table)
		fact_cell(facts, cell->table, cell->row, cell->column, cell->reference_milli);
}

void mem_tell_rounds(const struct samples *rounds, struct facts *facts, struct mem_told *told)
{
	struct summary summary;

	summary_of(rounds, &summary);
	summary_facts(&summary, facts);
	*told = (struct mem_told){ .is_told = summary.count, .median_milli = summary.count ? summary.median : VALUE_NONE,
	                           .low_milli = summary.has_interval ? summary.low : VALUE_NONE,
	                           .high_milli = summary.has_interval ? summary.high : VALUE_NONE };
}
