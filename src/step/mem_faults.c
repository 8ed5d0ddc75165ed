/* mem_faults.c: see mem_faults.h. */
#include "lib/text.h"
#include "step/mem_faults.h"

typedef unsigned long long number;

static void add_place(struct text *text, uint64_t offset_bytes, uint64_t physical_bytes)
{
	text_add_format(text, "offset 0x%llx (physical ", (number)offset_bytes);
	text_add_format(text, physical_bytes ? "0x%llx)" : "unknown)", (number)physical_bytes);
}

static void add_classes(struct text *text, const struct integrity_result *result)
{
	text_add_format(text, "%u looked at:", result->looked);
	for (unsigned i = 0; i < FAULT_CLASSES; i++)
		if (result->classes[i])
			text_add_format(text, " %s %u", fault_word((enum fault_class)i), result->classes[i]);
}

static void tell_look(struct ctx *ctx, const char *pattern, const struct fault *fault)
{
	char what[MAX_MESSAGE];
	struct text text = TEXT(what);

	text_add_format(&text, "%s: %s: ", pattern, fault_word((enum fault_class)fault->kind));
	add_place(&text, fault->offset_bytes, fault->physical_bytes);
	text_add_format(&text, ": expected 0x%016llx, CPU %u found 0x%016llx", (number)fault->expected, fault->cpu, (number)fault->found);
	if (fault->other_cpu != fault->cpu)
		text_add_format(&text, ", CPU %u 0x%016llx", fault->other_cpu, (number)fault->elsewhere);
	text_add_format(&text, ", again 0x%016llx, flushed 0x%016llx", (number)fault->again, (number)fault->flushed);
	if (fault->flushed != fault->expected)
		text_add_format(&text, ", inverted 0x%016llx, rewritten 0x%016llx", (number)fault->inverted, (number)fault->rewritten);
	if (fault->kind == FAULT_ADDRESS) {
		text_add_format(&text, "; %s ", fault->is_proven ? "is the same as" : "holds what belongs to");
		add_place(&text, fault->partner_bytes, fault->partner_physical_bytes);
		text_add_format(&text, ", lines 0x%llx", (number)(fault->offset_bytes ^ fault->partner_bytes));
		if (fault->physical_bytes && fault->partner_physical_bytes)
			text_add_format(&text, ", physical 0x%llx", (number)(fault->physical_bytes ^ fault->partner_physical_bytes));
	}
	emit_log(ctx, "%s", what);
}

void mem_faults_tell(struct ctx *ctx, const char *metric, const struct point *point, const struct integrity_result *result, bool is_judged,
                     const char *injected)
{
	const struct fault *first = &result->faults[0];
	char what[MAX_MESSAGE];
	struct text text = TEXT(what);

	if (injected)
		text_add_format(&text, "injected on purpose (%s): ", injected);
	text_add_format(&text, "wrong words: %llu, differing in 0x%016llx; ", (number)result->errors, (number)result->differing);
	add_classes(&text, result);
	text_add(&text, "; the first at ");
	add_place(&text, first->offset_bytes, first->physical_bytes);
	text_add_format(&text, ": expected 0x%016llx, found 0x%016llx by CPU %u, written by CPU %u: %s", (number)first->expected, (number)first->found,
	                first->cpu, first->writer, fault_word((enum fault_class)first->kind));
	if (is_judged)
		emit_log(ctx, "%s: %s", point->value, what);
	else
		emit_fail(ctx, metric, point, "%s", what);
	for (unsigned i = 0; i < result->looked; i++)
		tell_look(ctx, point->value, &result->faults[i]);
}
