/*
 * board.identity: is this the board that the board file describes, whole and trained as it should be?
 *
 * Reads what the machine says of itself; touches no device.
 * FAIL   a required part is missing, a link, mode, size or SKU is not what is declared, a port has no valid address
 * SKIP   a part that is not required is not there; a mode or speed that cannot be told now
 * ERROR  several parts fit one role; a declared property that should be told is not
 */
#include "lib/text.h"
#include "step.h"
#include "step/identity_check.h"
#include "sys/file.h"

static void say(void *context, enum event_kind kind, const char *message)
{
	struct ctx *ctx = context;

	switch (kind) {
	case EVENT_FAIL:  emit_fail(ctx, NULL, NULL, "%s", message); break;
	case EVENT_ERROR: emit_error(ctx, NULL, NULL, "%s", message); break;
	case EVENT_SKIP:  emit_skip(ctx, NULL, NULL, "%s", message); break;
	case EVENT_WARN:  emit_warn(ctx, NULL, NULL, "%s", message); break;
	default:          emit_log(ctx, "%s", message); break;
	}
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

static void count(struct ctx *ctx, const char *metric, const char *unit, uint64_t number)
{
	emit_figure(ctx, metric, unit, NULL, milli_whole(number), NULL);
}

static void tell_counts(struct ctx *ctx)
{
	const struct identity *identity = ctx_identity(ctx);

	if (identity->cpus_online)
		count(ctx, "board.identity.cpus", "1", identity->cpus_online);
	else
		emit_error(ctx, "board.identity.cpus", NULL, "the number of CPUs is not told: is /sys mounted?");
	if (identity->memory_bytes)
		count(ctx, "board.identity.memory", "B", identity->memory_bytes);
	else
		emit_error(ctx, "board.identity.memory", NULL, "the size of memory is not told: is /proc mounted?");
	if (file_exists("/sys/block"))
		count(ctx, "board.identity.disks", "1", identity->disk_count);
	else
		emit_error(ctx, "board.identity.disks", NULL, "the disks are not told: is /sys mounted?");
	if (file_exists("/sys/class/net"))
		count(ctx, "board.identity.ports", "1", identity->port_count);
	else
		emit_error(ctx, "board.identity.ports", NULL, "the network ports are not told: is /sys mounted?");
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

static void run(struct ctx *ctx)
{
	const struct board *board = ctx_board(ctx);

	if (planned(ctx, MS(20), 0))
		return;
	tell_machine(ctx);
	tell_counts(ctx);
	identity_check_sku(board, ctx_identity(ctx), say, ctx);
	for (unsigned i = 0; i < board->storage_count; i++)
		tell_storage(ctx, &board->storage[i]);
	for (unsigned i = 0; i < board->network_count; i++)
		identity_check_port(&board->network[i], ctx_identity(ctx), say, ctx);
}

const struct step step_board_identity = {
	.name = "board.identity", .summary = "declared parts, links, modes and SKU against what is there", .run = run,
};
