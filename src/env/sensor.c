/* sensor.c: a folder is searched for the devices that fit, and one file of each is added up. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "env/sensor.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/file.h"

bool sensor_fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : 0, after = star ? strlen(star + 1) : 0, length = strlen(name);

	if (!star)
		return !strcasecmp(pattern, name);
	return length >= before + after && !strncasecmp(name, pattern, before) && !strcasecmp(name + length - after, star + 1);
}

/* What has been found so far. */
struct sum {
	int64_t value;
	unsigned found;
	bool overflow;
	int error; /* of the last file that was there and could not be read */
};

static void add_file(struct sum *sum, const char *path)
{
	char content[64];
	const char *digits = content;
	uint64_t number;
	ssize_t length = file_read(path, content, sizeof content);
	int err = length < 0 ? (int)length : 0;

	if (!err) {
		text_trim(content);
		digits += content[0] == '-';
		err = number_parse(digits, &number);
	}
	if (!err && (digits == content ? __builtin_add_overflow(sum->value, number, &sum->value)
	                               : __builtin_sub_overflow(sum->value, number, &sum->value)))
		sum->overflow = true;
	if (err && err != -ENOENT && err != -ENOTDIR)
		sum->error = err;
	sum->found += !err;
}

/* Of every entry of folder whose name fits (and whose file `type` reads as type_fits, when that is given), the file. */
struct search {
	struct sum *sum;
	const char *folder, *name_fits, *type, *type_fits, *file;
};

static int add_entry(const char *name, void *context)
{
	const struct search *search = context;
	char type[64], path[MAX_PATH];
	struct text at = TEXT(path);

	if (!sensor_fits(search->name_fits, name))
		return 0;
	if (search->type) {
		file_string(type, sizeof type, "%s/%s/%s", search->folder, name, search->type);
		if (!sensor_fits(search->type_fits, type))
			return 0;
	}
	text_add_format(&at, "%s/%s/%s", search->folder, name, search->file);
	add_file(search->sum, path);
	return 0;
}

/* The component with the * is searched for; what comes behind it is the file. */
static void add_pattern(struct sum *sum, char *path)
{
	char *star = strchr(path, '*'), *component = star, *rest;

	if (!star) {
		add_file(sum, path);
		return;
	}
	while (component > path && component[-1] != '/')
		component--;
	rest = strchr(star, '/');
	if (component == path || !rest)
		return;
	component[-1] = *rest = '\0';
	file_each(path, add_entry, &(struct search){ .sum = sum, .folder = path, .name_fits = component, .file = rest + 1 });
}

/* The first of the alternatives that can be read counts. */
static void add_alternatives(struct sum *sum, const char *paths)
{
	char path[sizeof ((struct sensor *)0)->path];

	while (*paths && !sum->found) {
		size_t length = strcspn(paths, "|");
		struct text one = TEXT(path);

		text_add_bytes(&one, paths, length);
		add_pattern(sum, path);
		paths += length + (paths[length] == '|');
	}
}

static void add_devices(struct sum *sum, const char *folder, const char *type, const char *type_fits, const char *file)
{
	file_each(folder, add_entry, &(struct search){ sum, folder, "*", type, type_fits, file });
}

int sensor_read(const struct sensor *sensor, int64_t *value)
{
	struct sum sum = { .value = 0 };

	if (sensor->hwmon[0] && sensor->path[0])
		add_devices(&sum, "/sys/class/hwmon", "name", sensor->hwmon, sensor->path);
	else if (sensor->zone[0])
		add_devices(&sum, "/sys/class/thermal", "type", sensor->zone, "temp");
	else if (sensor->cooling[0])
		add_devices(&sum, "/sys/class/thermal", "type", sensor->cooling, "cur_state");
	else
		add_alternatives(&sum, sensor->path);
	*value = sum.value;
	if (sum.overflow)
		return -ERANGE;
	return sum.found ? 0 : sum.error ? sum.error : -ENOENT;
}

int sensor_lists(const struct sensor *sensor, uint64_t number)
{
	char content[1024], *word, *rest = content;
	uint64_t listed;
	ssize_t length = file_read(sensor->path, content, sizeof content);

	if (length < 0)
		return (int)length;
	while ((word = strtok_r(rest, " \t\n", &rest)))
		if (!number_parse(word, &listed) && listed == number)
			return 1;
	return 0;
}
