/* init.c: the sequence of process 1; see init.h. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init/cmdline.h"
#include "init/console.h"
#include "init/ending.h"
#include "init/init.h"
#include "init/modules.h"
#include "init/mounts.h"
#include "init/network.h"
#include "init/result.h"
#include "init/settle.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"

#define PATIENCE_NS SECONDS(10)
#define INTERFACE_NS SECONDS(5)

static struct cmdline cmdline;
static struct network network;
static struct ending ending;
static bool owns_machine;

/* The kernel's own namespace of process ids has a fixed inode number (PROC_PID_INIT_INO); without /proc: process 2 of it
 * is kthreadd, and in a container there is nobody else yet. */
bool init_owns_machine(void)
{
	struct stat status;

	if (!stat("/proc/self/ns/pid", &status))
		return status.st_ino == 0xeffffffc;
	return sys_kill(2, 0) == 0;
}

static void read_words(int argc, char **argv)
{
	static char text[CMDLINE_BYTES + 1]; /* one more than is accepted, so that a cut is seen */

	cmdline_clear(&cmdline);
	if (file_read("/proc/cmdline", text, sizeof(text)) > 0)
		cmdline_add(&cmdline, text);
	for (int i = 1; i < argc; i++)
		cmdline_add_word(&cmdline, argv[i]);
	if (!cmdline.fault[0])
		network_parse(cmdline.ip, cmdline.gateway, &network, cmdline.fault, sizeof(cmdline.fault));
}

/* A drive that is stuck would keep sync for ever, and the board from powering off. */
static void sync_drives(void)
{
	pid_t child = sys_fork();

	if (!child) {
		sync();
		_exit(0);
	}
	for (unsigned i = 0; i < 100 && child > 0 && !sys_waitpid(child, NULL, WNOHANG); i++)
		sys_sleep_ns(MS(50));
}

static void end_machine(enum init_end end)
{
	if (end != END_HALT)
		reboot(end == END_REBOOT ? RB_AUTOBOOT : RB_POWER_OFF);
	reboot(RB_HALT_SYSTEM);
}

/* In a child: on hardware that cannot do it the kernel ends the caller, and without process 1 it would panic and wipe
 * the verdict off the screen.  Returns in a container, and when there is no right to it. */
static void leave(void)
{
	int status = 1;
	pid_t child;

	if (!owns_machine)
		return;
	child = sys_fork();
	if (child <= 0) {
		end_machine(cmdline.end);
		_exit(1);
	}
	while (sys_waitpid(child, &status, 0) == -EINTR) {
	}
	while (status == 0)
		pause();
}

static int finish(void)
{
	if (ending.line[0]) { /* a server has none */
		result_send(&ending, cmdline.result); /* first: what goes wrong with it stands above the verdict */
		result_show(&ending);
	}
	sync_drives();
	result_exit(&ending, cmdline.result);
	leave();
	return verdict_status(ending.verdict);
}

/* Without it, the kernel panics: silence in place of a verdict. */
static void on_crash(int signal)
{
	console_say("init itself was ended by signal %d", signal);
	ending_error(&ending);
	_exit(finish());
}

static void catch_crashes(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS };
	const struct sigaction on = { .sa_handler = on_crash, .sa_flags = (int)SA_RESETHAND };

	for (unsigned i = 0; i < COUNT_OF(crashes); i++)
		sigaction(crashes[i], &on, NULL);
}

/* A run goes on without its network: a port that is missing or broken is the run's to find, and a board that fails has failed. */
static void do_command(const struct init_commands *commands)
{
	char fault[sizeof(cmdline.fault)];
	int err = network_set_up(&network, cmdline.wait_ns + INTERFACE_NS, fault, sizeof(fault));

	if (err)
		console_say("%s", fault);
	settle_drives(cmdline.wait_ns);
	if (!cmdline.serves)
		ending_of(commands->run, (int)cmdline.argc, cmdline.argv, PATIENCE_NS, &ending);
	else if (!err)
		ending_of_server(commands->serve, (int)cmdline.argc, cmdline.argv, &ending);
	if (err && ending.verdict != VERDICT_FAIL) {
		console_say("%s", fault);
		ending_error(&ending);
	}
}

int init_main(const struct init_commands *commands, int argc, char **argv)
{
	owns_machine = init_owns_machine();
	catch_crashes();
	console_open();
	mounts_make(owns_machine);
	console_open(); /* again: its node may have come with /dev just now */
	read_words(argc, argv);
	if (owns_machine) {
		console_hush_kernel();
		reboot(RB_DISABLE_CAD); /* Ctrl-Alt-Del interrupts the run, and the record ends properly */
		modules_load();
	}
	network_raise_loopback();
	if (cmdline.fault[0]) {
		console_say("%s", cmdline.fault);
		ending_error(&ending);
	} else {
		do_command(commands);
	}
	return finish();
}
