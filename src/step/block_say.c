/* block_say.c: see block_say.h. */
#include <inttypes.h>

#include "lib/text.h"
#include "step/block_say.h"
#include "sys/call.h"

unsigned block_say(struct ctx *ctx, const char *metric, const struct point *points, const char *node, const char *what,
                   const struct block_result *result, int err)
{
	const struct block_errors *errors = &result->errors, *refusals = &result->refusals;
	char loss[64] = "";

	if (result->device_gone)
		text_copy(loss, sizeof loss, ": device lost");
	else if (result->shrunk_bytes)
		text_format(loss, sizeof loss, ": the device now ends at byte %" PRIu64, result->shrunk_bytes);
	if (errors->count)
		emit_fail(ctx, metric, points, "%s: %u %s failed, the first at byte %" PRIu64 ": %s%s", node, errors->count, what,
		          errors->at_bytes[0], sys_error(errors->first_err), loss);
	if (refusals->count)
		emit_error(ctx, metric, points, "%s: %u %s were refused by this system, the first at byte %" PRIu64 ": %s", node,
		           refusals->count, what, refusals->at_bytes[0], sys_error(refusals->first_err));
	if (err)
		emit_error(ctx, metric, points, "%s: %s%s%s", node, sys_error(err), result->refused[0] ? ": " : "", result->refused);
	return errors->count + refusals->count;
}
