/*
 * sequence.h: the fixed sequence as a table, made from sequence.def: a new step costs its own file and one line there.
 * LATER is a step that the design names and this version does not have: it is SKIP, and counted.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include "step.h"

extern const struct step *const sequence[]; /* ended by NULL */

const struct step *sequence_find(const char *name);                           /* NULL when there is none */
const char *sequence_name(unsigned index, const void *context);               /* for text_nearest; NULL behind the last */
const struct param *step_param(const struct step *step, const char *name);    /* NULL when it has none of that name */

#endif
