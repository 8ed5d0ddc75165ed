/* client_fault.c: what went wrong with a test, in one line: the peer, the phase, the cause, the way out; and whose fault it is. */
#include <errno.h>
#include <string.h>

#include "capacity.h"
#include "lib/number.h"
#include "net/client_inside.h"
#include "sys/call.h"
#include "sys/clock.h"

int client_fault(struct client *client, enum net_phase phase, enum net_blame blame, int err, const char *format, ...)
{
	struct net_result *result = client->result;
	struct text text;
	char peer[ADDRESS_TEXT];
	va_list args;

	if (*result->fault)
		return result->error;
	text = TEXT(result->fault);
	result->phase = phase;
	result->blame = blame;
	result->error = err;
	address_text(&client->job->peer, peer);
	text_add_format(&text, "%s port %u, %s: ", peer, address_port(&client->job->peer), net_phase_word(phase));
	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	return err;
}

static const char *duration(uint64_t duration_ns, char word[24])
{
	struct text text = text_in(word, 24);

	number_add_duration(&text, duration_ns);
	return word;
}

/* ---- the local link ---- */

void client_look_at_link(struct client *client)
{
	const struct client_job *job = client->job;
	char name[20];

	client->link.name[0] = '\0';
	if (*job->device)
		text_copy(name, sizeof name, job->device);
	else if (address_interface(&job->peer, name))
		return;
	if (nic_read(name, &client->link))
		text_copy(client->link.name, sizeof client->link.name, name);
}

static bool is_of_link(int err)
{
	return err == -ENETDOWN || err == -ENETUNREACH || err == -ENODEV || err == -EADDRNOTAVAIL;
}

/* What is wrong with it; NULL: nothing that can be seen. */
static const char *link_fault(const struct nic *before, int *err)
{
	struct nic now;

	*err = nic_read(before->name, &now);
	if (*err == -ENODEV && socket_link_up(before->name) == -ENODEV)
		return "is not there";
	if (*err)
		return NULL; /* as without /sys */
	*err = -ENETDOWN;
	if (!now.is_up)
		return "is down";
	if (!now.carrier && (before->carrier || now.carrier_changes))
		return "has no carrier: look at the cable and at the other end";
	return now.carrier_changes != before->carrier_changes && before->mtu_bytes ? "lost its carrier meanwhile" : NULL;
}

int client_blame_link(struct client *client, int err)
{
	struct net_result *result = client->result;
	enum net_phase phase = err ? result->phase : NET_RUNNING;
	const char *what;
	int link_err;

	if (!*client->link.name || (result->blame == NET_OURS && !is_of_link(result->error)) || result->interrupted)
		return err;
	what = link_fault(&client->link, &link_err);
	if (!what)
		return err;
	result->fault[0] = '\0';
	return client_fault(client, phase, NET_LINK, link_err, "the local link %s %s", client->link.name, what);
}

/* ---- the peer ---- */

static bool is_ours(int err)
{
	return err == -EPERM || err == -EACCES || err == -ENOMEM || err == -ENOBUFS || err == -EMFILE || err == -ENFILE || err == -EINVAL ||
	       err == -EADDRINUSE || err == -ENOPROTOOPT || err == -EAFNOSUPPORT || err == -ENOENT || err == -EMSGSIZE;
}

static int link_refuses(struct client *client, enum net_phase phase, int err)
{
	const char *way = err == -ENETUNREACH ? "there is no route to it: give the port an address of its network"
	                : err == -EADDRNOTAVAIL ? "the address to send from is not on this machine"
	                : err == -ENODEV ? "there is no such interface" : "the interface is down: bring it up";

	/* A network that the machine was not set up for is no fault of its port. */
	return client_fault(client, phase, err == -ENETUNREACH || err == -EADDRNOTAVAIL ? NET_OURS : NET_LINK, err, "%s", way);
}

/* How a service that is none of ours greets, as far as it came and can be shown. */
static int foreign(struct client *client, enum net_phase phase, char first)
{
	char greeting[40] = { first };

	socket_receive_all(client->control, greeting + 1, sizeof greeting - 2, clock_now_ns() + MS(100));
	for (char *at = greeting; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '\0', at--;
	if (!*greeting)
		return client_fault(client, phase, NET_PEER, -EPROTO, "it does not speak iperf3: its first byte is %d", first);
	return client_fault(client, phase, NET_PEER, -EPROTO, "it does not speak iperf3: it says \"%s\"", greeting);
}

static int server_error(struct client *client, enum net_phase phase)
{
	uint32_t told[2];
	const char *word;
	int err = socket_receive_all(client->control, told, sizeof told, clock_now_ns() + client->patience_ns);

	if (err)
		return client_fault(client, phase, NET_PEER, -EPROTO, "the server ended the test with an error that it does not name");
	word = iperf_error_word(__builtin_bswap32(told[0]));
	err = (int)__builtin_bswap32(told[1]);
	return client_fault(client, phase, NET_PEER, -EREMOTEIO, "the server ended the test: %s (its error %u%s%s)",
	                    word ? word : "an error not known here", __builtin_bswap32(told[0]),
	                    err > 0 && err < 200 ? ", " : "", err > 0 && err < 200 ? sys_error(-err) : "");
}

int client_unexpected(struct client *client, enum net_phase phase, int state, int due)
{
	switch (state) {
	case IPERF_ACCESS_DENIED:
		return client_fault(client, phase, NET_PEER, -EBUSY, "it is busy with another test: wait for its end and try again");
	case IPERF_SERVER_ERROR:
		return server_error(client, phase);
	case IPERF_SERVER_TERMINATE:
		return client_fault(client, phase, NET_PEER, -ECONNABORTED, "the server was stopped: start it again");
	default:
		if (phase == NET_COOKIE)
			return foreign(client, phase, (char)state);
		if (!due)
			return client_fault(client, phase, NET_PEER, -EPROTO, "it sent state %d, which is not due: it talks nonsense", state);
		return client_fault(client, phase, NET_PEER, -EPROTO, "it sent state %d where %d is due: it talks nonsense", state, due);
	}
}

/* An error state that came before the connection was lost says more than that. */
static bool told_why(struct client *client, enum net_phase phase)
{
	int state;

	if (client->control < 0 || iperf_receive_state(client->control, &state, clock_now_ns() + MS(50)))
		return false;
	if (state != IPERF_ACCESS_DENIED && state != IPERF_SERVER_ERROR && state != IPERF_SERVER_TERMINATE)
		return false;
	client_unexpected(client, phase, state, 0);
	return true;
}

/* Before there is a control connection, every cause is the network's. */
static int not_reached(struct client *client, int err)
{
	char wait[24];

	if (err == -ECONNREFUSED)
		return client_fault(client, NET_CONNECT, NET_PEER, err, "refused, nothing listens there: start assay serve, or iperf3 -s, on it");
	if (err == -ETIMEDOUT || err == -EAGAIN)
		return client_fault(client, NET_CONNECT, NET_PEER, -ETIMEDOUT, "no answer in %s: is it on, is that its address, is there a firewall?",
		                    duration(client->connect_ns, wait));
	if (err == -EHOSTUNREACH)
		return client_fault(client, NET_CONNECT, NET_PEER, err, "no way to it: it is off, or not on this network");
	return client_fault(client, NET_CONNECT, NET_PEER, err, "%s", sys_error(err));
}

int client_not_connected(struct client *client, enum net_phase phase, int err, const char *refused)
{
	if (refused)
		return client_fault(client, phase, NET_OURS, err, "this kernel refuses %s: %s; leave that option out", refused, sys_error(err));
	if (is_of_link(err))
		return link_refuses(client, phase, err);
	if (err == -EADDRINUSE)
		return client_fault(client, phase, NET_OURS, err, "the port to send from is taken: choose another --cport");
	if (is_ours(err))
		return client_fault(client, phase, NET_OURS, err, "no connection can be made here: %s", sys_error(err));
	if (phase == NET_CONNECT)
		return not_reached(client, err);
	if (told_why(client, phase) || client->job->test.protocol == NET_TCP || (err != -ETIMEDOUT && err != -ECONNREFUSED))
		return client_lost(client, phase, err);
	return client_fault(client, phase, NET_PEER, err, "no answer over UDP: is there a firewall that lets only TCP through?");
}

int client_lost(struct client *client, enum net_phase phase, int err)
{
	char wait[24];

	if (client->job->interrupted && *client->job->interrupted) {
		client->result->interrupted = true;
		return client_fault(client, phase, NET_NOBODY, -EINTR, "interrupted");
	}
	if (told_why(client, phase))
		return client->result->error;
	if (is_of_link(err))
		return link_refuses(client, phase, err);
	if (err == -ETIMEDOUT || err == -EAGAIN)
		return client_fault(client, phase, NET_PEER, -ETIMEDOUT, "silent for %s: %s", duration(client->patience_ns, wait),
		                    phase == NET_COOKIE ? "it does not speak iperf3, or hangs: restart it" : "it hangs, or the way to it is cut");
	if (err == -EPIPE || err == -ECONNRESET || err == -ECONNABORTED)
		return client_fault(client, phase, NET_PEER, err, phase == NET_COOKIE
		                    ? "it closed the connection: it does not speak iperf3, or this address is not let in"
		                    : "it closed the connection: it died, or was stopped");
	return client_fault(client, phase, is_ours(err) ? NET_OURS : NET_PEER, err, "%s", sys_error(err));
}
