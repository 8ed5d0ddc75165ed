/*
 * verify.h: what the parts of block.verify share: one check, how its data goes to the device and back, what is said of it.
 */
#ifndef VERIFY_H
#define VERIFY_H

#include "block/engine.h"
#include "block/pattern.h"
#include "block/spans.h"
#include "scratch.h"
#include "step.h"

/* In the order of VERIFY_WORDS. */
enum verify_mode { VERIFY_FULL, VERIFY_SAMPLE, VERIFY_SURFACE, VERIFY_ONLY };
#define VERIFY_WORDS "full|sample|surface|only"

enum { VERIFY_CHUNK_BYTES = 1 << 20, VERIFY_DEPTH = 8 };
#define VERIFY_PLANNED_NS(bytes) MS((bytes) / 50000) /* of one side: 50 MB/s */
#define VERIFY_METRIC "block.verify.errors"

struct check {
	struct ctx *ctx;
	const struct scratch *scratch;
	enum verify_mode mode;
	enum block_engine_choice engine;
	uint64_t device_bytes;       /* whole sectors, the odd end included */
	uint64_t granule_bytes;      /* what is verified at once: SCRATCH_BLOCK_BYTES, or a larger logical block */
	struct spans spans;
	struct pattern pattern;
	struct pattern_tally tally;
	struct block_result write, read; /* of all spans together: bytes, time, errors, engine */
	uint64_t end_span, end_bytes;    /* where writing stopped: the span, and how much of it was tried */
	int sync_err;
	bool sync_failed;            /* and that was the device's fault */
	struct point point[2];
};

static inline bool verify_writes(const struct check *check) { return check->mode <= VERIFY_SAMPLE; }

/*
 * Goes through the spans, to the device and from it.  0 also when I/O failed; -errno when it could not be tried.  A
 * device with many bad places is given up.  Reading compares, but for a surface, as far as was written.
 */
int verify_write(struct check *check);
int verify_read(struct check *check);

/* The first piece in [at, end) that cannot be read when it is tried once more; end: none. */
uint64_t verify_find_bad(const struct check *check, uint64_t at_bytes, uint64_t end_bytes, uint64_t piece_bytes);

/* Failed and refused I/O of one side; err: of verify_write, verify_read. */
void verify_say_errors(struct check *check, const char *what, const struct block_result *result, int err);
void verify_say_sync(struct check *check);
void verify_say_findings(struct check *check);
/* Which blocks of the chunks that failed cannot be read, by reading them again. */
void verify_say_bad_blocks(struct check *check);
void verify_emit_figures(struct check *check);

#endif
