/* loss.h: did I/O fail because the device is gone, or ends earlier than it said?  For who runs a job: engine.c, and a step with I/O of its own. */
#ifndef BLOCK_LOSS_H
#define BLOCK_LOSS_H

#include "block/engine.h"

/*
 * Behind the end of a block device reads are short and writes find "no space", be it shrunk or unplugged.  After a job with
 * errors its size is asked again: device_gone and shrunk_bytes are set, and ENOSPC is then the device's fault.
 */
void block_judge_loss(const struct block_job *job, struct block_result *result);

#endif
