/* block_command.h: the step behind `assay block DEV`; it stands in no sequence. */
#ifndef BLOCK_COMMAND_H
#define BLOCK_COMMAND_H

#include "step.h"

extern const struct step step_block;

/* Do the parameters of a context that is prepared for step_block ask for writing? */
bool block_command_writes(const struct ctx *ctx);

#endif
