/* claims_interference.c: see interference.h. */
#include "lib/number.h"
#include "lib/wide.h"
#include "study/interference.h"

enum { BILLION = 1000000000, COUNTS_PPM = 10000 }; /* a loss of less than 1 % is none: CPUs slow down by that much when more of them work */

int64_t interference_loss_milli(int64_t alone_milli, int64_t beside_milli)
{
	if (alone_milli == VALUE_NONE || beside_milli == VALUE_NONE || alone_milli <= 0)
		return VALUE_NONE;
	return (int64_t)wide_divide_signed(((__int128)alone_milli - beside_milli) * BILLION, (unsigned __int128)alone_milli);
}

/* In per cent, to a tenth. */
static void add_percent(struct text *text, int64_t ppm_milli)
{
	int64_t half = ppm_milli < 0 ? -500000 : 500000;

	number_add_milli(text, (ppm_milli + half) / 1000000 * 100);
}

void interference_add_loss(struct text *text, const char *load, const char *beside, const struct summary *losses)
{
	if (!losses->count) {
		text_add_format(text, "%s beside %s: not measured", load, beside);
		return;
	}
	text_add_format(text, "%s loses ", load);
	add_percent(text, losses->median);
	text_add(text, " % (");
	if (losses->has_interval) {
		add_percent(text, losses->low);
		text_add(text, " to ");
		add_percent(text, losses->high);
	} else {
		text_add_format(text, "n=%u, too few for an interval", losses->count);
	}
	text_add_format(text, ") beside %s", beside);
}

static bool is_clear(const struct summary *losses)
{
	return losses->count && losses->has_interval && losses->low > COUNTS_PPM * 1000ll;
}

static bool is_little(const struct summary *losses)
{
	return losses->count && losses->has_interval && losses->high < COUNTS_PPM * 1000ll;
}

static void add_shared(struct text *text, const char *shared)
{
	if (shared)
		text_add_format(text, "; this may be CPU time: %s", shared);
}

struct finding claim_ssd_and_dram(const struct summary *storage, const struct summary *memory, const char *shared)
{
	struct finding finding;
	struct text text = claims_begin(&finding);

	interference_add_loss(&text, "storage", "memory", storage);
	text_add(&text, ", ");
	interference_add_loss(&text, "memory", "storage", memory);
	if (is_little(storage) && is_little(memory))
		finding.claim = CLAIM_REFUTED;
	else if (!shared && (is_clear(storage) || is_clear(memory)))
		finding.claim = CLAIM_SUPPORTED;
	else if (is_clear(storage) || is_clear(memory))
		add_shared(&text, shared);
	return finding;
}

struct finding claim_10gbe(const struct summary *network, const char *shared)
{
	struct finding finding;
	struct text text = claims_begin(&finding);

	finding.claim = CLAIM_NOT_COMPARABLE;
	text_add(&text, "no 10 Gbit/s port and peer: over loopback, where all is copied by CPUs, ");
	interference_add_loss(&text, "network", "memory", network);
	if (is_clear(network))
		add_shared(&text, shared);
	return finding;
}
