/* drive_watch.c: drive_before and drive_after of drive.h. */
#include "capacity.h"
#include "step.h"
#include "step/device.h"
#include "step/drive.h"

enum { READING_MS = 100 };

static struct drive_health before, after;

void drive_before(struct ctx *ctx, const struct device *device)
{
	const struct disk *disk = device->on;

	if (disk && !planned(ctx, 2 * MS(READING_MS), 0))
		drive_health_read(disk, &before);
}

void drive_after(struct ctx *ctx, const struct device *device)
{
	static struct facts facts;
	const struct point points[] = { point_text("role", device->role), POINT_LIST_END };
	const struct disk *disk = device->on;

	if (!disk || planned(ctx, 0, 0) || !device->measured)
		return;
	drive_health_read(disk, &after);
	if (!after.queue.max_sectors_kb)
		return;
	facts = (struct facts){ .count = 0 };
	drive_health_facts(&before, &after, &facts);
	emit_figure(ctx, "block.drive.max_io", "B", points, milli_whole(after.queue.max_sectors_kb * KIB), &facts);
}
