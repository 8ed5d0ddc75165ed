/*
 * xfi.h: the 10 GbE study as an experiment: its factors, the cells that are run, what each brought, and what comes of it.  Pure.
 *
 * The cells are all combinations of direction, the clocks that can be held, and no load or the greatest one: a cause may take three of them (TX falls only where
 * the memory clock is low and no display keeps it up), and a fraction of the combinations would lay that on other factors' pairs.  The loads in between are run
 * with the clocks free only.  The display's state is outside of all that.
 */
#ifndef XFI_H
#define XFI_H

#include "stat/effects.h"
#include "study/claims.h"

/* The first level of each: tx, off (free), off, none. */
enum xfi_factor { XFI_DIRECTION, XFI_EMC, XFI_CPUFREQ, XFI_CPUIDLE, XFI_DISPLAY, XFI_LOAD, XFI_FACTORS, XFI_CLOCKS = XFI_FACTORS };
#define XFI_FACTOR_WORDS "direction|emc|cpufreq|cpuidle|display|load|clocks"
enum { XFI_TX, XFI_RX, XFI_BOTH };

enum { XFI_MAX_CELLS = 32 + 2 * (EFFECTS_MAX_LEVELS - 2), XFI_MAX_REPEATS = 20, XFI_MAX_READINGS = 2 * XFI_MAX_CELLS * XFI_MAX_REPEATS };

struct xfi_cell { uint8_t levels[XFI_FACTORS]; };

struct xfi_design {
	bool is_varied[XFI_FACTORS];
	bool is_there[XFI_FACTORS];  /* clocks that can be held; the display's state is known */
	bool together;               /* the clocks are one factor */
	unsigned load_count;         /* at least 1 */
	uint64_t loads[EFFECTS_MAX_LEVELS]; /* B/s */
	unsigned cell_count;         /* of one state of the display */
	struct xfi_cell cells[XFI_MAX_CELLS];
};

struct xfi_reading {
	struct xfi_cell cell;
	int64_t rate_milli;          /* bit/s */
	int64_t cpu0_milli, busiest_milli; /* ppm; VALUE_NONE */
	int64_t low_milli;           /* ppm below 90 % of the median */
	unsigned levels;             /* of the rate; 0: not told */
	uint64_t cpu_hz, emc_hz;     /* 0: not told */
	int64_t load_milli;          /* B/s that were reached */
};

struct xfi_readings { unsigned count; struct xfi_reading at[XFI_MAX_READINGS]; };

/* Fills cells from the rest. */
void xfi_design(struct xfi_design *design);
bool xfi_same(const struct xfi_cell *a, const struct xfi_cell *b);
const char *xfi_factor_word(unsigned factor);
/* All clocks that can be held are (1), or are free (0); -1: some are. */
int xfi_clocks_of(const struct xfi_design *design, const struct xfi_cell *cell);
/* T1 to T8; 0: it is none of them. */
unsigned xfi_number(const struct xfi_design *design, const struct xfi_cell *cell);
void xfi_add_cell(struct text *text, const struct xfi_design *design, const struct xfi_cell *cell); /* "T1 tx, no display, free" */
void xfi_add_rate(struct text *text, int64_t rate_milli);                   /* "9.41 Gbit/s" */

/* Which of it is looked at: of which direction, and whether the clocks count as one. */
struct xfi_view { uint8_t direction; bool clocks; };
struct xfi_factors { unsigned count; uint8_t at[XFI_FACTORS]; }; /* those of an experiment, in its order */
void xfi_experiment(const struct xfi_design *design, const struct xfi_readings *readings, const struct xfi_view *view, struct xfi_factors *factors,
                    struct experiment *experiment);
/* VALUE_NONE without readings. */
int64_t xfi_mean(const struct xfi_readings *readings, const struct xfi_cell *cell);

/* An effect below 3 % of what there is counts as none; one that is surely below 5 % is none; a wider interval that holds 0 tells nothing. */
enum xfi_finding { XFI_MATTERS, XFI_NOTHING, XFI_UNTOLD };
enum xfi_finding xfi_judge(const struct effect *effect, int64_t of);
const char *xfi_finding_word(enum xfi_finding finding);
int64_t xfi_whole(const struct experiment *experiment); /* what effects are judged against: the mean of all observations */

/* Of one direction, in plain words: which single knob recovers how much, what explains nothing, what cannot be told. */
void xfi_sentence(const struct xfi_design *design, const struct xfi_readings *readings, unsigned direction, struct text *text);

/* Its claims. */
struct finding claim_rx_is_the_same(const struct xfi_design *design, const struct xfi_readings *readings);
struct finding claim_clocks_rather_than_display(const struct xfi_design *design, const struct xfi_readings *readings);
struct finding claim_no_interaction(const struct xfi_design *design, const struct xfi_readings *readings);
struct finding claim_display_keeps_the_clock_up(const struct xfi_design *design, const struct xfi_readings *readings);

#endif
