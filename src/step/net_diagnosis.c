/* net_diagnosis.c: net.limit.<cause>[port,dir], each with its evidence in plain words; a set-up that costs is a warning. */
#include "lib/text.h"
#include "net/diagnose.h"
#include "step/net_point.h"

/* Those that somebody can put right; the others only say where the limit is. */
static bool is_a_fault(enum net_cause cause)
{
	return cause == CAUSE_LINK_BELOW || cause == CAUSE_RPS || cause == CAUSE_INTERRUPTS || cause == CAUSE_MTU || cause == CAUSE_EMC;
}

static void tell_causes(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured, bool sends)
{
	static struct cause causes[NET_CAUSES];
	const struct diagnosis_input input = {
		.test = &ask->job.test, .result = &measured->result, .sends = sends, .before = &measured->before, .after = &measured->after,
		.peer_before = measured->peer_known ? &measured->peer_before : NULL, .peer_after = measured->peer_known ? &measured->peer_after : NULL,
		.emc_hz = measured->moment_count ? (int64_t)measured->moments[measured->moment_count / 2].emc_hz : 0, .emc_max_hz = (int64_t)measured->emc_max_hz,
	};
	const struct point points[] = { point_text("port", ask->port), point_text("dir", sends ? "tx" : "rx"), POINT_LIST_END };
	char sentence[MAX_MESSAGE - 40], name[64];

	diagnose(&input, causes);
	for (enum net_cause cause = 0; cause < NET_CAUSES; cause++) {
		if (!causes[cause].told)
			continue;
		text_format(name, sizeof name, "net.limit.%s", cause_name(cause));
		fact_number(&causes[cause].facts, "binds", causes[cause].binds);
		emit_figure(ctx, name, cause_unit(cause), points, causes[cause].value_milli, &causes[cause].facts);
		if (causes[cause].binds && is_a_fault(cause))
			emit_warn(ctx, name, points, "%s", causes[cause].why);
		else
			emit_log(ctx, "%s %s, %s: %s", ask->port, sends ? "tx" : "rx", cause_name(cause), causes[cause].why);
	}
	diagnosis_sentence(causes, sentence, sizeof sentence);
	emit_log(ctx, "%s %s: %s", ask->port, sends ? "tx" : "rx", sentence);
}

void net_diagnosis_tell(struct ctx *ctx, const struct net_ask *ask, const struct net_measured *measured)
{
	struct net_sum sum;

	for (int sends = 1; sends >= 0; sends--) {
		net_sum(&measured->result, sends, &sum);
		if (sum.streams && sum.bytes_sent + sum.bytes_received)
			tell_causes(ctx, ask, measured, sends);
	}
}
