/*
 * claims.h: the studies' claims, each judged by our own readings.  Pure.
 *
 * SUPPORTED and REFUTED are said only where the 95 % intervals are apart from what would speak for the contrary; CANNOT_TELL where they overlap or
 * points are missing, NOT_COMPARABLE where our device has not what the claim is about.
 */
#ifndef STUDY_CLAIMS_H
#define STUDY_CLAIMS_H

#include "event.h"
#include "lib/text.h"
#include "study/knee.h"
#include "study/limiter.h"
#include "study/reading.h"

enum {
	CLEARLY_PPM = 1050000,  /* of another: a difference that counts */
	KNEE_PPM = KNEE_PERCENT * 10000,
};

struct finding {
	enum claim claim;
	char text[280];         /* our figures */
};

/* edge-nvme, over its reads: (a) larger blocks use the bus better; (b) a block of at least 0.5 GB is necessary; (c) 64 KB give
 * 0.09 GB/s; (d) about 4 GB/s is the maximum of the bus. */
struct finding claim_larger_blocks(const struct readings *reads);
struct finding claim_half_gigabyte(const struct readings *reads);
struct finding claim_64k_is_slow(const struct readings *reads);
struct finding claim_bus_maximum(const struct readings *reads, const struct own_limit *own);

/* (e) the busier the bus, the quicker a load: over settings, the bandwidth of each and the time that loading took. */
struct finding claim_busier_is_quicker(const int64_t *bandwidths, const int64_t *times, unsigned count);

/* edge-emmc: flat from 4 MB; blocks of more than 64 MB add nothing; the transfer size matters little. */
struct finding claim_flat_from_4m(const struct readings *reads);
struct finding claim_nothing_beyond_64m(const struct readings *reads);
struct finding claim_transfer_matters_little(const struct readings *reads);

/* laptop-fio: a deeper queue brings more; small files are slow; far below an enterprise drive's 400k IOPS. */
struct finding claim_deeper_is_quicker(const struct readings *all);
struct finding claim_small_files_are_slow(const struct readings *all);
struct finding claim_far_below_enterprise(const struct readings *all);

/* mlc: the larger buffer has the lower latency: at equal bandwidths, by both curves' intervals; latency falls as bandwidth rises: over our curve, and
 * over their own table (latency in ps, bandwidth in thousandths of B/s). */
struct loaded_told;
struct finding claim_larger_buffer_is_lower(const struct loaded_told *small, const struct loaded_told *large);
struct finding claim_latency_falls(const struct loaded_told *ours, const int64_t (*theirs)[2], unsigned count);

/* ---- for the judging of each study, claims_<study>.c ---- */
enum claim claims_of(enum order order);            /* SUPPORTED when above, REFUTED when below, else CANNOT_TELL */
enum claim claims_contrary(enum claim claim);
struct text claims_begin(struct finding *finding); /* CANNOT_TELL, and where its text goes */

#endif
