/* settle.c: see settle.h. */
#include <stdbool.h>
#include <string.h>

#include "capacity.h"
#include "init/settle.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/file.h"

#define POLL_NS MS(50)
#define STABLE_NS MS(200)
#define MOST_NS SECONDS(10)

struct look { unsigned drives, starting; };

static int count_drive(const char *name, void *context)
{
	struct look *look = context;

	(void)name;
	look->drives++;
	return 0;
}

static int count_starting(const char *name, void *context)
{
	struct look *look = context;
	char state[24];

	file_string(state, sizeof(state), "/sys/class/nvme/%s/state", name);
	look->starting += !strcmp(state, "new") || !strcmp(state, "resetting") || !strcmp(state, "connecting");
	return 0;
}

static struct look look_at_drives(void)
{
	struct look look = { 0 };

	file_each("/sys/block", count_drive, &look);
	file_each("/sys/class/nvme", count_starting, &look);
	return look;
}

void settle_drives(uint64_t least_ns)
{
	uint64_t start_ns = clock_now_ns(), changed_ns = start_ns, now_ns = start_ns;
	struct look last = look_at_drives();

	while (now_ns - start_ns < least_ns + MOST_NS) {
		struct look look;

		if (now_ns - start_ns >= least_ns && now_ns - changed_ns >= STABLE_NS)
			return;
		sys_sleep_ns(POLL_NS);
		look = look_at_drives();
		now_ns = clock_now_ns();
		if (look.starting || look.drives != last.drives)
			changed_ns = now_ns;
		last = look;
	}
}
