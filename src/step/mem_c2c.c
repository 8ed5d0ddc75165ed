/*
 * mem.c2c: the latency of lines that another CPU holds, clean (hit), modified (hitm), and of one line that two take turns in (pingpong).
 *
 * `from` holds the lines, `to` loads them.  With all pairs there is a table a kind, and the groups of CPUs that it reveals beside those that
 * sysfs tells: mem.c2c.groups[kind], their lists as evidence.  A ping-pong is the same both ways, and measured one way.
 * SKIP   one CPU only; a CPU that is offline or outside the affinity mask
 */
#include "lib/text.h"
#include "step/mem_point.h"
#include "sys/cluster.h"

static const char metric[] = "mem.c2c";

enum { KIND, PAIRS, FROM, TO, TIME };
enum { PAIRS_NEAR, PAIRS_ALL };
enum { MATRIX_CPUS = 64 };

static const struct param params[] = {
	[KIND]  = { "kind", PARAM_WORDS, .def = "hit,hitm,pingpong", .words = C2C_KIND_WORDS,
	            .help = "lines held clean or modified, or one line to and fro" },
	[PAIRS] = { "pairs", PARAM_WORD, .def = "near", .def_medium = "all", .words = "near|all",
	            .help = "the first CPU with its neighbour core, another cluster's and another node's CPU, or every two CPUs" },
	[FROM]  = { "from", PARAM_NUMBERS, .def = "any", .words = "any", .max = MAX_CPUS - 1,
	            .help = "CPUs that hold the lines, in place of pairs" },
	[TO]    = { "to", PARAM_NUMBERS, .def = "any", .words = "any", .max = MAX_CPUS - 1,
	            .help = "CPUs that load them, in place of pairs" },
	[TIME]  = { "time", PARAM_DURATION, .def = "40ms", .min = MS(8), .max = SECONDS(60), .help = "time for each pair and kind, of all rounds" },
	PARAM_END
};

static struct cpu_list from, to, cpus, some, siblings; /* 2 KiB each */
static int64_t pairs[MATRIX_CPUS * MATRIX_CPUS];

static void add(struct cpu_list *list, unsigned cpu)
{
	if (!cluster_has(list, cpu))
		list->cpus[list->count++] = (uint16_t)cpu;
}

/* ---- which pairs ---- */

/* false: it is the word. */
static bool take_list(struct ctx *ctx, unsigned param, struct cpu_list *list)
{
	const struct param_value *value = param_values(ctx, param);

	list->count = 0;
	for (unsigned i = 0; i < value->count; i++)
		if (value->numbers[i] != PARAM_OF_WORD(0))
			add(list, (unsigned)value->numbers[i]);
	return list->count;
}

/* Threads of one core have no cache between them to cross: they are taken only where there is no other core. */
static void take_near(void)
{
	unsigned first = cpus.cpus[0];
	int node = cpu_node(first);

	from.count = to.count = 0;
	add(&from, first);
	cluster_of(first, &cpus, &some);
	cluster_siblings(first, &cpus, &siblings);
	for (unsigned i = 0; i < some.count && !to.count; i++)
		if (!cluster_has(&siblings, some.cpus[i]))
			add(&to, some.cpus[i]);
	for (unsigned other_node = 0; other_node < 2; other_node++)
		for (unsigned i = 0; i < cpus.count; i++)
			if (!cluster_has(&some, cpus.cpus[i]) && (cpu_node(cpus.cpus[i]) != node) == other_node) {
				add(&to, cpus.cpus[i]);
				break;
			}
	if (!to.count && cpus.count > 1)
		add(&to, cpus.cpus[1]);
}

static void choose_pairs(struct ctx *ctx)
{
	bool has_from = take_list(ctx, FROM, &from), has_to = take_list(ctx, TO, &to);

	if (!has_from && !has_to && param_number(ctx, PAIRS) == PAIRS_NEAR) {
		take_near();
		return;
	}
	if (!has_from)
		from = cpus;
	if (!has_to)
		to = cpus;
	if (has_from || has_to || cpus.count <= MATRIX_CPUS)
		return;
	emit_skip(ctx, metric, NULL, "a matrix has room for %u CPUs: those behind CPU %u are left out; --set mem.c2c.from= and mem.c2c.to= name others",
	          MATRIX_CPUS, cpus.cpus[MATRIX_CPUS - 1]);
	from.count = to.count = MATRIX_CPUS;
}

/* ---- what they show ---- */

static void fact_groups(struct facts *facts, const char *key, unsigned count, const unsigned *group)
{
	char what[sizeof(((struct text_fact *)0)->text)], word[sizeof what];
	struct text text = TEXT(what);
	bool whole = true;

	for (unsigned number = 0; number < count; number++) {
		some.count = 0;
		for (unsigned i = 0; i < from.count; i++)
			if (group[i] == number)
				add(&some, from.cpus[i]);
		whole &= mem_cpus_word(word, sizeof word, &some, some.count, ',');
		text_add_format(&text, "%s%s", number ? " " : "", word);
	}
	if (text.cut || !whole) /* half a number would be another one */
		text_format(what, sizeof what, "%u groups", count);
	fact_text(facts, key, what);
}

/* Those of sysfs as groups: how many. */
static unsigned sysfs_groups(unsigned *group)
{
	unsigned count = 0;

	for (unsigned i = 0; i < from.count; i++)
		group[i] = UINT32_MAX;
	for (unsigned i = 0; i < from.count; i++) {
		if (group[i] != UINT32_MAX)
			continue;
		cluster_of(from.cpus[i], &from, &some);
		for (unsigned j = i; j < from.count; j++)
			if (group[j] == UINT32_MAX && (i == j || cluster_has(&some, from.cpus[j])))
				group[j] = count;
		count++;
	}
	return count;
}

static void tell_groups(struct ctx *ctx, const char *kind)
{
	static unsigned group[MATRIX_CPUS];
	const struct point points[] = { point_text("kind", kind), POINT_LIST_END };
	struct facts facts = { 0 };
	unsigned count;

	for (unsigned i = 0; i < from.count; i++)
		for (unsigned j = 0; j < i; j++) {
			int64_t *a = &pairs[i * from.count + j], *b = &pairs[j * from.count + i];

			if (*a <= 0 && *b <= 0)
				return; /* not every pair was measured */
			*a = *b = *a <= 0 ? *b : *b <= 0 ? *a : (*a + *b) / 2;
		}
	count = c2c_groups(pairs, from.count, group);
	fact_groups(&facts, "groups", count, group);
	fact_groups(&facts, "sysfs_clusters", sysfs_groups(group), group);
	emit_log(ctx, "%s: by latency the CPUs are in %u groups: %s; by the caches that sysfs tells: %s", kind, count,
	         fact_find_text(&facts, "groups"), fact_find_text(&facts, "sysfs_clusters"));
	emit_figure(ctx, "mem.c2c.groups", "1", points, milli_whole(count), &facts);
}

/* ---- the measuring ---- */

static int64_t measure(struct ctx *ctx, enum c2c_kind kind, const char *word, unsigned holder, unsigned loader)
{
	const struct point points[] = { point_text("kind", word), point_number("from", holder), point_number("to", loader), POINT_LIST_END };
	const struct point row = point_number("", holder), column = point_number("", loader);
	char table[64];
	struct c2c_ask ask = { .metric = metric, .points = points,
		.job = { .kind = kind, .from = holder, .to = loader, .time_ns = param_number(ctx, TIME), .seed = ctx_seed(ctx) } };
	struct mem_told told;

	text_format(table, sizeof table, "cache to cache, %s, ns: from (down) to (across)", word);
	if (from.count > 1 && to.count > 1)
		ask.cell = (struct mem_cell){ .table = table, .row = row.value, .column = column.value, .reference_milli = VALUE_NONE };
	mem_c2c_point(ctx, &ask, &told);
	return told.median_milli;
}

/* The other way round it is measured, too. */
static bool is_mirror(enum c2c_kind kind, unsigned holder, unsigned loader)
{
	return kind == C2C_PINGPONG && holder > loader && cluster_has(&from, loader) && cluster_has(&to, holder);
}

static bool is_matrix(void)
{
	for (unsigned i = 0; i < from.count; i++)
		if (from.count != to.count || from.cpus[i] != to.cpus[i])
			return false;
	return from.count > 1 && from.count <= MATRIX_CPUS;
}

static void measure_kind(struct ctx *ctx, enum c2c_kind kind, const char *word)
{
	bool matrix = is_matrix();

	for (unsigned i = 0; i < from.count; i++)
		for (unsigned j = 0; j < to.count; j++) {
			unsigned holder = from.cpus[i], loader = to.cpus[j];
			int64_t ps = 0;

			/* A CPU with itself is told why not where there is nothing else. */
			if ((holder != loader || from.count + to.count == 2) && !is_mirror(kind, holder, loader))
				ps = measure(ctx, kind, word, holder, loader);
			if (matrix)
				pairs[i * from.count + j] = ps;
		}
	if (matrix)
		tell_groups(ctx, word);
}

static void run(struct ctx *ctx)
{
	char word[16];

	cpu_allowed(&cpus);
	choose_pairs(ctx);
	if (!to.count || (from.count == 1 && cpus.count == 1 && to.count == 1 && from.cpus[0] == to.cpus[0])) {
		emit_skip(ctx, metric, NULL, "it takes two CPUs, and this process may use CPU %u only", cpus.cpus[0]);
		return;
	}
	for (unsigned i = 0; i < param_values(ctx, KIND)->count; i++)
		measure_kind(ctx, (enum c2c_kind)param_values(ctx, KIND)->numbers[i], param_text(ctx, KIND, i, word, sizeof word));
}

const struct step step_mem_c2c = {
	.name = "mem.c2c", .summary = "latency of lines that another CPU holds, and of one line to and fro",
	.params = params, .run = run,
};
