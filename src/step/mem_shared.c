/* mem_shared.c: see mem_shared.h. */
#include <errno.h>
#include <string.h>

#include "lib/number.h"
#include "lib/text.h"
#include "step/mem_shared.h"
#include "sys/call.h"
#include "sys/numa.h"
#include "sys/memory_type.h"

void mem_each_page(struct ctx *ctx, unsigned param, mem_measure *measure, void *context)
{
	bool all_had = true, small_asked = false;

	for_each_param(ctx, param, number) {
		enum map_page page = (enum map_page)number;

		all_had &= measure(ctx, page, page == MAP_PAGE_SMALL ? "4k" : buffer_page_word(page), context) != MEM_NO_PAGES;
		small_asked |= page == MAP_PAGE_SMALL && buffer_small_is_4k();
	}
	if (!all_had && !small_asked)
		measure(ctx, MAP_PAGE_SMALL, buffer_page_word(MAP_PAGE_SMALL), context);
}

/* Pages from a pool are not among what is free, and where there are too few of them filling says so. */
uint64_t mem_room_bytes(enum map_page page, int node)
{
	uint64_t room_bytes = buffer_room_bytes(page), node_bytes = numa_room_bytes(node);

	return room_bytes == UINT64_MAX || room_bytes < node_bytes ? room_bytes : node_bytes;
}

enum mem_outcome mem_room(struct ctx *ctx, const char *metric, const struct point *point, enum map_page page,
                          const char *word, int node, uint64_t map_bytes)
{
	uint64_t all_bytes = buffer_room_bytes(page), node_bytes = numa_room_bytes(node), room_bytes = node_bytes < all_bytes ? node_bytes : all_bytes;

	if (page == MAP_PAGE_SMALL && strcmp(word, buffer_page_word(page))) {
		emit_skip(ctx, metric, point, "this kernel's pages are %s", buffer_page_word(page));
		return MEM_NO_PAGES;
	}
	if (map_bytes <= room_bytes)
		return MEM_READY;
	if (node_bytes < all_bytes)
		emit_skip(ctx, metric, point, "%llu KiB are needed, node %d has %llu KiB free", (unsigned long long)(map_bytes / KIB), node,
		          (unsigned long long)(room_bytes / KIB));
	else if (room_bytes)
		emit_skip(ctx, metric, point, "%llu KiB are needed, half of the free memory is %llu KiB",
		          (unsigned long long)(map_bytes / KIB), (unsigned long long)(room_bytes / KIB));
	else
		emit_error(ctx, metric, point, "no memory is free, or /proc does not tell how much is");
	return MEM_NO_ROOM;
}

enum mem_outcome mem_no_pages(struct ctx *ctx, const char *metric, const struct point *point, const char *word, int err,
                              uint64_t huge_bytes, uint64_t map_bytes)
{
	if (err == -ENOTSUP)
		emit_skip(ctx, metric, point, "%s not granted: huge pages back %llu of %llu KiB", word,
		          (unsigned long long)(huge_bytes / KIB), (unsigned long long)(map_bytes / KIB));
	else
		emit_skip(ctx, metric, point, "no %s pages: %s", word, sys_error(err));
	return MEM_NO_PAGES;
}

void mem_fact_bound(const struct ctx *ctx, struct facts *facts, int64_t bandwidth_milli)
{
	static struct memory_type type;
	uint64_t told = ctx_board(ctx)->memory_bound_bytes_per_s, bound;

	if (!told)
		memory_type_read(&type);
	bound = told ? told : type.bound_bytes_per_s;
	if (!bound || bandwidth_milli < 0)
		return;
	/* Firmware of virtual machines makes modules up: what is moved beyond them refutes it. */
	if (!told && (uint64_t)bandwidth_milli / 1000 > bound) {
		fact_text(facts, "bound_refuted", type.text);
		return;
	}
	fact_number(facts, "bound", (int64_t)bound);
	fact_text(facts, "bound_source", told ? "board file" : type.text);
	fact_milli(facts, "ratio", milli_ratio((uint64_t)bandwidth_milli / 1000, bound));
}

bool mem_lacks_pages(int err)
{
	return err == -ENOTSUP || err == -ENOMEM;
}

enum mem_outcome mem_refuse(struct ctx *ctx, const char *metric, const struct point *point, const struct mem_refusal *why)
{
	if (mem_lacks_pages(why->err))
		return mem_no_pages(ctx, metric, point, why->page_word, why->err, why->huge_bytes, why->map_bytes);
	if (why->err == -EXDEV)
		emit_error(ctx, metric, point, "memory of node %d: %s", why->node, why->node_err == -EXDEV ? "pages lie elsewhere" : sys_error(why->node_err));
	else
		emit_error(ctx, metric, point, "a thread on CPU %u: %s", why->cpu, sys_error(why->err));
	return MEM_READY;
}

void mem_fact_node(struct facts *facts, int node_err)
{
	fact_text(facts, "node_checked", node_err == -EXDEV ? "no: pages lie elsewhere" : node_err ? sys_error(node_err) : "yes");
}

void mem_fact_cache(struct facts *facts, uint64_t bytes)
{
	char what[sizeof(((struct text_fact *)0)->text)];
	struct text text = TEXT(what);

	if (!buffer_may_fit_cache(bytes))
		return;
	text_add(&text, "less than 4 times the last cache, ");
	number_add_size(&text, buffer_last_cache_bytes());
	fact_text(facts, "may_fit_cache", what);
}

bool mem_cpus_word(char *word, size_t size, const struct cpu_list *cpus, unsigned count, char separator)
{
	struct text text = text_in(word, size);

	for (unsigned i = 0, last; i < count; i = last + 1) {
		for (last = i; last + 1 < count && cpus->cpus[last + 1] == cpus->cpus[last] + 1; last++) {
		}
		if (i)
			text_add_bytes(&text, &separator, 1);
		text_add_format(&text, last > i ? "%u-%u" : "%u", cpus->cpus[i], cpus->cpus[last]);
	}
	return !text.cut;
}

void mem_fact_cpus(struct facts *facts, const struct cpu_list *cpus, unsigned count)
{
	char what[sizeof(((struct text_fact *)0)->text)];

	if (!mem_cpus_word(what, sizeof(what), cpus, count, ',')) /* half a number would be another one */
		text_format(what, sizeof(what), "%u, from %u to %u", count, cpus->cpus[0], cpus->cpus[count - 1]);
	fact_text(facts, "cpus", what);
}

void mem_log_left_out(struct ctx *ctx, const struct cpu_list *cpus)
{
	struct cpu_list rest = { .count = 0 };
	char word[MAX_MESSAGE / 2];

	for (unsigned i = MAX_THREADS; i < cpus->count; i++)
		rest.cpus[rest.count++] = cpus->cpus[i];
	if (!rest.count)
		return;
	if (!mem_cpus_word(word, sizeof(word), &rest, rest.count, ','))
		text_format(word, sizeof(word), "from %u to %u", rest.cpus[0], rest.cpus[rest.count - 1]);
	emit_log(ctx, "%u of %u CPUs are left out, for there are %d threads at most: %s", rest.count, cpus->count, MAX_THREADS, word);
}
