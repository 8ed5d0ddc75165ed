/*
 * seal.h: the end of a record, by which no line, the verdict included, can be lost or changed unseen.
 *
 * The step record.seal holds one extension with: sha256, of all lines before it; status, result and sequenceNumber of
 * the testRunEnd that must follow; closing, the SHA-256 of the two lines behind it (its own step's end, and the run's); and
 * last in the line seal, the SHA-256 of the line itself with the 64 digits of seal as zeros.
 * This shows accidents and careless edits; it is no signature, since anybody can seal again.
 */
#ifndef SEAL_H
#define SEAL_H

#include "lib/sha256.h"
#include "lib/text.h"
#include "sink.h"

/* Adds the four closing lines (step start, extension, step end, run end) of a record to text; *sequence goes on. */
void seal_write(struct text *text, const struct sha256 *before, const struct run_end *end, unsigned step, uint64_t *sequence);

/* status and result of testRunEnd, by verdict: a MEASURED run is not PASS, so it is SKIP, NOT_APPLICABLE. */
const char *seal_status(enum verdict verdict);
const char *seal_result(enum verdict verdict);

struct seal_check {
	enum verdict verdict;
	uint64_t lines;
	char sha256[65];      /* of the whole record */
	char fault[200];      /* why it is refused */
};

/* 0 when the record in bytes is whole and unchanged; else -EINVAL with fault. */
int seal_verify(const char *bytes, size_t size, struct seal_check *check);

#endif
