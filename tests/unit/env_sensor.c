#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "env/sensor.h"
#include "env/snapshot.h"
#include "sys/call.h"
#include "sys/file.h"
#include "test.h"

static char root[64];

/* Writes a file below the root, with the folders above it. */
static void put(const char *path, const char *content)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *c = whole + strlen(root) + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			sys_mkdir(whole, 0700);
			*c = '/';
		}
	int fd = sys_open(whole, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	check_equal(sys_write_all(fd, content, strlen(content)), 0);
	sys_close(fd);
}

static void new_root(void)
{
	snprintf(root, sizeof root, "/tmp/assay-sensor-XXXXXX");
	check(mkdtemp(root) != NULL);
	check_equal(file_root(root), 0);
}

static void end_root(void)
{
	char command[128];

	file_root("");
	snprintf(command, sizeof command, "rm -rf '%s'", root);
	check_equal(system(command), 0);
}

test(a_plain_path_is_read)
{
	struct sensor sensor = { .path = "/sys/clk/emc/rate" };
	int64_t value;

	new_root();
	put("/sys/clk/emc/rate", "3199000000\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, 3199000000);
	end_root();
}

test(the_first_alternative_that_can_be_read_counts)
{
	struct sensor sensor = { .path = "/sys/none|/sys/second|/sys/third" };
	int64_t value;

	new_root();
	put("/sys/second", "2\n");
	put("/sys/third", "3\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, 2);
	end_root();
}

test(all_matches_of_a_star_are_summed_up)
{
	struct sensor sensor = { .path = "/sys/devices/system/cpu/cpu*/thermal_throttle/core_throttle_count" };
	int64_t value;

	new_root();
	put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
	put("/sys/devices/system/cpu/cpu11/thermal_throttle/core_throttle_count", "4\n");
	put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, 7);
	end_root();
}

test(a_hwmon_is_found_by_its_name)
{
	struct sensor sensor = { .hwmon = "soctherm_oc", .path = "oc1_event_cnt" };
	int64_t value;

	new_root();
	put("/sys/class/hwmon/hwmon0/name", "ina3221\n");
	put("/sys/class/hwmon/hwmon0/oc1_event_cnt", "99\n");
	put("/sys/class/hwmon/hwmon3/name", "soctherm_oc\n");
	put("/sys/class/hwmon/hwmon3/oc1_event_cnt", "2\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, 2);
	end_root();
}

test(a_zone_is_found_by_its_type_without_case_and_may_be_below_zero)
{
	struct sensor sensor = { .zone = "TJ-therm" };
	int64_t value;

	new_root();
	put("/sys/class/thermal/thermal_zone0/type", "CPU-therm\n");
	put("/sys/class/thermal/thermal_zone0/temp", "51000\n");
	put("/sys/class/thermal/thermal_zone8/type", "tj-therm\n");
	put("/sys/class/thermal/thermal_zone8/temp", "-3500\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, -3500);
	end_root();
}

test(cooling_devices_of_a_kind_are_summed_up)
{
	struct sensor sensor = { .cooling = "*-throttle-alert" };
	int64_t value;

	new_root();
	put("/sys/class/thermal/cooling_device0/type", "cpu-throttle-alert\n");
	put("/sys/class/thermal/cooling_device0/cur_state", "1\n");
	put("/sys/class/thermal/cooling_device1/type", "gpu-throttle-alert\n");
	put("/sys/class/thermal/cooling_device1/cur_state", "0\n");
	put("/sys/class/thermal/cooling_device2/type", "pwm-fan\n");
	put("/sys/class/thermal/cooling_device2/cur_state", "3\n");
	check_equal(sensor_read(&sensor, &value), 0);
	check_equal(value, 1);
	end_root();
}

test(what_is_not_there_or_no_number_is_never_zero)
{
	struct sensor absent = { .path = "/sys/none" }, list = { .path = "/sys/rates" }, label = { .hwmon = "ina3221", .label = "VDD" };
	int64_t value;

	new_root();
	put("/sys/rates", "204000 2133000 3199000\n");
	check_equal(sensor_read(&absent, &value), -ENOENT);
	check_equal(sensor_read(&list, &value), -EINVAL);
	check_equal(sensor_read(&label, &value), -ENOENT);
	end_root();
}

test(a_sum_beyond_64_bits_is_an_error_never_a_small_number)
{
	struct sensor one = { .path = "/sys/big0" }, all = { .path = "/sys/c/n*/count" };
	int64_t value;

	new_root();
	put("/sys/big0", "9223372036854775808\n");
	put("/sys/c/n0/count", "9223372036854775807\n");
	put("/sys/c/n1/count", "1\n");
	check_equal(sensor_read(&one, &value), -ERANGE);
	check_equal(sensor_read(&all, &value), -ERANGE);
	put("/sys/big0", "9223372036854775807\n");
	check_equal(sensor_read(&one, &value), 0);
	check_equal(value, INT64_MAX);
	end_root();
}

test(a_table_of_rates_lists_whole_numbers)
{
	struct sensor table = { .path = "/sys/rates" }, absent = { .path = "/sys/none" };

	new_root();
	put("/sys/rates", "204000 2133000 3199000\n");
	check_equal(sensor_lists(&table, 3199000), 1);
	check_equal(sensor_lists(&table, 204000), 1);
	check_equal(sensor_lists(&table, 319900), 0);
	check_equal(sensor_lists(&absent, 3199000), -ENOENT);
	end_root();
}

test(a_star_stands_for_any_part)
{
	check(sensor_fits("cpu*", "cpu12"));
	check(sensor_fits("*-alert", "hot-surface-ALERT"));
	check(sensor_fits("mc*", "mc"));
	check(!sensor_fits("cpu*", "gpu1"));
	check(!sensor_fits("ab*ba", "aba"));
	check(!sensor_fits("cpu", "cpu1"));
}

test(load_and_processes_are_taken_from_one_line)
{
	struct snapshot snapshot;

	check_equal(snapshot_parse_load("0.25 0.06 0.02 3/93 7884\n", &snapshot), 0);
	check_equal(snapshot.load_milli, 250);
	check_equal(snapshot.running, 3);
	check_equal(snapshot.processes, 93);
	check_equal(snapshot_parse_load("0.25 0.06 0.02", &snapshot), -EINVAL);
	check_equal(snapshot_parse_load("", &snapshot), -EINVAL);
}

test(memory_is_taken_by_its_whole_key)
{
	uint64_t bytes;

	check_equal(snapshot_parse_memory("MemTotal:  100 kB\nMemAvailable:   20 kB\n", "MemAvailable:", &bytes), 0);
	check_equal(bytes, 20480);
	check_equal(snapshot_parse_memory("MemTotal:  100 kB\n", "MemAvailable:", &bytes), -EINVAL);
	check_equal(snapshot_parse_memory("MemAvailable: lots\n", "MemAvailable:", &bytes), -EINVAL);
	check_equal(snapshot_parse_memory("MemAvailable: 18446744073709551615 kB\n", "MemAvailable:", &bytes), -EINVAL);
}

test(a_snapshot_without_proc_tells_nothing)
{
	struct snapshot snapshot;

	new_root();
	check_equal(snapshot_read(&snapshot), 0);
	check_string(snapshot.clocksource, "");
	put("/proc/loadavg", "1.50 0.06 0.02 3/93 7884\n");
	check_equal(snapshot_read(&snapshot), 2);
	check(snapshot.has_load && snapshot.has_processes && !snapshot.has_memory);
	end_root();
}
