/*
 * board.h: a board file as the program sees it: data only, const once it is parsed.
 *
 * What nobody has calibrated is null in the file: a limit with `judged` false.  Strings that are absent are empty,
 * numbers 0; `has_*` tells where 0 would be a value.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capacity.h"

struct identity;

struct sku {
	char name[24];
	char part[24];             /* prefix of the module's part number, such as 699-13701-0005 */
	uint32_t cpus;
	uint64_t memory_min_bytes, memory_max_bytes;
};

struct storage_role {
	char role[16];
	char bus_path[48];         /* a part of the device's path in /sys/devices: 0004:01:00.0, 3460000 */
	char bus[12];              /* nvme, mmc, ... ; empty: any */
	char model[48];            /* a part of its model name; empty: any */
	char link_speed[32];       /* what it must train at; empty: not checked */
	uint32_t link_width;
	char mode[48];             /* what its mode must begin with, "mmc HS400"; empty: not checked */
	uint64_t size_min_bytes;
	uint64_t bound_bytes_per_s;
	bool required;
};

struct network_port {
	char port[16];
	char device[48];           /* a part of the device's path; several alternatives separated by '|' */
	uint32_t speed_mbit_per_s;
	bool required;
};

/*
 * Where one value of a software stack is to be read.  Exactly one of these says where: `path` alone; `hwmon` with `path`
 * or `label`; `zone`; `cooling`.  Values are counts of 1/unit: clocks are count * unit_hz, temperatures thousandths of a
 * degree Celsius.  `rule` says what is wrong with a value:
 *   no-increase, warn-increase   a counter that rose during the run: FAIL, a warning
 *   no-decrease                  a ceiling that fell during the run: throttled
 *   zero                         anything but 0: throttled
 *   equal-max                    with clocks locked, not the number in max_path (or in cap_path where that is lower): FAIL
 *   below                        not below limit_milli
 *   lists                        limit_milli / 1000 is not one of the file's words
 */
struct sensor {
	char name[24];
	char path[160];            /* absolute, * stands within one component: all matches are summed up; alternatives
	                            * separated by '|', the first that can be read counts; with hwmon: a file of it */
	char hwmon[16];            /* name of the hwmon device, such as ina3221 */
	char label[24];            /* the inN_input (mV) and currN_input (mA) of the hwmon whose inN_label this is */
	char zone[24];             /* type of the thermal zone, compared without case; its temp may be EAGAIN while gated */
	char cooling[24];          /* type of cooling devices, * stands for any part of it; the sum of their cur_state */
	char max_path[96], cap_path[96];
	char lock_path[96];        /* 1 in it keeps what is written to path */
	char rule[16];             /* "": only told */
	int64_t limit_milli;       /* of the rules below and lists */
	uint64_t unit_hz;          /* clocks: what one count is worth */
};

struct stack {
	char name[16];
	char kernel[32];           /* prefixes of the kernel release it is known by, separated by '|'; "": any other kernel */
	unsigned clock_count, throttle_count, temperature_count, rail_count;
	struct sensor clocks[MAX_CLOCKS], throttle[MAX_CLOCKS], temperatures[MAX_CLOCKS], rails[MAX_CLOCKS];
};

struct power_mode {
	char name[16];
	uint32_t id;
	uint32_t cpus;             /* online in this mode; 0: all */
	uint64_t cpu_max_khz;
	uint64_t emc_max_hz;       /* 0: not told */
	bool is_default;
};

struct failure {               /* a row of the catalogue of what goes wrong on real boards */
	char symptom[40];
	char shows_in[120];
	char verdict[80];
};

struct limit {
	char metric[MAX_METRIC];   /* the whole name, with its points */
	bool has_min, has_max, has_warn_min, has_warn_max;
	int64_t min_milli, max_milli, warn_min_milli, warn_max_milli;
	bool judged;               /* false: every bound is null, nobody has calibrated it */
	bool required;             /* a null one makes the run MEASURED, an absent figure is ERROR */
	char source[96];
	unsigned line, column;     /* where it stands, for a fault found later */
};

struct board_param {
	char step[24];
	char param[24];
	char value[96];
	unsigned line, column;     /* where it stands, for a fault found later */
};

struct board {
	char name[32];
	char title[72];
	char match_arch[12];
	char match_device_tree[4][48]; /* every one must be a part of a compatible token */
	unsigned match_device_tree_count;
	char match_vendor[48], match_product[48]; /* DMI, exact */
	char source[160];          /* the name that it was parsed under; the caller may say "built in" */
	char sha256[65];
	bool read_undeclared;      /* drives that no role names are read too, under their kernel name */
	uint64_t memory_bound_bytes_per_s;
	uint64_t write_cap_bytes;  /* wear: the most that one run may write; 0: no cap */
	int64_t temperature_stop_milli; /* degree Celsius; 0: none */
	unsigned sku_count, storage_count, network_count, stack_count, power_mode_count, failure_count, limit_count, param_count;
	struct sku skus[MAX_SKUS];
	struct storage_role storage[MAX_STORAGE];
	struct network_port network[MAX_NETWORK];
	struct stack stacks[MAX_STACKS];
	struct power_mode power_modes[MAX_POWER_MODES];
	struct failure failures[MAX_FAILURES];
	struct limit limits[MAX_LIMITS];
	struct board_param params[MAX_BOARD_PARAMS];
};

/* Parses and checks a board file (not re-entrant: its token table is static).  0; or -EINVAL with `NAME:LINE:COLUMN: what` in fault. */
int board_parse(struct board *board, const char *name, const char *json, size_t size, char *fault, size_t fault_size);

/* The board files embedded in the binary. */
struct embedded { const char *name; const char *json; size_t size; };
const struct embedded *board_embedded(unsigned index); /* NULL behind the last */

/* How well a board file fits a machine: 0 does not fit; a device tree or DMI match beats the architecture alone. */
unsigned board_fit(const struct board *board, const struct identity *identity);

/* The SKU that this machine is, by part number alone where the machine tells it (so that too few CPUs or too little
 * memory can be judged), else by CPUs (possible ones: power modes take some offline) and memory together; NULL when none
 * or several fit. */
const struct sku *board_sku(const struct board *board, const struct identity *identity);

/* Does the machine have the CPUs (online) and the memory of its SKU?  False with one line in fault: a module left in a lower
 * power mode, another module than its part number says, ECC off. */
bool board_sku_is_whole(const struct sku *sku, const struct identity *identity, char *fault, size_t fault_size);

/* The software stack in use, by kernel release, else the one for any other kernel; NULL when the file knows none. */
const struct stack *board_stack(const struct board *board, const struct identity *identity);

/* The disk or port that plays a role: its index in identity, -ENODEV when absent, -EEXIST when several fit. */
int board_find_disk(const struct storage_role *role, const struct identity *identity);
int board_find_port(const struct network_port *port, const struct identity *identity);

/* Whether part stands in path as whole words: 3460000 in platform/3460000.mmc, not in platform/13460000.mmc. */
bool board_path_has(const char *path, const char *part);

/* The limit with exactly this metric name, or NULL. */
const struct limit *board_limit(const struct board *board, const char *metric);

#endif
