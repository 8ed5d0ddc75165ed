/*
 * board.identity: is this the board that the board file describes, whole and trained as it should be?
 *
 * Reads what the machine says of itself; touches no device.
 * FAIL   a required part is missing; a link, mode, size or SKU is not what is declared, or a link not what its ends can
 *        do; a port or the board has no valid address or serial number; the memory's table lacks the declared rate
 * SKIP   a part that is not required is not there; a speed without a link, a table of rates that cannot be read
 * ERROR  several parts fit one role; a declared property that should be told is not
 */
#include <string.h>

#include "env/sensor.h"
#include "lib/text.h"
#include "step.h"
#include "step/identity_check.h"
#include "sys/call.h"
#include "sys/file.h"

static void say(void *context, enum event_kind kind, const char *message)
{
	static void (*const emits[])(struct ctx *, const char *, const struct point *, const char *, ...) = {
		[EVENT_FAIL] = emit_fail, [EVENT_ERROR] = emit_error, [EVENT_SKIP] = emit_skip, [EVENT_WARN] = emit_warn,
	};

	if (kind == EVENT_LOG)
		emit_log(context, "%s", message);
	else
		emits[kind](context, NULL, NULL, "%s", message);
}

static const char *or_none(const char *string)
{
	return string[0] ? string : "not told";
}

static void tell_machine(struct ctx *ctx)
{
	const struct identity *identity = ctx_identity(ctx);
	const struct board *board = ctx_board(ctx);
	const struct stack *stack = board_stack(board, identity);
	char compatible[sizeof identity->compatible];

	text_copy(compatible, sizeof compatible, identity->compatible);
	for (char *c = compatible; *c; c++)
		if (*c == '\n')
			*c = ' ';
	emit_log(ctx, "kernel %s on %s, CPU %s", identity->kernel, identity->arch, or_none(identity->cpu_model));
	emit_log(ctx, "vendor %s, product %s, firmware %s", or_none(identity->vendor), or_none(identity->product),
	         or_none(identity->bios_version));
	emit_log(ctx, "device tree %s", or_none(compatible));
	emit_log(ctx, "board file %s (%s), fit %u, software stack %s", board->name, board->source, board_fit(board, identity),
	         stack ? stack->name : "not known");
}

static void count(struct ctx *ctx, const char *metric, const char *unit, uint64_t number, bool told)
{
	if (told)
		emit_figure(ctx, metric, unit, NULL, milli_whole(number), NULL);
	else
		emit_error(ctx, metric, NULL, "not told: are /proc and /sys mounted?");
}

static void tell_counts(struct ctx *ctx)
{
	const struct identity *identity = ctx_identity(ctx);

	count(ctx, "board.identity.cpus", "1", identity->cpus_online, identity->cpus_online);
	count(ctx, "board.identity.memory", "B", identity->memory_bytes, identity->memory_bytes);
	count(ctx, "board.identity.disks", "1", identity->disk_count, file_exists("/sys/block"));
	count(ctx, "board.identity.ports", "1", identity->port_count, file_exists("/sys/class/net"));
}

static void tell_storage(struct ctx *ctx, const struct storage_role *role)
{
	const struct identity *identity = ctx_identity(ctx);
	const struct point points[] = { point_text("role", role->role), POINT_LIST_END };
	int index = identity_check_storage(role, identity, say, ctx);

	if (index < 0)
		return;
	if (identity->disks[index].link_width)
		emit_figure(ctx, "board.identity.link_width", "1", points, milli_whole(identity->disks[index].link_width), NULL);
	emit_figure(ctx, "board.identity.size", "B", points, milli_whole(identity->disks[index].size_bytes), NULL);
}

/* One drive cannot play two required roles, nor one port: then one of two alike is missing. */
static void check_shared_drive(struct ctx *ctx, unsigned role)
{
	const struct storage_role *roles = ctx_board(ctx)->storage;
	int index = roles[role].required ? board_find_disk(&roles[role], ctx_identity(ctx)) : -1;

	for (unsigned i = 0; i < role && index >= 0; i++)
		if (roles[i].required && board_find_disk(&roles[i], ctx_identity(ctx)) == index)
			emit_fail(ctx, NULL, NULL, "roles %s and %s are both %s: one of the two drives is missing", roles[i].role,
			          roles[role].role, ctx_identity(ctx)->disks[index].name);
}

static void check_shared_port(struct ctx *ctx, unsigned port)
{
	const struct network_port *ports = ctx_board(ctx)->network;
	int index = ports[port].required ? board_find_port(&ports[port], ctx_identity(ctx)) : -1;

	for (unsigned i = 0; i < port && index >= 0; i++)
		if (ports[i].required && board_find_port(&ports[i], ctx_identity(ctx)) == index)
			emit_fail(ctx, NULL, NULL, "ports %s and %s are both %s: one of the two is missing", ports[i].port, ports[port].port,
			          ctx_identity(ctx)->ports[index].name);
}

/* Memory that was trained from the wrong table never reaches the rate that the board file names. */
static void check_table(struct ctx *ctx, const struct sensor *sensor)
{
	uint64_t wanted = (uint64_t)sensor->limit_milli / 1000;
	int listed = sensor_lists(sensor, wanted);

	if (listed < 0)
		emit_skip(ctx, NULL, NULL, "%s cannot be read: %s", sensor->path, sys_error(listed));
	else if (!listed)
		emit_fail(ctx, NULL, NULL, "%s lacks %llu: wrong SDRAM table", sensor->path, (unsigned long long)wanted);
}

static void check_tables(struct ctx *ctx, const struct stack *stack)
{
	for (unsigned i = 0; stack && i < stack->clock_count; i++)
		if (!strcmp(stack->clocks[i].rule, "lists"))
			check_table(ctx, &stack->clocks[i]);
}

static void run(struct ctx *ctx)
{
	const struct board *board = ctx_board(ctx);

	if (planned(ctx, MS(20), 0))
		return;
	tell_machine(ctx);
	tell_counts(ctx);
	identity_check_sku(board, ctx_identity(ctx), say, ctx);
	identity_check_serial(board, ctx_identity(ctx), say, ctx);
	for (unsigned i = 0; i < board->storage_count; i++) {
		tell_storage(ctx, &board->storage[i]);
		check_shared_drive(ctx, i);
	}
	for (unsigned i = 0; i < board->network_count; i++) {
		identity_check_port(&board->network[i], ctx_identity(ctx), say, ctx);
		check_shared_port(ctx, i);
	}
	check_tables(ctx, board_stack(board, ctx_identity(ctx)));
}

const struct step step_board_identity = {
	.name = "board.identity", .summary = "declared parts, links, modes and SKU against what is there", .run = run,
};
