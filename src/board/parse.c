/*
 * parse.c: a board file from its text: the tables of the keys it may have, and what must hold between them.
 *
 * Faults are `NAME:LINE:COLUMN: what`; the first one ends it, and the board must not be used then.
 */
#include <string.h>

#include "board/limit.h"
#include "lib/sha256.h"

#define TEXT_KEY(name, type, member) { .key = name, .kind = FIELD_TEXT, FIELD_IN(type, member) }
#define NAME_KEY(name, type, member) { .key = name, .kind = FIELD_NAME, .flags = FIELD_NEEDED, FIELD_IN(type, member) }
#define WORDS_KEY(name, type, member) { .key = name, .kind = FIELD_WORDS, FIELD_IN(type, member) }
#define BOOL_KEY(name, type, member) { .key = name, .kind = FIELD_BOOL, FIELD_IN(type, member) }
#define U32_KEY(name, type, member, low, high) { .key = name, .kind = FIELD_U32, FIELD_IN(type, member), .min = low, .max = high }
#define U64_KEY(name, type, member) { .key = name, .kind = FIELD_U64, FIELD_IN(type, member), .min = 1 }
#define NOTE_KEY(name) { .key = name, .kind = FIELD_NOTE }
#define LIST_KEY(name, type, array, count, description) \
	{ .key = name, .kind = FIELD_LIST, .offset = offsetof(type, array), .has = offsetof(type, count), .list = &description }

static const struct field sku_fields[] = {
	NAME_KEY("name", struct sku, name),
	TEXT_KEY("part", struct sku, part),
	U32_KEY("cpus", struct sku, cpus, 1, MAX_CPUS),
	U64_KEY("memory_min_bytes", struct sku, memory_min_bytes),
	U64_KEY("memory_max_bytes", struct sku, memory_max_bytes),
	NOTE_KEY("source"),
	FIELD_END
};

static const char *check_sku(const struct reader *reader, int token, const void *element)
{
	const struct sku *sku = element;

	(void)reader, (void)token;
	if (sku->memory_max_bytes && sku->memory_min_bytes > sku->memory_max_bytes)
		return "\"memory_min_bytes\" is above \"memory_max_bytes\"";
	if (!sku->part[0] && !sku->cpus && !sku->memory_min_bytes && !sku->memory_max_bytes)
		return "nothing tells this SKU: give \"part\", \"cpus\" or its memory";
	return NULL;
}

static const struct list skus = { "a SKU", sku_fields, sizeof(struct sku), MAX_SKUS, check_sku };

static const struct field storage_fields[] = {
	NAME_KEY("role", struct storage_role, role),
	TEXT_KEY("bus_path", struct storage_role, bus_path),
	TEXT_KEY("bus", struct storage_role, bus),
	TEXT_KEY("model", struct storage_role, model),
	TEXT_KEY("link_speed", struct storage_role, link_speed),
	U32_KEY("link_width", struct storage_role, link_width, 1, 32),
	TEXT_KEY("timing", struct storage_role, mode),
	U64_KEY("size_min_bytes", struct storage_role, size_min_bytes),
	U64_KEY("bound_bytes_per_s", struct storage_role, bound_bytes_per_s),
	BOOL_KEY("required", struct storage_role, required),
	NOTE_KEY("source"),
	FIELD_END
};

static const char *check_storage(const struct reader *reader, int token, const void *element)
{
	const struct storage_role *role = element;

	(void)reader, (void)token;
	if (!strcmp(role->role, "scratch"))
		return "the role \"scratch\" is what --scratch gives: name this one otherwise";
	if (!role->bus_path[0] && !role->bus[0] && !role->model[0])
		return "nothing tells this device: give \"bus_path\", \"bus\" or \"model\"";
	return NULL;
}

static const struct list storage = { "a storage role", storage_fields, sizeof(struct storage_role), MAX_STORAGE, check_storage };

static const struct field network_fields[] = {
	NAME_KEY("port", struct network_port, port),
	{ .key = "device", .kind = FIELD_WORDS, .flags = FIELD_NEEDED, FIELD_IN(struct network_port, device) },
	U32_KEY("speed_mbit_per_s", struct network_port, speed_mbit_per_s, 1, 10000000),
	BOOL_KEY("required", struct network_port, required),
	NOTE_KEY("source"),
	FIELD_END
};

static const struct list network = { "a port", network_fields, sizeof(struct network_port), MAX_NETWORK, NULL };

/* path, rate and file are one thing, said as it reads best: of a sensor, of a clock, of a hwmon device. */
static const struct field sensor_fields[] = {
	NAME_KEY("name", struct sensor, name),
	WORDS_KEY("path", struct sensor, path),
	WORDS_KEY("rate", struct sensor, path),
	WORDS_KEY("file", struct sensor, path),
	TEXT_KEY("hwmon", struct sensor, hwmon),
	TEXT_KEY("label", struct sensor, label),
	TEXT_KEY("zone", struct sensor, zone),
	TEXT_KEY("cooling", struct sensor, cooling),
	TEXT_KEY("max", struct sensor, max_path),
	TEXT_KEY("cap", struct sensor, cap_path),
	TEXT_KEY("lock", struct sensor, lock_path),
	{ .key = "unit_hz", .kind = FIELD_U64, FIELD_IN(struct sensor, unit_hz), .min = 1, .max = 1000000000 },
	TEXT_KEY("rule", struct sensor, rule),
	{ .key = "limit", .kind = FIELD_MILLI, FIELD_IN(struct sensor, limit_milli) },
	NOTE_KEY("source"),
	FIELD_END
};

static bool every_path_is_absolute(const char *paths)
{
	for (; paths[0] == '/'; paths++) {
		paths = strchr(paths, '|');
		if (!paths)
			return true;
	}
	return false;
}

/* Is it clear where the value is to be read? */
static const char *check_place(const struct json *json, int token, const struct sensor *sensor)
{
	int paths = (json_member(json, token, "path") >= 0) + (json_member(json, token, "rate") >= 0) +
	            (json_member(json, token, "file") >= 0);
	bool in_hwmon = sensor->hwmon[0];

	if (paths + !!sensor->label[0] + !!sensor->zone[0] + !!sensor->cooling[0] != 1)
		return "a sensor has one of \"path\", \"rate\", \"file\", \"label\", \"zone\" and \"cooling\"";
	if (in_hwmon ? !!strchr(sensor->path, '/') || (!paths && !sensor->label[0]) : !!sensor->label[0])
		return "\"hwmon\" goes with a \"file\" in it or a \"label\"";
	if (!in_hwmon && paths && !every_path_is_absolute(sensor->path))
		return "a path must be absolute, or a file of a \"hwmon\"";
	if ((sensor->max_path[0] && sensor->max_path[0] != '/') || (sensor->cap_path[0] && sensor->cap_path[0] != '/') ||
	    (sensor->lock_path[0] && sensor->lock_path[0] != '/'))
		return "\"max\", \"cap\" and \"lock\" are absolute paths";
	return NULL;
}

/* Only the rules that are judged in that list: another would be accepted, and never applied. */
static const char *check_sensor(const struct reader *reader, int token, const struct sensor *sensor, const char *rules)
{
	bool limited = !strcmp(sensor->rule, "below") || !strcmp(sensor->rule, "lists");
	const char *wrong = check_place(reader->json, token, sensor);

	if (wrong)
		return wrong;
	if (sensor->rule[0] && !text_in_list(rules, '|', sensor->rule))
		return "\"rule\" is none of this list's: clocks have equal-max and lists; throttle no-increase, warn-increase, no-decrease and "
		       "zero; temperatures below; rails none";
	if (limited != (json_member(reader->json, token, "limit") >= 0))
		return "\"limit\" goes with the rules below and lists";
	if (!strcmp(sensor->rule, "equal-max") && !sensor->max_path[0])
		return "the rule equal-max needs \"max\"";
	return NULL;
}

static const char *check_clock(const struct reader *reader, int token, const void *element)
{
	return check_sensor(reader, token, element, "equal-max|lists");
}

static const char *check_throttle(const struct reader *reader, int token, const void *element)
{
	return check_sensor(reader, token, element, "no-increase|warn-increase|no-decrease|zero");
}

static const char *check_temperature(const struct reader *reader, int token, const void *element)
{
	return check_sensor(reader, token, element, "below");
}

static const char *check_rail(const struct reader *reader, int token, const void *element)
{
	return check_sensor(reader, token, element, "");
}

#define SENSORS(check) { "a sensor", sensor_fields, sizeof(struct sensor), MAX_CLOCKS, check }
static const struct list clocks = SENSORS(check_clock), throttles = SENSORS(check_throttle),
	temperatures = SENSORS(check_temperature), rails = SENSORS(check_rail);

static const struct field stack_fields[] = {
	NAME_KEY("name", struct stack, name),
	WORDS_KEY("kernel", struct stack, kernel),
	LIST_KEY("clocks", struct stack, clocks, clock_count, clocks),
	LIST_KEY("throttle", struct stack, throttle, throttle_count, throttles),
	LIST_KEY("temperatures", struct stack, temperatures, temperature_count, temperatures),
	LIST_KEY("rails", struct stack, rails, rail_count, rails),
	NOTE_KEY("source"),
	FIELD_END
};

static const struct list stacks = { "a stack", stack_fields, sizeof(struct stack), MAX_STACKS, NULL };

static const struct field power_mode_fields[] = {
	NAME_KEY("name", struct power_mode, name),
	U32_KEY("id", struct power_mode, id, 0, 255),
	U32_KEY("cpus", struct power_mode, cpus, 1, MAX_CPUS),
	U64_KEY("cpu_max_khz", struct power_mode, cpu_max_khz),
	U64_KEY("emc_max_hz", struct power_mode, emc_max_hz),
	BOOL_KEY("default", struct power_mode, is_default),
	NOTE_KEY("source"),
	FIELD_END
};

static const struct list power_modes = { "a power mode", power_mode_fields, sizeof(struct power_mode), MAX_POWER_MODES, NULL };

#define NEEDED_TEXT(name, type, member) { .key = name, .kind = FIELD_TEXT, .flags = FIELD_NEEDED, FIELD_IN(type, member) }

static const struct field failure_fields[] = {
	NEEDED_TEXT("symptom", struct failure, symptom),
	NEEDED_TEXT("shows_in", struct failure, shows_in),
	NEEDED_TEXT("verdict", struct failure, verdict),
	NOTE_KEY("source"),
	FIELD_END
};

static const struct list failures = { "a failure", failure_fields, sizeof(struct failure), MAX_FAILURES, NULL };

static int read_device_tree(const struct reader *reader, int token, void *base)
{
	struct board *board = base;

	if (json_type(reader->json, token) != JSON_ARRAY || json_first(reader->json, token) < 0)
		return fields_fault(reader, token, "\"device-tree\" must be a list of strings");
	for (int at = json_first(reader->json, token); at >= 0; at = json_next(reader->json, at)) {
		char *to = board->match_device_tree[board->match_device_tree_count];
		int err;

		if (board->match_device_tree_count == COUNT_OF(board->match_device_tree))
			return fields_fault(reader, at, "\"device-tree\" takes at most %zu strings", COUNT_OF(board->match_device_tree));
		err = fields_read_text(reader, at, "device-tree", to, sizeof board->match_device_tree[0]);
		if (err)
			return err;
		board->match_device_tree_count++;
	}
	return 0;
}

static const struct field dmi_fields[] = {
	TEXT_KEY("sys_vendor", struct board, match_vendor),
	NEEDED_TEXT("product_name", struct board, match_product),
	FIELD_END
};

static const struct field match_fields[] = {
	{ .key = "device-tree", .kind = FIELD_READ, .read = read_device_tree },
	{ .key = "dmi", .kind = FIELD_OBJECT, .fields = dmi_fields },
	TEXT_KEY("arch", struct board, match_arch),
	FIELD_END
};

static int read_match(const struct reader *reader, int token, void *base)
{
	const struct board *board = base;
	int err = fields_read(reader, token, match_fields, "\"match\"", base);

	if (err)
		return err;
	if (!json_size(reader->json, token))
		return fields_fault(reader, token, "\"match\" is empty: give \"device-tree\", \"dmi\" or \"arch\"");
	if (board->match_arch[0] && !text_in_list("x86_64|aarch64", '|', board->match_arch))
		return fields_fault(reader, token, "\"arch\" is x86_64 or aarch64, not \"%s\"", board->match_arch);
	return 0;
}

static int read_undeclared(const struct reader *reader, int token, void *base)
{
	struct board *board = base;

	board->read_undeclared = json_is(reader->json, token, "read");
	if (json_type(reader->json, token) == JSON_STRING && (board->read_undeclared || json_is(reader->json, token, "ignore")))
		return 0;
	return fields_fault(reader, token, "\"undeclared_storage\" is \"read\" or \"ignore\"");
}

static int read_temperature_stop(const struct reader *reader, int token, void *base)
{
	struct board *board = base;

	if (json_milli(reader->json, token, &board->temperature_stop_milli) || board->temperature_stop_milli <= 0 ||
	    board->temperature_stop_milli > 150000)
		return fields_fault(reader, token, "\"temperature_stop_c\" must be above 0 and at most 150");
	return 0;
}

/* The parameters of one step; what they are worth is for the step to say. */
static int read_step_params(const struct reader *reader, int key, struct board *board)
{
	int object = json_value(reader->json, key), err = 0;

	if (json_type(reader->json, object) != JSON_OBJECT)
		return fields_fault(reader, object, "here must be an object: parameter, then its value as a string");
	for (int at = json_first(reader->json, object); at >= 0 && !err; at = json_next(reader->json, at)) {
		struct board_param *param = &board->params[board->param_count];

		if (board->param_count == MAX_BOARD_PARAMS)
			return fields_fault(reader, at, "too many parameters: at most %d", MAX_BOARD_PARAMS);
		err = fields_read_text(reader, key, "params", param->step, sizeof param->step);
		if (!err)
			err = fields_read_text(reader, at, "params", param->param, sizeof param->param);
		if (!err)
			err = fields_read_text(reader, json_value(reader->json, at), "params", param->value, sizeof param->value);
		json_place(reader->json, at, &param->line, &param->column);
		board->param_count++;
	}
	return err;
}

static int read_params(const struct reader *reader, int token, void *base)
{
	int err = 0;

	if (json_type(reader->json, token) != JSON_OBJECT)
		return fields_fault(reader, token, "\"params\" must be an object: step, then its parameters");
	for (int key = json_first(reader->json, token); key >= 0 && !err; key = json_next(reader->json, key))
		err = read_step_params(reader, key, base);
	return err;
}

static const struct field memory_fields[] = {
	U64_KEY("bound_bytes_per_s", struct board, memory_bound_bytes_per_s),
	NOTE_KEY("source"),
	FIELD_END
};

static const struct field board_fields[] = {
	NAME_KEY("board", struct board, name),
	NEEDED_TEXT("title", struct board, title),
	NOTE_KEY("source"),
	{ .key = "match", .kind = FIELD_READ, .flags = FIELD_NEEDED, .read = read_match },
	{ .key = "undeclared_storage", .kind = FIELD_READ, .read = read_undeclared },
	U64_KEY("write_cap_bytes", struct board, write_cap_bytes),
	{ .key = "temperature_stop_c", .kind = FIELD_READ, .read = read_temperature_stop },
	LIST_KEY("skus", struct board, skus, sku_count, skus),
	LIST_KEY("storage", struct board, storage, storage_count, storage),
	LIST_KEY("network", struct board, network, network_count, network),
	{ .key = "memory", .kind = FIELD_OBJECT, .fields = memory_fields },
	LIST_KEY("stacks", struct board, stacks, stack_count, stacks),
	LIST_KEY("power_modes", struct board, power_modes, power_mode_count, power_modes),
	LIST_KEY("failures", struct board, failures, failure_count, failures),
	{ .key = "params", .kind = FIELD_READ, .read = read_params },
	{ .key = "limits", .kind = FIELD_READ, .read = limit_read_all },
	FIELD_END
};

static void sign(struct board *board, const char *name, const char *text, size_t size)
{
	struct sha256 sha;

	sha256_start(&sha);
	sha256_add(&sha, text, size);
	sha256_hex(&sha, board->sha256);
	text_copy(board->source, sizeof board->source, name);
}

int board_parse(struct board *board, const char *name, const char *text, size_t size, char *fault, size_t fault_size)
{
	static struct json json; /* its tokens are too many for a stack */
	const struct reader reader = { &json, fault, fault_size };
	int err = json_parse(&json, name, text, size, fault, fault_size);

	memset(board, 0, sizeof *board);
	if (!err)
		err = fields_read(&reader, 0, board_fields, "a board file", board);
	if (!err)
		sign(board, name, text, size);
	return err;
}
