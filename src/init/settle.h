/* settle.h: waiting until the drives of the board have appeared. */
#ifndef INIT_SETTLE_H
#define INIT_SETTLE_H

#include <stdint.h>

/* Waits least_ns at least, then until /sys/block has been the same for 200 ms and no NVMe controller is still starting;
 * 10 s more at most.  What is not there by then is missing, and board.identity says so. */
void settle_drives(uint64_t least_ns);

#endif
