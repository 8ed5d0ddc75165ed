/*
 * probe.c: `assay probe [--capture FOLDER] [--scrub] [--sysroot DIR] [--board NAME|FILE]`: what this machine is.
 *
 * Identity, every block device and port, which board file fits and why, the parts it declares and its sensors.  Reads the
 * kernel's files only and opens no device.  With --capture the files that were read are copied to FOLDER, a tree that
 * --sysroot takes: the first visit to a bench becomes a test; --scrub replaces serial numbers and addresses in it.
 * 0, or 2 for wrong words, a board file with a fault, no board file that fits, or a copy that is not whole.
 */
#include <errno.h> /* the names of errors only */
#include <string.h>

#include "cli/cli.h"
#include "cli/probe.h"
#include "event.h"
#include "lib/text.h"
#include "run/choose.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/identify.h"

struct words { const char *capture, *sysroot, *board; bool scrub; };

static struct identity identity;
static struct board board;
static char fault[400];

/* "--name VALUE" or "--name=VALUE" at argv[*at], which moves to the value; NULL when it is another word. */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
	size_t length = strlen(name);

	if (strncmp(argv[*at], name, length))
		return NULL;
	if (argv[*at][length] == '=')
		return argv[*at] + length + 1;
	if (argv[*at][length] || *at + 1 >= argc)
		return NULL;
	return argv[++*at];
}

static int read_words(struct words *words, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i], *value;

		if (!strcmp(word, "--scrub"))
			words->scrub = true;
		else if ((value = value_of("--capture", argc, argv, &i)))
			words->capture = value;
		else if ((value = value_of("--sysroot", argc, argv, &i)))
			words->sysroot = value;
		else if ((value = value_of("--board", argc, argv, &i)))
			words->board = value;
		else if (text_in_list("--capture|--sysroot|--board", '|', word))
			return cli_usage("%s needs a value", word);
		else
			return cli_usage("unexpected word \"%s\": probe takes --capture FOLDER, --scrub, --sysroot DIR, --board NAME|FILE", word);
	}
	if (words->scrub && !words->capture)
		return cli_usage("--scrub goes with --capture FOLDER");
	return 0;
}

static void print_text(const char *label, const char *value)
{
	if (value[0])
		cli_print("  %-14s %s\n", label, value);
}

/* A further line of a device. */
static void print_detail(const char *label, const char *value)
{
	if (value[0])
		cli_print("  %-14s %-7s %s\n", "", label, value);
}

static void print_machine(void)
{
	char compatible[sizeof identity.compatible];

	text_copy(compatible, sizeof compatible, identity.compatible);
	for (char *at = compatible; *at; at++)
		if (*at == '\n')
			*at = ' ';
	cli_print("machine%s\n", file_is_simulated() ? " (simulated: read below --sysroot)" : "");
	print_text("architecture", identity.arch);
	print_text("kernel", identity.kernel);
	print_text("vendor", identity.vendor);
	print_text("product", identity.product);
	print_text("firmware", identity.bios_version);
	print_text("device tree", compatible);
	print_text("part", identity.sku);
	print_text("serial", identity.serial[0] ? identity.serial : "none told");
	print_text("CPU", identity.cpu_model);
	cli_print("  %-14s %u online of %u\n", "CPUs", identity.cpus_online, identity.cpus_possible);
	cli_print("  %-14s %llu bytes (%s)\n", "memory", (unsigned long long)identity.memory_bytes,
	          cli_value(milli_whole(identity.memory_bytes), "B"));
}

static void print_link(const struct disk *disk)
{
	if (disk->link_width)
		cli_print("  %-14s %-7s %s x%u, of at most %s x%u\n", "", "link", disk->link_speed, disk->link_width, disk->link_speed_max,
		          disk->link_width_max);
}

static void print_disk(const struct disk *disk)
{
	cli_print("  %-14s %-7s %llu bytes (%s), blocks of %u/%u%s%s\n", disk->name, disk->bus,
	          (unsigned long long)disk->size_bytes, cli_value(milli_whole(disk->size_bytes), "B"), disk->logical_block_bytes,
	          disk->physical_block_bytes, disk->read_only ? ", read-only" : "", disk->removable ? ", removable" : "");
	print_detail("model", disk->model);
	print_detail("serial", disk->serial);
	print_detail("at", disk->bus_path);
	print_detail("mode", disk->mode);
	print_link(disk);
}

static void print_port(const struct port *port)
{
	cli_print("  %-14s %-7s %s, MTU %u, address %s", port->name, port->operstate, port->driver[0] ? port->driver : "no driver",
	          port->mtu, port->address[0] ? port->address : "none");
	if (port->speed_mbit_per_s)
		cli_print(", %u Mbit/s", port->speed_mbit_per_s);
	cli_print("\n");
	print_detail("at", port->bus_path);
}

static void print_devices(void)
{
	cli_print("\nstorage%s\n", identity.disk_count ? "" : ": no block device");
	for (unsigned i = 0; i < identity.disk_count; i++)
		print_disk(&identity.disks[i]);
	cli_print("\nnetwork%s\n", identity.port_count ? "" : ": no port");
	for (unsigned i = 0; i < identity.port_count; i++)
		print_port(&identity.ports[i]);
}

static int print_board(const char *wanted)
{
	cli_print("\nboard files\n");
	for (unsigned i = 0; board_embedded(i); i++) {
		if (choose_board(&board, board_embedded(i)->name, &identity, fault, sizeof fault))
			return cli_usage("%s", fault);
		probe_fit(&board, &identity);
	}
	if (choose_board(&board, wanted, &identity, fault, sizeof fault))
		return cli_usage("%s", fault);
	probe_board(&board, &identity);
	return 0;
}

/* FOLDER is made when it is not there; never below /dev. */
static int start_capture(const struct words *words)
{
	int err = text_starts(words->capture, "/dev/") ? -EACCES : sys_mkdir(words->capture, 0777);

	if (!err || err == -EEXIST)
		err = file_capture(words->capture, words->scrub);
	return err ? cli_usage("--capture %s: %s", words->capture, sys_error(err)) : 0;
}

static int end_capture(const struct words *words)
{
	int err = file_capture(NULL, false);

	if (err)
		return cli_usage("--capture %s: the copy is not whole: %s", words->capture, sys_error(err));
	cli_print("\nwhat was read is copied to %s%s\n", words->capture,
	          words->scrub ? ", serial numbers and addresses replaced" : "");
	return 0;
}

static int set_root(const struct words *words)
{
	int err = words->sysroot ? file_root(words->sysroot) : 0;

	return err ? cli_usage("--sysroot %s: %s", words->sysroot, sys_error(err)) : 0;
}

int cli_probe(int argc, char **argv)
{
	struct words words = { .board = "" };
	int status = read_words(&words, argc, argv);

	if (!status)
		status = set_root(&words);
	if (!status && words.capture)
		status = start_capture(&words);
	if (status)
		return status;
	identify_machine(&identity);
	print_machine();
	print_devices();
	status = print_board(words.board);
	if (words.capture && end_capture(&words))
		status = 2;
	return status;
}
