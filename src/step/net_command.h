/* net_command.h: the step behind `assay net PEER`; it stands in no sequence. */
#ifndef NET_COMMAND_H
#define NET_COMMAND_H

#include "step.h"

extern const struct step step_net;

#endif
