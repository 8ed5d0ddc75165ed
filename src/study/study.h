/*
 * study.h: the studies as a table, made from study.def; each is a step of its own, named "study.NAME", that a command runs alone.
 * LATER is one that the design names and this version does not have.
 */
#ifndef STUDY_H
#define STUDY_H

#include "step.h"

extern const struct step *const studies[]; /* ended by NULL */

const struct step *study_find(const char *name);             /* "edge-nvme"; NULL when there is none */
const char *study_name(unsigned index, const void *context); /* "edge-nvme", ..., for text_nearest; NULL behind the last */

#endif
