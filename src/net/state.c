/* state.c: what this machine says of itself, and how the peer is asked. */
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "capacity.h"
#include "net/socket.h"
#include "net/state.h"
#include "sys/build.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/file.h"
#include "sys/watch.h"

static const char question[] = "assay 1 state\n";

static void read_here(char *to, size_t size, const char *path)
{
	if (file_read_here(to, size, "%s", path) < 0)
		*to = '\0';
	text_trim(to);
}

static void read_identity(struct net_state *state)
{
	struct conditions conditions;
	struct utsname name;
	static struct cpu_list cpus;

	text_copy(state->version, sizeof state->version, ASSAY_VERSION);
	text_copy(state->build, sizeof state->build, build_id());
	if (!uname(&name)) {
		text_copy(state->arch, sizeof state->arch, name.machine);
		text_copy(state->kernel, sizeof state->kernel, name.release);
	}
	read_here(state->model, sizeof state->model, "/proc/device-tree/model");
	if (!*state->model)
		read_here(state->model, sizeof state->model, "/sys/class/dmi/id/product_name");
	read_here(state->serial, sizeof state->serial, "/proc/device-tree/serial-number");
	if (!*state->serial)
		read_here(state->serial, sizeof state->serial, "/sys/class/dmi/id/product_serial");
	read_here(state->governor, sizeof state->governor, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	cpu_allowed(&cpus);
	state->cpus = cpus.count;
	watch_read(&conditions);
	state->cpu_hz_min = conditions.cpu_hz_min;
	state->cpu_hz_max = conditions.cpu_hz_max;
	state->throttles = conditions.throttles;
}

void state_read(const struct net_address *peer, const char *nic, struct net_state *state)
{
	char name[20] = "";

	memset(state, 0, sizeof *state);
	read_identity(state);
	if (nic)
		text_copy(name, sizeof name, nic);
	else
		address_interface(peer, name);
	if (*name)
		nic_read(name, &state->nic);
	account_read(name, &state->account);
}

/* ---- the other end's ---- */

/* Everything up to the end of the connection: its length, or -errno. */
static ssize_t receive_to_end(int fd, char *to, size_t size, uint64_t until_ns)
{
	size_t length = 0;
	ssize_t got = 1;

	while (got > 0 && length < size) {
		if (clock_now_ns() > until_ns)
			return -ETIMEDOUT; /* each byte in time, and never an end */
		got = socket_receive(fd, to + length, size - length);
		length += got > 0 ? (size_t)got : 0;
	}
	return got < 0 ? got : length < size ? (ssize_t)length : -EMSGSIZE;
}

int state_ask(const struct net_address *test_peer, const char *device, uint64_t timeout_ns, struct net_state *state, char *json, char *fault, size_t size)
{
	static struct json scratch;
	static char own[STATE_BYTES];
	const struct socket_ask ask = { .device = device, .timeout_ns = timeout_ns };
	struct net_address address = *test_peer;
	uint64_t until_ns = clock_now_ns() + timeout_ns;
	ssize_t length;
	int fd, err;

	if (!json)
		json = own;
	address_set_port(&address, (uint16_t)(address_port(test_peer) + 1));
	fd = socket_connect(NET_TCP, &address, &ask);
	if (fd < 0)
		return fd;
	err = socket_send_all(fd, question, sizeof question - 1, until_ns);
	length = err ? err : receive_to_end(fd, json, STATE_BYTES, until_ns);
	sys_close(fd);
	if (length < 0)
		return length == -EAGAIN ? -ETIMEDOUT : (int)length;
	json[length] = '\0';
	text_trim(json);
	return state_parse(&scratch, json, strlen(json), state, fault, size) ? -EPROTO : 0;
}
