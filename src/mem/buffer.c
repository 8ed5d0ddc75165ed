/* buffer.c: see buffer.h. */
#include <errno.h>

#include "capacity.h"
#include "lib/number.h"
#include "mem/buffer.h"
#include "sys/cluster.h"
#include "sys/cpu.h"

enum { WORD_BYTES = 24 };

const char *buffer_page_word(enum map_page page)
{
	static char small[WORD_BYTES];
	struct text text = TEXT(small);

	switch (page) {
	case MAP_PAGE_THP: return "thp";
	case MAP_PAGE_2M: return "2m";
	case MAP_PAGE_1G: return "1g";
	case MAP_PAGE_SMALL: break;
	}
	number_add_size(&text, map_page_bytes());
	return small;
}

bool buffer_small_is_4k(void)
{
	return map_page_bytes() == 4 * KIB;
}

static uint64_t page_bytes(enum map_page page)
{
	switch (page) {
	case MAP_PAGE_THP:
	case MAP_PAGE_2M: return 2 * MIB;
	case MAP_PAGE_1G: return GIB;
	case MAP_PAGE_SMALL: break;
	}
	return map_page_bytes();
}

static bool is_from_pool(enum map_page page)
{
	return page == MAP_PAGE_2M || page == MAP_PAGE_1G;
}

uint64_t buffer_round(uint64_t bytes, enum map_page page)
{
	uint64_t unit = page_bytes(page);

	return (bytes + unit - 1) / unit * unit;
}

uint64_t buffer_room_bytes(enum map_page page)
{
	return is_from_pool(page) ? UINT64_MAX : map_budget_bytes(NULL) / 2;
}

int buffer_map(struct buffer *buffer, uint64_t bytes, enum map_page page)
{
	*buffer = (struct buffer){ .bytes = buffer_round(bytes, page), .page = page };
	return map_memory(buffer->bytes, page, &buffer->at);
}

void buffer_touch(void *at, uint64_t bytes)
{
	uint64_t step = map_page_bytes();

	for (uint64_t offset = 0; offset < bytes; offset += step)
		*((volatile char *)at + offset) = 0;
}

/* Where a touch would be SIGBUS, it is EFAULT. */
int buffer_fill_part(const struct buffer *buffer, void *at, uint64_t bytes)
{
	int err = 0;

	if (is_from_pool(buffer->page))
		err = map_populate(at, bytes);
	else
		buffer_touch(at, bytes);
	return err == -EFAULT ? -ENOMEM : err;
}

int buffer_fill(const struct buffer *buffer)
{
	return buffer_fill_part(buffer, buffer->at, buffer->bytes);
}

uint64_t buffer_huge_bytes(const struct buffer *buffer)
{
	uint64_t huge_bytes;

	if (buffer->page == MAP_PAGE_SMALL)
		return 0;
	if (buffer->page != MAP_PAGE_THP)
		return buffer->bytes;
	huge_bytes = map_huge_bytes(buffer->at);
	/* The kernel joins neighbouring maps, so that it may tell more than this one has. */
	return huge_bytes < buffer->bytes ? huge_bytes : buffer->bytes;
}

bool buffer_is_granted(const struct buffer *buffer, uint64_t huge_bytes)
{
	return buffer->page != MAP_PAGE_THP || huge_bytes >= buffer->bytes / 2;
}

static bool is_forbidden(int err)
{
	return err == -EPERM || err == -ENOSYS;
}

int buffer_get(struct buffer *buffer, uint64_t bytes, enum map_page page, int node, buffer_filler *fill)
{
	int err;

	if (buffer_map(buffer, bytes, page)) /* kernels differ in what they call it */
		return -ENOMEM;
	buffer->node_err = numa_bind(buffer->at, buffer->bytes, node);
	/* Where a container forbids it, the first touch puts memory on the CPU's own node, as far as there is room. */
	if (buffer->node_err && !(is_forbidden(buffer->node_err) && node == cpu_node((unsigned)cpu_current())))
		return -EXDEV;
	err = fill(buffer);
	if (err)
		return err;
	buffer->huge_bytes = buffer_huge_bytes(buffer);
	buffer->node_err = numa_check(buffer->at, buffer->bytes, node);
	if (buffer->node_err == -EXDEV)
		return -EXDEV;
	return buffer_is_granted(buffer, buffer->huge_bytes) ? 0 : -ENOTSUP;
}

void buffer_unmap(struct buffer *buffer)
{
	if (buffer->at)
		unmap_memory(buffer->at, buffer->bytes);
	buffer->at = NULL;
}

uint64_t buffer_last_cache_bytes(void)
{
	struct cpu_list all, sharers;
	uint64_t bytes = 0;

	cpu_allowed(&all);
	cluster_of(all.cpus[0], &all, &sharers);
	for (unsigned level = 4; level && !bytes; level--)
		bytes = cpu_cache_bytes_of(all.cpus[0], level);
	bytes = bytes ? bytes * ((all.count + sharers.count - 1) / sharers.count) : 32 * MIB;
	return bytes < 4 * GIB ? bytes : 4 * GIB; /* some firmware tells sizes of no sense */
}

bool buffer_may_fit_cache(uint64_t bytes)
{
	return bytes / 4 < buffer_last_cache_bytes();
}
