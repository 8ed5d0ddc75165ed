#include <errno.h>

#include "capacity.h"
#include "env/clock_lock.h"
#include "lib/text.h"
#include "sys/display.h"
#include "sys/file.h"
#include "sys/guard.h"
#include "sys_tree.h"
#include "test.h"

#define CPU "/sys/devices/system/cpu"
#define EMC "/sys/kernel/debug/bpmp/debug/clk/emc"

static struct stack stack;
static char why[200];

static void start(void)
{
	static const struct sensor emc = { .name = "emc", .path = EMC "/rate", .max_path = EMC "/max_rate", .lock_path = EMC "/mrq_rate_locked",
	                                   .cap_path = "/sys/kernel/nvpmodel_clk_cap/emc" };

	tree_start();
	for (unsigned cpu = 0; cpu < 12; cpu += 4) {
		static const struct { const char *file, *content; } files[] = {
			{ "cpufreq/scaling_min_freq", "729600\n" }, { "cpufreq/scaling_max_freq", "2201600\n" },
			{ "cpuidle/state0/disable", "0\n" }, { "cpuidle/state1/disable", "0\n" },
		};
		char path[128];

		for (unsigned i = 0; i < COUNT_OF(files); i++) {
			text_format(path, sizeof path, CPU "/cpu%u/%s", cpu, files[i].file);
			tree_put(path, files[i].content);
		}
	}
	tree_put(CPU "/online", "0,4,8\n");
	tree_put(EMC "/rate", "204000000\n");
	tree_put(EMC "/max_rate", "3199000000\n");
	tree_put(EMC "/mrq_rate_locked", "0\n");
	stack = (struct stack){ .clock_count = 1, .clocks = { emc } };
	check_equal(file_root(tree), 0);
	check_equal(guard_start(), 0);
}

static void end(void)
{
	check_equal(guard_end(), 0);
	check_equal(file_root(""), 0);
	tree_end();
}

/* What a file of the tree says, without its newline. */
static const char *says(const char *path)
{
	static char content[64];

	text_copy(content, sizeof content, tree_get(path));
	return text_trim(content);
}

test(the_memory_clock_is_held_at_its_maximum_and_let_go)
{
	start();
	check(clock_available(CLOCK_EMC, &stack, why, sizeof why));
	check_equal(clock_lock(CLOCK_EMC, &stack, why, sizeof why), 0);
	check_string(says(EMC "/rate"), "3199000000");
	check_string(says(EMC "/mrq_rate_locked"), "1");
	check_string(says(CPU "/cpu4/cpufreq/scaling_min_freq"), "729600"); /* one kind at a time */
	check_equal(clock_unlock(CLOCK_EMC, why, sizeof why), 0);
	check_string(says(EMC "/rate"), "204000000");
	check_string(says(EMC "/mrq_rate_locked"), "0");
	end();
}

test(a_cap_below_the_maximum_is_the_maximum)
{
	start();
	tree_put("/sys/kernel/nvpmodel_clk_cap/emc", "2133000000\n");
	check_equal(clock_lock(CLOCK_EMC, &stack, why, sizeof why), 0);
	check_string(says(EMC "/rate"), "2133000000");
	end(); /* the guardian lets go what we did not */
}

test(cpufreq_and_cpuidle_are_held_on_every_cpu)
{
	start();
	check_equal(clock_lock(CLOCK_CPUFREQ, NULL, why, sizeof why), 0);
	check_equal(clock_lock(CLOCK_CPUIDLE, NULL, why, sizeof why), 0);
	check_string(says(CPU "/cpu0/cpufreq/scaling_min_freq"), "2201600");
	check_string(says(CPU "/cpu8/cpufreq/scaling_min_freq"), "2201600");
	check_string(says(CPU "/cpu8/cpuidle/state1/disable"), "1");
	check_string(says(CPU "/cpu0/cpuidle/state0/disable"), "1");
	check_equal(clock_unlock(CLOCK_CPUIDLE, why, sizeof why), 0);
	check_string(says(CPU "/cpu8/cpuidle/state1/disable"), "0");
	check_string(says(CPU "/cpu8/cpufreq/scaling_min_freq"), "2201600");
	check_equal(clock_unlock(CLOCK_CPUFREQ, why, sizeof why), 0);
	check_string(says(CPU "/cpu8/cpufreq/scaling_min_freq"), "729600");
	end();
}

test(what_is_not_there_is_named)
{
	tree_start();
	tree_put(CPU "/cpu0/online", "1\n");
	check_equal(file_root(tree), 0);
	for (enum clock_kind kind = 0; kind < CLOCK_KINDS; kind++) {
		*why = '\0';
		check(!clock_available(kind, NULL, why, sizeof why));
		check(strlen(why) > 10);
		check(!clock_lock(kind, NULL, why, sizeof why) || kind == CLOCK_EMC);
	}
	check_equal(file_root(""), 0);
	tree_end();
}

test(a_setting_that_cannot_be_written_leaves_all_as_it_was)
{
	start();
	unlink(tree_path(EMC "/rate"));
	mkdir(tree_path(EMC "/rate"), 0755); /* it cannot be read nor written */
	check(clock_lock(CLOCK_EMC, &stack, why, sizeof why) < 0);
	check(text_find(why, EMC "/rate") != NULL);
	check_string(says(EMC "/mrq_rate_locked"), "0");
	end();
}

test(a_firmware_that_refuses_without_a_word_is_found_out)
{
	start();
	check_equal(file_root(""), 0); /* a device that takes all and keeps nothing */
	stack.clocks[0] = (struct sensor){ .name = "emc", .path = "/dev/null", .max_path = "/proc/sys/kernel/pid_max", .lock_path = "/dev/null" };
	check_equal(clock_lock(CLOCK_EMC, &stack, why, sizeof why), -EIO);
	check(text_find(why, "was not taken") != NULL);
	end();
}

/* ---- the display ---- */

test(without_a_driver_the_display_is_unknown)
{
	tree_start();
	check_equal(file_root(tree), 0);
	check_equal(display_state(why, sizeof why), DISPLAY_UNKNOWN);
	tree_put("/sys/class/drm/card0-DP-1/status", "disconnected\n");
	tree_put("/sys/class/drm/card0/dev", "226:0\n");
	check_equal(display_state(why, sizeof why), DISPLAY_OFF);
	tree_put("/sys/class/drm/card0-HDMI-A-1/status", "connected\n");
	check_equal(display_state(why, sizeof why), DISPLAY_ON);
	check(text_find(why, "DP-1 disconnected") && text_find(why, "HDMI-A-1 connected"));
	check_equal(file_root(""), 0);
	tree_end();
}

test(a_display_that_cannot_be_forced_is_let_go_again)
{
	tree_start();
	tree_put("/sys/class/drm/card0-DP-1/status", "disconnected\n");
	check_equal(file_root(tree), 0);
	check_equal(guard_start(), 0);
	check_equal(display_force(DISPLAY_ON), -EOPNOTSUPP); /* an ordinary file reads "on" then */
	check_string(says("/sys/class/drm/card0-DP-1/status"), "detect");
	check_equal(guard_end(), 0);
	check_equal(file_root(""), 0);
	tree_end();
}

test(a_forced_display_is_let_go_by_the_guardian)
{
	tree_start();
	tree_put("/sys/class/drm/card0-DP-1/status", "disconnected\n");
	check_equal(file_root(tree), 0);
	check_equal(guard_start(), 0);
	check_equal(guard_command("/sys/class/drm/card0-DP-1/status", "on", "detect"), 0);
	check_string(says("/sys/class/drm/card0-DP-1/status"), "on");
	check_equal(guard_end(), 0);
	check_string(says("/sys/class/drm/card0-DP-1/status"), "detect");
	check_equal(file_root(""), 0);
	tree_end();
}
