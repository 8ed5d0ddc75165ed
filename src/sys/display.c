/* display.c: see display.h. */
#include <errno.h>
#include <string.h>

#include "lib/text.h"
#include "sys/display.h"
#include "sys/file.h"
#include "sys/guard.h"

enum { MAX_CONNECTORS = 16 };

static const char cards[] = "/sys/class/drm";

/* What was forced: to be let go again. */
static unsigned forced_count;
static char forced[MAX_CONNECTORS][64];

struct look { struct text names; enum display state; const char *force; int err; };

static int each_connector(const char *name, void *context)
{
	struct look *look = context;
	const char *connector = text_starts(name, "card") ? strchr(name, '-') : NULL;
	char status[16];

	if (!connector)
		return 0;
	file_string(status, sizeof status, "%s/%s/status", cards, name);
	if (!*status)
		return 0;
	text_add_format(&look->names, "%s%s %s", look->names.length ? ", " : "", connector + 1, status);
	if (!strcmp(status, "connected"))
		look->state = DISPLAY_ON;
	else if (look->state == DISPLAY_UNKNOWN && !strcmp(status, "disconnected"))
		look->state = DISPLAY_OFF;
	return 0;
}

enum display display_state(char *names, size_t size)
{
	struct look look = { .names = text_in(names, size), .state = DISPLAY_UNKNOWN };

	file_each(cards, each_connector, &look);
	return look.state;
}

static const char *status_of(const char *connector, char path[128])
{
	text_format(path, 128, "%s/%s/status", cards, connector);
	return path;
}

static int force_connector(const char *name, void *context)
{
	struct look *look = context;
	char path[128];
	int err;

	if (!text_starts(name, "card") || !strchr(name, '-') || !file_exists("%s/%s/status", cards, name) || forced_count == MAX_CONNECTORS)
		return 0;
	err = guard_command(status_of(name, path), look->force, "detect");
	if (err)
		return look->err = err;
	text_copy(forced[forced_count++], sizeof forced[0], name);
	return 0;
}

int display_force(enum display wanted)
{
	struct look look = { .force = wanted == DISPLAY_ON ? "on" : "off" };
	char names[8];

	file_each(cards, force_connector, &look);
	if (!look.err && display_state(names, sizeof names) != wanted)
		look.err = -EOPNOTSUPP;
	if (look.err)
		display_release();
	return look.err;
}

int display_release(void)
{
	int first = 0;

	while (forced_count) {
		char path[128];
		int err = guard_command_back(status_of(forced[--forced_count], path), "detect");

		first = first ? first : err;
	}
	return first;
}
