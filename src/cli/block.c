/*
 * block.c: `assay block DEV`: one storage measurement or a sweep, with fio's words; or the integrity of DEV (--verify), or its
 * health (--selftest).  DEV is a block device or a file; what writes needs one that may be overwritten, as --scratch does.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/launch.h"
#include "lib/text.h"
#include "run/interrupt.h"
#include "run/scratch_open.h"
#include "run/target.h"
#include "step/block_command.h"
#include "step/sequence.h"

static struct launch launch;
static const char *device;

/* Steps whose parameters are options of this command. */
static const struct step *own[4];

static struct setting *find_setting(const char *param)
{
	for (unsigned i = launch.options.set_count; i-- > 0; )
		if (!strcmp(launch.options.sets[i].param, param))
			return &launch.options.sets[i];
	return NULL;
}

static int add_setting(const struct step *step, const char *param, const char *value)
{
	if (launch.options.set_count == MAX_SETS)
		return cli_usage("more than %d settings", MAX_SETS);
	launch.options.sets[launch.options.set_count++] = (struct setting){ step->name, param, value };
	return 0;
}

/* fio's shorter way of saying it. */
static int spell_out(void)
{
	struct setting *distribution = find_setting("random_distribution");

	if (distribution && text_starts(distribution->value, "zipf:")) {
		const char *theta = distribution->value + 5;

		distribution->value = "zipf";
		return add_setting(&step_block, "zipf_theta", theta);
	}
	return 0;
}

/* Which of them is wanted: by the option that only one of them has. */
static const struct step *wanted_step(void)
{
	if (find_setting("verify"))
		return sequence_find("block.verify");
	return find_setting("selftest") ? sequence_find("block.health") : &step_block;
}

/* Options that several of the steps have (--size, --ioengine) are the wanted one's. */
static int hand_over(const struct step *step)
{
	for (unsigned i = 0; i < launch.options.set_count; i++) {
		struct setting *setting = &launch.options.sets[i];

		if (!step_param(step, setting->param))
			return cli_usage("--%s does not go with %s", setting->param, step == &step_block ? "a measurement: it belongs to --verify or --selftest" : step->name);
		setting->step = step->name;
	}
	return 0;
}

static bool has_value(const char *param, const char *values)
{
	const struct setting *setting = find_setting(param);

	return setting && text_in_list(values, ' ', setting->value);
}

static bool writes(const struct step *step)
{
	static struct ctx ctx;
	char unused[160];

	if (step != &step_block)
		return has_value("verify", "full sample");
	return !session_prepare(&launch.session, step, &ctx, unused, sizeof unused) && block_command_writes(&ctx);
}

static int open_to_read(struct launch *given, char *fault, unsigned size)
{
	return target_open(device, &given->scratch, fault, size);
}

static int open_to_write(struct launch *given, char *fault, unsigned size)
{
	static const char option[] = "--scratch ";
	int err = scratch_open(device, given->options.destroy, &given->scratch, fault, size);

	target_only(&given->scratch);
	/* Here it is no option. */
	if (err && text_starts(fault, option))
		memmove(fault, fault + strlen(option), strlen(fault) - strlen(option) + 1);
	return err;
}

static int prepare(int argc, char **argv, const struct step **step)
{
	unsigned others;
	int status;

	own[0] = &step_block;
	own[1] = sequence_find("block.verify");
	own[2] = sequence_find("block.health");
	status = launch_prepare(&launch, own, argc, argv, &device, 1, &others);
	if (status)
		return status;
	if (!others)
		return cli_usage("block needs a device or a file: assay block DEV [options], see `assay help block`");
	if (*launch.options.scratch || *launch.options.only || *launch.options.skip)
		return cli_usage("--scratch, --only and --skip are of `assay run`: block has one device, the one it is given");
	*step = wanted_step();
	status = spell_out();
	if (!status)
		status = hand_over(*step);
	/* A command verifies all of its device, unlike a run, which has no minutes to spare. */
	if (!status && *step != &step_block && step_param(*step, "size") && !find_setting("size"))
		status = add_setting(*step, "size", "0");
	if (!status)
		status = launch_check_format(&launch, FORMAT_FIO_JSON);
	if (!status && launch.options.format == FORMAT_FIO_JSON)
		status = *step == &step_block ? add_setting(*step, "series", "1") : cli_usage("--format fio-json is of measurements alone");
	return status ? status : launch_steps(&launch, (const struct step *const[]){ *step, NULL });
}

int cli_block(int argc, char **argv)
{
	const struct step *step = &step_block;
	int status;

	if (cli_asks_study(argc, argv))
		return cli_study_of(argc, argv);
	interrupt_install();
	status = prepare(argc, argv, &step);
	return status ? status : launch_run(&launch, writes(step) ? open_to_write : open_to_read, argc, argv);
}
