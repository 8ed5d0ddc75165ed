/*
 * map.c: maps by mmap, the budget from /proc/meminfo, the memory cgroups and the nodes that this process is bound to.
 *
 * Everything here speaks of the machine it runs on, so --sysroot plays no part.
 * Method of the budget: Documentation/admin-guide/cgroup-v2.rst (memory.max, memory.current, memory.stat) and
 * cgroup-v1/memory.rst (memory.limit_in_bytes and so on); a page of an inactive file is given back when asked for.
 * Nodes: cpuset(7) (Mems_allowed_list of /proc/self/status), get_mempolicy(2), Documentation/ABI/stable/sysfs-devices-node.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>

#include "capacity.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/map.h"
#include "sys/numa.h"

/* linux/mman.h and libc's sys/mman.h do not go together. */
enum { HUGE_2M = 21 << 26, HUGE_1G = 30 << 26, POPULATE_WRITE = 23 };

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static int map_anonymous(size_t bytes, int flags, void **at)
{
	long address = sys_call(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1L, 0L);

	if (address < 0 && address > -4096)
		return address;
	*at = (void *)address;
	return 0;
}

/* Maps one unit more and gives back what lies outside the aligned part. */
static int map_aligned(size_t bytes, size_t unit, void **at)
{
	size_t spare;
	void *all;
	int err = map_anonymous(bytes + unit, MAP_PRIVATE, &all);

	if (err)
		return err;
	spare = round_up((uintptr_t)all, unit) - (uintptr_t)all;
	*at = (char *)all + spare;
	if (spare)
		munmap(all, spare);
	munmap((char *)*at + bytes, unit - spare);
	return 0;
}

int map_memory(size_t bytes, enum map_page page, void **at)
{
	int err;

	*at = NULL;
	switch (page) {
	case MAP_PAGE_2M:
		return map_anonymous(round_up(bytes, 2 * MIB), MAP_PRIVATE | MAP_HUGETLB | HUGE_2M, at);
	case MAP_PAGE_1G:
		return map_anonymous(round_up(bytes, GIB), MAP_PRIVATE | MAP_HUGETLB | HUGE_1G, at);
	default:
		break;
	}
	bytes = round_up(bytes, map_page_bytes());
	err = page == MAP_PAGE_THP ? map_aligned(bytes, 2 * MIB, at) : map_anonymous(bytes, MAP_PRIVATE, at);
	if (!err)
		madvise(*at, bytes, page == MAP_PAGE_THP ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return err;
}

int map_shared(size_t bytes, void **at)
{
	*at = NULL;
	return map_anonymous(round_up(bytes, map_page_bytes()), MAP_SHARED, at);
}

/* The kernel refuses part of a huge page, so the right unit is the first one that it takes. */
void unmap_memory(void *at, size_t bytes)
{
	if (!at || !bytes)
		return;
	if (munmap(at, round_up(bytes, map_page_bytes())) && munmap(at, round_up(bytes, 2 * MIB)))
		munmap(at, round_up(bytes, GIB));
}

/* Before 5.14 there is only mlock to have the kernel do it. */
int map_populate(void *at, size_t bytes)
{
	long err = sys_call(SYS_madvise, at, bytes, (long)POPULATE_WRITE);

	if (err != -EINVAL)
		return (int)err;
	err = sys_call(SYS_mlock, at, bytes);
	if (!err)
		sys_call(SYS_munlock, at, bytes);
	return (int)err;
}

uint64_t map_page_bytes(void)
{
	return getauxval(AT_PAGESZ);
}

struct huge_search { uintptr_t address; bool inside; uint64_t bytes; };

static int find_huge(char *line, void *context)
{
	struct huge_search *search = context;
	char *word = text_word(&line), *dash = strchr(word, '-');
	uint64_t from, to, kib;

	if (dash)
		*dash++ = '\0';
	if (dash && !number_parse_hex(word, &from) && !number_parse_hex(dash, &to))
		search->inside = from <= search->address && search->address < to;
	else if (search->inside && !strcmp(word, "AnonHugePages:") && !number_parse(text_word(&line), &kib))
		return search->bytes = kib * KIB, 1;
	return 0;
}

uint64_t map_huge_bytes(const void *at)
{
	struct huge_search search = { .address = (uintptr_t)at };

	file_each_line_here("/proc/self/smaps", find_huge, &search);
	return search.bytes;
}

struct field_search { const char *name; uint64_t value; bool found; };

/* A line of `name value` or `name: value kB`. */
static int find_field(char *line, void *context)
{
	struct field_search *search = context;
	size_t length = strlen(search->name);
	const char *at;

	if (!text_starts(line, search->name) || (line[length] != ':' && line[length] != ' '))
		return 0;
	at = line + length + 1;
	search->found = number_take(&at, &search->value);
	return 1;
}

static bool read_field(const char *path, const char *name, uint64_t *value)
{
	struct field_search search = { .name = name };

	file_each_line_here(path, find_field, &search);
	*value = search.value;
	return search.found;
}

/* ---- cgroups ---- */

struct cgroup_kind { const char *limit, *usage, *reclaimable; };

static const struct cgroup_kind version_1 = { "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file" };
static const struct cgroup_kind version_2 = { "memory.max", "memory.current", "inactive_file" };

static bool read_bytes(const char *folder, const char *name, uint64_t *bytes)
{
	char text[32];
	const char *at = text;

	if (file_read_here(text, sizeof(text), "%s/%s", folder, name) <= 0)
		return false;
	return number_take(&at, bytes); /* "max" is no limit */
}

static uint64_t cgroup_room(const char *folder, const struct cgroup_kind *kind)
{
	uint64_t limit, usage, reclaimable;
	char stat[MAX_PATH + 16];

	if (!read_bytes(folder, kind->limit, &limit) || !read_bytes(folder, kind->usage, &usage))
		return UINT64_MAX;
	text_format(stat, sizeof(stat), "%s/memory.stat", folder);
	read_field(stat, kind->reclaimable, &reclaimable);
	usage -= reclaimable < usage ? reclaimable : usage;
	return limit > usage ? limit - usage : 0;
}

/* The least room from the folder up to the mount point. */
static uint64_t least_room(char *folder, size_t mount_length, const struct cgroup_kind *kind)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		uint64_t room = cgroup_room(folder, kind);
		char *slash = strrchr(folder, '/');
		if (room < least)
			least = room;
		if (!slash || (size_t)(slash - folder) < mount_length)
			return least;
		*slash = '\0';
	}
}

/* This process's path below one kind of hierarchy, from a line of /proc/self/cgroup: `4:memory:/a/b`, `0::/a/b`. */
struct own_cgroups { char v1[MAX_PATH / 2], v2[MAX_PATH / 2]; };

static int find_own_cgroup(char *line, void *context)
{
	struct own_cgroups *own = context;
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;

	if (!path)
		return 0;
	*path++ = '\0';
	controllers++;
	if (text_in_list(controllers, ',', "memory"))
		text_copy(own->v1, sizeof(own->v1), path);
	else if (!*controllers)
		text_copy(own->v2, sizeof(own->v2), path);
	return 0;
}

struct cgroup_search { struct own_cgroups own; uint64_t room; };

/* The part of this process's path that lies below what is mounted (in a container, the mount's root is not "/"). */
static const char *below_mount(const char *own, const char *root)
{
	size_t length = strlen(root);

	if (!strcmp(root, "/"))
		return own;
	if (!strncmp(own, root, length) && (own[length] == '/' || !own[length]))
		return own + length;
	return "";
}

/* A line of mountinfo: `36 35 0:30 ROOT MOUNTPOINT OPTIONS... - TYPE SOURCE SUPER-OPTIONS`. */
static int find_cgroup_mount(char *line, void *context)
{
	struct cgroup_search *search = context;
	char *root, *at, folder[MAX_PATH], *type, *options, *rest = text_find(line, " - ");
	const char *own;
	const struct cgroup_kind *kind;
	size_t length;
	uint64_t room;

	if (!rest)
		return 0;
	rest += 3;
	type = text_word(&rest);
	text_word(&rest); /* the source */
	options = text_word(&rest);
	for (unsigned i = 0; i < 3; i++)
		text_word(&line);
	root = text_word(&line);
	at = text_word(&line);
	if (!strcmp(type, "cgroup2"))
		kind = &version_2, own = search->own.v2;
	else if (!strcmp(type, "cgroup") && text_in_list(options, ',', "memory"))
		kind = &version_1, own = search->own.v1;
	else
		return 0;
	if (!text_format(folder, sizeof(folder), "%s%s", at, below_mount(own, root)))
		return 0;
	length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		folder[--length] = '\0';
	room = least_room(folder, strlen(at), kind);
	if (room < search->room)
		search->room = room;
	return 0;
}

static uint64_t all_cgroups_room(void)
{
	struct cgroup_search search = { .room = UINT64_MAX };

	file_each_line_here("/proc/self/cgroup", find_own_cgroup, &search.own);
	file_each_line_here("/proc/self/mountinfo", find_cgroup_mount, &search);
	return search.room;
}

/* ---- nodes ---- */

enum { NODE_NUMBERS = 1024, WORD_BITS = 8 * sizeof(unsigned long) };

struct own_nodes { char allowed[256]; unsigned long bound[NODE_NUMBERS / WORD_BITS]; bool is_bound; };

static int find_allowed_nodes(char *line, void *context)
{
	struct own_nodes *own = context;

	return !strcmp(text_word(&line), "Mems_allowed_list:") && text_copy(own->allowed, sizeof(own->allowed), text_word(&line));
}

static bool may_use(const struct own_nodes *own, unsigned node)
{
	return (!own->allowed[0] || cpu_list_has(own->allowed, node)) &&
	       (!own->is_bound || own->bound[node / WORD_BITS] >> node % WORD_BITS & 1);
}

/* UINT64_MAX where this process may use every node that has memory. */
static uint64_t own_nodes_room(void)
{
	static struct own_nodes own;
	char all[256];
	int policy = MPOL_DEFAULT;
	uint64_t sum = 0;
	bool is_all = true;

	own.allowed[0] = '\0';
	file_each_line_here("/proc/self/status", find_allowed_nodes, &own);
	own.is_bound = !sys_call(SYS_get_mempolicy, &policy, own.bound, NODE_NUMBERS, NULL, 0) && (policy & ~MPOL_MODE_FLAGS) == MPOL_BIND;
	if (file_read_here(all, sizeof(all), "/sys/devices/system/node/has_memory") <= 0)
		return UINT64_MAX;
	for (unsigned node = 0; node < NODE_NUMBERS; node++) {
		uint64_t room;

		if (!cpu_list_has(all, node))
			continue;
		room = may_use(&own, node) ? numa_room_bytes((int)node) : 0;
		is_all &= may_use(&own, node);
		sum += room != UINT64_MAX ? room : 0;
	}
	return is_all ? UINT64_MAX : sum;
}

static void keep_least(uint64_t *least, const char **why, uint64_t room, const char *name)
{
	if (room >= *least)
		return;
	*least = room;
	*why = name;
}

uint64_t map_budget_bytes(const char **why)
{
	uint64_t available_kib, least = UINT64_MAX;
	const char *name = "available";

	if (read_field("/proc/meminfo", "MemAvailable", &available_kib))
		least = available_kib * KIB;
	keep_least(&least, &name, all_cgroups_room(), "cgroup");
	keep_least(&least, &name, own_nodes_room(), "nodes");
	if (why)
		*why = name;
	return least == UINT64_MAX ? 0 : least;
}

uint64_t map_total_bytes(void)
{
	struct sysinfo info;
	uint64_t total_kib;

	if (read_field("/proc/meminfo", "MemTotal", &total_kib))
		return total_kib * KIB;
	return sysinfo(&info) ? 0 : (uint64_t)info.totalram * info.mem_unit;
}
