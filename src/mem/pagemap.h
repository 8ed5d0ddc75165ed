/*
 * pagemap.h: physical addresses, as far as the kernel tells them (/proc/self/pagemap; it asks for CAP_SYS_ADMIN).
 */
#ifndef PAGEMAP_H
#define PAGEMAP_H

#include <stdint.h>

/* The physical address of a byte; 0 when the kernel does not tell. */
uint64_t pagemap_address(const void *at);

/* Those of each page of [at, at + bytes), a whole number of pages, each touched when it is not there yet.  They hold until the kernel moves a page.
 * 0; -EPERM when the kernel does not tell them; any other -errno. */
int pagemap_snapshot(void *at, uint64_t bytes, uint64_t *pages);

#endif
