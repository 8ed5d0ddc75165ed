/* scale.h: in which unit a table shows a figure: MB/s for B/s, us for ns, kIOPS for 1/s. */
#ifndef SCALE_H
#define SCALE_H

#include "lib/text.h"

struct scale {
	const char *word; /* as people and titles write it */
	const char *unit; /* of the figure */
	uint64_t factor;
	bool named;       /* only where a title asks for it */
};

/* The scale for unit that stands in text as a word of its own; NULL: none. */
const struct scale *scale_named(const char *text, const char *unit);
/* The largest power of thousand that is not above the value; NULL: the unit itself. */
const struct scale *scale_for(int64_t largest_milli, const char *unit);
/* The value in that scale (NULL: as it is) with four digits that count, more only before the point; zeros at the end are left out when trimmed. */
void scale_add(struct text *text, int64_t milli, const struct scale *scale, bool trimmed);

#endif
