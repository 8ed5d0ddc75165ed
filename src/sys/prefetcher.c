/* prefetcher.c: see prefetcher.h; a CPU that has no switch for them. */
#include <errno.h>

#include "lib/text.h"
#include "sys/prefetcher.h"

int prefetcher_off(unsigned cpu, char *how, unsigned how_size)
{
	(void)cpu;
	text_copy(how, how_size, "on: no way to switch them off on this CPU; the order is random");
	return -ENOTSUP;
}

void prefetcher_restore(unsigned cpu)
{
	(void)cpu;
}
