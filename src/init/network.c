/* network.c: see network.h.  Method: rtnetlink(7), RTM_NEWADDR and RTM_NEWROUTE, which know several addresses and both families. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "init/console.h"
#include "init/network.h"
#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/clock.h"
#include "sys/file.h"

#define POLL_NS MS(50)
#define CARRIER_NS SECONDS(8) /* copper at 10 Gb/s takes up to five to agree */

/* ---- words ---- */

static bool parse_host(const char *text, struct network_address *address)
{
	address->v6 = strchr(text, ':');
	return inet_pton(address->v6 ? AF_INET6 : AF_INET, text, address->bytes) == 1;
}

/* ADDRESS/PREFIX@INTERFACE */
static bool parse_address(const char *word, struct network_address *address)
{
	const char *slash = strchr(word, '/'), *at = strchr(word, '@');
	char host[sizeof(address->text)];
	uint64_t bits;

	return slash && at && slash < at && at[1] && text_copy(address->interface, sizeof(address->interface), at + 1) &&
	       text_format(address->text, sizeof(address->text), "%.*s", (int)(at - word), word) &&
	       text_format(host, sizeof(host), "%.*s", (int)(slash - word), word) && parse_host(host, address) &&
	       !number_parse(address->text + (slash - word) + 1, &bits) &&
	       bits && bits <= (address->v6 ? 128 : 32) && (address->bits = (unsigned)bits);
}

static int refuse(char *fault, size_t size, const char *key, const char *word, const char *what)
{
	text_format(fault, size, "assay.%s=%.80s: %s", key, word, what);
	return -EINVAL;
}

int network_parse(const char *ip, const char *gateway, struct network *network, char *fault, size_t fault_size)
{
	char word[96];

	memset(network, 0, sizeof(*network));
	for (const char *next = ip; *next; next += *next == ',') {
		int length = (int)strcspn(next, ",");

		if (network->count == NETWORK_MOST)
			return refuse(fault, fault_size, "ip", next, "more than eight addresses");
		if (!text_format(word, sizeof(word), "%.*s", length, next) || !parse_address(word, &network->addresses[network->count++]))
			return refuse(fault, fault_size, "ip", word, "ADDRESS/PREFIX@INTERFACE is meant, such as 192.168.1.2/24@eth0");
		next += length;
	}
	if (*gateway && (!parse_host(gateway, &network->gateway) ||
	                 !text_copy(network->gateway.text, sizeof(network->gateway.text), gateway)))
		return refuse(fault, fault_size, "gateway", gateway, "an address is meant, such as 192.168.1.1");
	return 0;
}

/* ---- the kernel ---- */

struct request {
	union { struct nlmsghdr head; uint8_t bytes[128]; };
};

/* A request with a fixed part of that size, to be filled by the caller. */
static void *begin(struct request *request, uint16_t type, size_t size)
{
	memset(request, 0, sizeof(*request));
	request->head.nlmsg_len = (uint32_t)NLMSG_LENGTH(size);
	request->head.nlmsg_type = type;
	request->head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
	return NLMSG_DATA(&request->head);
}

static void add_host(struct request *request, uint16_t type, const struct network_address *address)
{
	unsigned size = address->v6 ? 16 : 4;
	struct rtattr *attribute = (void *)(request->bytes + NLMSG_ALIGN(request->head.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (uint16_t)RTA_LENGTH(size);
	memcpy(RTA_DATA(attribute), address->bytes, size);
	request->head.nlmsg_len = NLMSG_ALIGN(request->head.nlmsg_len) + RTA_LENGTH(size);
}

/* What is there already is fine. */
static int ask(const struct request *request)
{
	static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct { struct nlmsghdr head; struct nlmsgerr error; uint8_t more[256]; } answer;
	int fd = (int)sys_call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	long got;

	if (fd < 0)
		return fd;
	got = sys_call(SYS_sendto, fd, request, request->head.nlmsg_len, 0, &kernel, sizeof(kernel));
	if (got >= 0)
		got = sys_call(SYS_recvfrom, fd, &answer, sizeof(answer), 0, NULL, NULL);
	sys_close(fd);
	if (got < 0)
		return (int)got;
	if (got < (long)NLMSG_LENGTH(sizeof(answer.error.error)) || answer.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.error.error == -EEXIST ? 0 : answer.error.error;
}

static int add_address(const struct network_address *address)
{
	struct request request;
	struct ifaddrmsg *message = begin(&request, RTM_NEWADDR, sizeof(*message));

	message->ifa_family = address->v6 ? AF_INET6 : AF_INET;
	message->ifa_prefixlen = (uint8_t)address->bits;
	message->ifa_index = if_nametoindex(address->interface);
	if (address->v6)
		message->ifa_flags = IFA_F_NODAD; /* else it cannot be used for a second or two */
	add_host(&request, IFA_LOCAL, address);
	add_host(&request, IFA_ADDRESS, address);
	return ask(&request);
}

static int add_gateway(const struct network_address *gateway)
{
	struct request request;
	struct rtmsg *message = begin(&request, RTM_NEWROUTE, sizeof(*message));

	message->rtm_family = gateway->v6 ? AF_INET6 : AF_INET;
	message->rtm_table = RT_TABLE_MAIN;
	message->rtm_protocol = RTPROT_BOOT;
	message->rtm_type = RTN_UNICAST;
	add_host(&request, RTA_GATEWAY, gateway);
	return ask(&request);
}

static int raise_interface(const char *name)
{
	struct ifreq request = { 0 };
	int fd = (int)sys_call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return fd;
	text_copy(request.ifr_name, sizeof(request.ifr_name), name);
	err = sys_ioctl(fd, SIOCGIFFLAGS, &request);
	if (!err && !(request.ifr_flags & IFF_UP)) {
		request.ifr_flags |= IFF_UP;
		err = sys_ioctl(fd, SIOCSIFFLAGS, &request);
	}
	sys_close(fd);
	return err;
}

void network_raise_loopback(void)
{
	int err = raise_interface("lo");

	if (err)
		console_say("lo could not be brought up: %s", sys_error(err));
}

/* ---- the whole ---- */

static bool is_there(const char *name)
{
	return if_nametoindex(name);
}

/* A bridge or a virtual port may have no such file, and needs no waiting. */
static bool has_carrier(const char *name)
{
	uint64_t carrier = 1;

	file_number(&carrier, "/sys/class/net/%s/carrier", name);
	return carrier;
}

static bool wait_until(bool (*yet)(const char *), const char *name, uint64_t until_ns)
{
	while (!yet(name)) {
		if (clock_now_ns() >= until_ns)
			return false;
		sys_sleep_ns(POLL_NS);
	}
	return true;
}

static int add_name(const char *name, void *context)
{
	text_add_format(context, " %s", name);
	return 0;
}

static void say_missing(const char *name, char *fault, size_t size)
{
	struct text text = text_in(fault, size);

	text_add_format(&text, "assay.ip: there is no interface %s; there are:", name);
	file_each("/sys/class/net", add_name, &text);
}

static int set_up(const struct network_address *address, uint64_t until_ns, char *fault, size_t size)
{
	int err;

	if (!wait_until(is_there, address->interface, until_ns)) {
		say_missing(address->interface, fault, size);
		return -ENODEV;
	}
	err = raise_interface(address->interface);
	if (!err)
		err = add_address(address);
	if (err)
		text_format(fault, size, "assay.ip: %s could not be given to %s: %s", address->text, address->interface, sys_error(err));
	return err;
}

static void wait_for_carriers(const struct network *network)
{
	uint64_t until_ns = clock_now_ns() + CARRIER_NS;

	for (unsigned i = 0; i < network->count; i++) {
		const char *name = network->addresses[i].interface;

		if (i && !strcmp(name, network->addresses[i - 1].interface))
			continue;
		if (is_there(name) && !wait_until(has_carrier, name, until_ns))
			console_say("%s has no carrier after %u s: is the cable in, and the other end up?", name, (unsigned)(CARRIER_NS / SECONDS(1)));
	}
}

int network_set_up(const struct network *network, uint64_t patience_ns, char *fault, size_t fault_size)
{
	uint64_t until_ns = clock_now_ns() + patience_ns;
	int first = 0, err;

	for (unsigned i = 0; i < network->count; i++) {
		err = set_up(&network->addresses[i], until_ns, fault, first ? 0 : fault_size);
		first = first ? first : err;
	}
	wait_for_carriers(network);
	if (first || !network->gateway.text[0])
		return first;
	err = add_gateway(&network->gateway);
	if (err)
		text_format(fault, fault_size, "assay.gateway: there is no way to %s: %s", network->gateway.text, sys_error(err));
	return err;
}
