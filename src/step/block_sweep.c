/* block_sweep.c: see block_sweep.h; each point is block_point's. */
#include <errno.h>
#include <inttypes.h>

#include "step/block_point.h"
#include "step/block_sweep.h"
#include "sys/call.h"

enum { RAMP_PART = 5, ENDS_MS = 20 };

static void read_end(struct ctx *ctx, struct device *device, const char *which, uint64_t offset_bytes)
{
	int err = block_read_once(device->fd, offset_bytes, device->logical_block_bytes);

	if (err)
		(block_is_fault(err, false) ? emit_fail : emit_error)(ctx, NULL, NULL, "%s: the %s block, at byte %" PRIu64
			", cannot be read: %s", device->node, which, offset_bytes, sys_error(err));
	if (err == -ENODEV || err == -ENXIO)
		device_lost(device);
}

/* Both ends of the device: a size that is not true shows at the last block. */
static void read_ends(struct ctx *ctx, struct device *device)
{
	uint64_t blocks = device->size_bytes / device->logical_block_bytes;

	if (planned(ctx, MS(ENDS_MS), 0) || !device_ready(ctx, device) || !blocks)
		return;
	read_end(ctx, device, "first", 0);
	if (device_ready(ctx, device))
		read_end(ctx, device, "last", (blocks - 1) * device->logical_block_bytes);
}

static void one_point(struct ctx *ctx, struct device *device, const struct sweep *sweep, uint64_t bs_bytes, unsigned iodepth)
{
	uint64_t runtime_ns = param_number(ctx, SWEEP_RUNTIME);
	bool writes = block_writes(sweep->rw);
	const struct block_ask ask = {
		.job = {
			.rw = sweep->rw, .engine = (enum block_engine_choice)param_number(ctx, SWEEP_IOENGINE), .iodepth = iodepth, .numjobs = 1,
			.bs_bytes = bs_bytes, .size_bytes = writes ? param_number(ctx, SWEEP_SIZE) : 0,
			.runtime_ns = runtime_ns, .ramp_ns = runtime_ns / RAMP_PART,
			.limit_ios = writes ? (param_number(ctx, SWEEP_MOST) + bs_bytes - 1) / bs_bytes : 0,
		},
		.buffers_bytes = param_number(ctx, SWEEP_BUFFERS),
	};

	block_point_run(ctx, device, &ask, NULL);
}

static void sweep_device(struct ctx *ctx, struct device *device, const struct sweep *sweep)
{
	if (sweep->ends)
		read_ends(ctx, device);
	for_each_param(ctx, SWEEP_BS, bs_bytes)
		for_each_param(ctx, SWEEP_IODEPTH, iodepth)
			one_point(ctx, device, sweep, bs_bytes, (unsigned)iodepth);
}

void block_sweep(struct ctx *ctx, const struct sweep *sweep)
{
	struct device device;

	if (block_writes(sweep->rw)) {
		if (!device_scratch(ctx, &device))
			return;
		sweep_device(ctx, &device, sweep);
		device_done(ctx, &device);
		return;
	}
	for_each_storage(ctx, &device)
		sweep_device(ctx, &device, sweep);
}
