/*
 * capacity.h: every fixed limit of the program, on one page.
 *
 * There is no heap.  What does not fit one of these is refused with a line that names the limit,
 * never cut off silently.
 */
#ifndef CAPACITY_H
#define CAPACITY_H

enum {
	MAX_CPUS = 1024,          /* of the affinity mask and of every per-CPU table */
	MAX_NODES = 64,           /* NUMA nodes */
	MAX_DISKS = 48,           /* whole block devices looked at */
	MAX_PORTS = 32,           /* network interfaces looked at */
	MAX_THREADS = 256,        /* of one engine */

	MAX_NET_STREAMS = 128,    /* of a network test, each way */
	MAX_NET_INTERVALS = 1024,
	MAX_NET_QUEUES = 64,      /* of a network port, looked at */

	MAX_JSON_TOKENS = 8192,   /* of a board file or of one line of a record */
	MAX_JSON_DEPTH = 32,
	MAX_BOARD_BYTES = 64 << 10,
	MAX_SKUS = 8,
	MAX_STORAGE = 8,          /* declared storage roles */
	MAX_NETWORK = 8,          /* declared ports */
	MAX_STACKS = 4,           /* software stacks of one board */
	MAX_CLOCKS = 24,          /* clocks, sensors, throttle counters of one stack, each */
	MAX_POWER_MODES = 8,
	MAX_LIMITS = 128,
	MAX_BOARD_PARAMS = 64,    /* step parameters set by a board file */
	MAX_FAILURES = 24,        /* rows of a board's failure catalogue */

	MAX_STEPS = 32,           /* of the fixed sequence */
	MAX_PARAMS = 40,          /* of one step */
	MAX_LIST = 64,            /* values of one parameter */
	MAX_SETS = 32,            /* --set options */
	MAX_PUT_ASIDE = 8,        /* devices put aside after a step got stuck on them */

	MAX_POINTS = 8,           /* key=value pairs of one metric name */
	MAX_FACTS = 48,           /* numbers of evidence behind one figure */
	MAX_TEXT_FACTS = 16,
	MAX_METRIC = 256,         /* bytes of a whole metric name, with its points and the NUL */
	MAX_MESSAGE = 400,
	MAX_PATH = 512,
	MAX_LINE = 32 << 10,      /* bytes of one line of a record */

	MAX_GUARDED = 512,        /* values the guardian may have to restore */
};

#define KIB (1ull << 10)
#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define TIB (1ull << 40)

#define US(n) ((n) * 1000ull)
#define MS(n) ((n) * 1000000ull)
#define SECONDS(n) ((n) * 1000000000ull)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
