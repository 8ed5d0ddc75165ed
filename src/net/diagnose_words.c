/* diagnose_words.c: the causes' names, and the one sentence that they come to. */
#include "lib/text.h"
#include "net/diagnose.h"

static const struct { const char *name, *unit, *words; } named[NET_CAUSES] = {
	[CAUSE_LINK] = { "link", "ppm", "the wire" },
	[CAUSE_LINK_BELOW] = { "link_below", "ppm", "a link below its speed" },
	[CAUSE_INTERRUPTS] = { "interrupts", "ppm", "one CPU that does the interrupts' work" },
	[CAUSE_CPU] = { "cpu", "ppm", "a CPU" },
	[CAUSE_RPS] = { "rps", "1", "packets that are not shared out to the CPUs" },
	[CAUSE_SENDER] = { "sender", "ppm", "the sender" },
	[CAUSE_RECEIVER] = { "receiver", "ppm", "the receiver" },
	[CAUSE_PATH] = { "path", "ppm", "the path" },
	[CAUSE_WINDOW] = { "window", "bit/s", "the window" },
	[CAUSE_MTU] = { "mtu", "B", "the MTU" },
	[CAUSE_LOSS] = { "loss", "ppm", "loss" },
	[CAUSE_EMC] = { "emc", "ppm", "the memory clock" },
};

const char *cause_name(enum net_cause cause)
{
	return named[cause].name;
}

const char *cause_unit(enum net_cause cause)
{
	return named[cause].unit;
}

static const struct cause *add_cause(const struct cause causes[NET_CAUSES], enum net_cause which, struct text *text)
{
	text_add_format(text, "limited by %s: %s", named[which].words, causes[which].why);
	return &causes[which];
}

/* What explains most stands first: before those that only follow from it. */
static const struct cause *first_of(const struct cause causes[NET_CAUSES], struct text *text)
{
	static const enum net_cause order[] = { CAUSE_LINK, CAUSE_RPS, CAUSE_INTERRUPTS, CAUSE_MTU, CAUSE_WINDOW, CAUSE_CPU, CAUSE_PATH, CAUSE_LOSS,
	                                        CAUSE_RECEIVER, CAUSE_SENDER, CAUSE_LINK_BELOW, CAUSE_EMC };

	if (causes[CAUSE_LINK].binds && causes[CAUSE_LINK_BELOW].binds)
		return add_cause(causes, CAUSE_LINK_BELOW, text); /* a full wire that could be a faster one */
	for (unsigned i = 0; i < COUNT_OF(order); i++)
		if (causes[order[i]].binds)
			return add_cause(causes, order[i], text);
	text_add(text, "what limits it is not known: no CPU, link, window or loss explains it");
	return NULL;
}

void diagnosis_sentence(const struct cause causes[NET_CAUSES], char *sentence, size_t size)
{
	struct text text = text_in(sentence, size);
	const struct cause *first = first_of(causes, &text), *emc = &causes[CAUSE_EMC], *loss = &causes[CAUSE_LOSS];

	if (first == &causes[CAUSE_PATH] && loss->binds)
		text_add_format(&text, ", and %s", loss->why);

	if (emc->binds && first != emc) /* a cause to be tried, whatever else there is */
		text_add_format(&text, "; and %s", emc->why);
}
