/* pagemap.c: Documentation/admin-guide/mm/pagemap.rst: an entry's bits 0-54 are the page frame (0 to the unprivileged), bit 63 says that it is there. */
#include <errno.h>
#include <fcntl.h>

#include "mem/pagemap.h"
#include "sys/call.h"
#include "sys/map.h"

static const uint64_t frame_mask = (1ull << 55) - 1, present = 1ull << 63;

/* A page that is not there is touched and asked for once more. */
static int read_page(int fd, void *at, uint64_t *address)
{
	uint64_t page_bytes = map_page_bytes(), entry = 0;

	for (unsigned i = 0; i < 2; i++) {
		ssize_t got = sys_pread(fd, &entry, sizeof(entry), (uintptr_t)at / page_bytes * sizeof(entry));

		if (got != sizeof(entry))
			return got < 0 ? (int)got : -EIO;
		if (entry & present)
			break;
		__atomic_fetch_or((unsigned char *)at, 0, __ATOMIC_RELAXED); /* a write, and nobody's word is lost */
	}
	*address = (entry & frame_mask) * page_bytes;
	return *address ? 0 : -EPERM;
}

int pagemap_snapshot(void *at, uint64_t bytes, uint64_t *pages)
{
	int fd = sys_open("/proc/self/pagemap", O_RDONLY, 0), err = fd < 0 ? fd : 0;

	for (uint64_t i = 0; !err && i < bytes / map_page_bytes(); i++)
		err = read_page(fd, (char *)at + i * map_page_bytes(), &pages[i]);
	if (fd >= 0)
		sys_close(fd);
	return err;
}

uint64_t pagemap_address(const void *at)
{
	uint64_t within = (uintptr_t)at % map_page_bytes(), page;

	return pagemap_snapshot((char *)at - within, map_page_bytes(), &page) ? 0 : page + within;
}
