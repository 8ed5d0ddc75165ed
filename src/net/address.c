/* address.c: see its header. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "capacity.h"
#include "lib/number.h"
#include "net/address.h"
#include "sys/call.h"

static const int families[] = { [NET_ANY] = AF_UNSPEC, [NET_V4] = AF_INET, [NET_V6] = AF_INET6 };

static int say(char *fault, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int say(char *fault, size_t size, const char *format, ...)
{
	struct text text = text_in(fault, size);
	va_list args;

	va_start(args, format);
	text_add_vformat(&text, format, args);
	va_end(args);
	return -EINVAL;
}

/* The first address of a host; a name is looked up where `numeric` is false.  0, or getaddrinfo's error. */
static int look_up(const char *host, enum net_family family, bool numeric, struct net_address *address)
{
	const struct addrinfo hints = { .ai_family = families[family], .ai_socktype = SOCK_STREAM, .ai_flags = numeric ? AI_NUMERICHOST : 0 };
	struct addrinfo *found = NULL;
	int err = getaddrinfo(host, NULL, &hints, &found);

	if (err)
		return err;
	memset(address, 0, sizeof *address);
	address->length = found->ai_addrlen;
	memcpy(&address->any, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return 0;
}

static const char *why_no_name(int err)
{
	switch (err) {
	case EAI_AGAIN:
		return "no name server answered";
	case EAI_NONAME:
		return "there is no host of that name";
#ifdef EAI_NODATA
	case EAI_NODATA:
		return "the name has no address of that kind";
#endif
	default:
		return "it could not be looked up";
	}
}

static bool is_numeric(const char *host)
{
	return strchr(host, ':') || !host[strspn(host, "0123456789.")];
}

static int explain(const char *host, enum net_family family, int err, char *fault, size_t size)
{
	static const char *const kinds[] = { "", "IPv4 ", "IPv6 " };
	struct net_address other;

	if (family != NET_ANY && !look_up(host, NET_ANY, true, &other))
		return say(fault, size, "%s is no %saddress: leave out -%c", host, kinds[family], family == NET_V4 ? '4' : '6');
	if (is_numeric(host))
		return say(fault, size, "%s is no %saddress", host, kinds[family]);
	return say(fault, size, "the name %s does not resolve: %s; a numeric address needs no name server", host, why_no_name(err));
}

static bool is_link_local(const struct net_address *address)
{
	return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&address->v6.sin6_addr);
}

/* %eth0; %2, its number, is the kernel's to refuse. */
static bool device_is_missing(const char *device)
{
	return device && device[1 + strspn(device + 1, "0123456789")] && !if_nametoindex(device + 1);
}

int address_resolve(const char *host, uint16_t port, enum net_family family, struct net_address *address, char *fault, size_t size)
{
	char bare[256];
	size_t length = strlen(host);
	int err;

	if (!length || length >= sizeof bare)
		return say(fault, size, length ? "the host's name is longer than %d bytes" : "there is no host", (int)sizeof bare - 1);
	memcpy(bare, host, length + 1);
	if (*bare == '[' && bare[length - 1] == ']') {
		bare[length - 1] = '\0';
		memmove(bare, bare + 1, length - 1);
	}
	if (device_is_missing(strchr(bare, '%')))
		return say(fault, size, "%s: there is no interface %s", host, strchr(bare, '%') + 1);
	err = look_up(bare, family, true, address);
	if (err && !is_numeric(bare))
		err = look_up(bare, family, false, address);
	if (err)
		return explain(bare, family, err, fault, size);
	if (is_link_local(address) && !address->v6.sin6_scope_id)
		return say(fault, size, "%s is a link-local address and needs its device: %s%%eth0, for example", host, bare);
	address_set_port(address, port);
	return 0;
}

struct net_address address_loopback(enum net_family family, uint16_t port)
{
	struct net_address address = address_any(family == NET_ANY ? NET_V4 : family, port);

	if (address.any.sa_family == AF_INET)
		address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		address.v6.sin6_addr = in6addr_loopback;
	return address;
}

struct net_address address_any(enum net_family family, uint16_t port)
{
	struct net_address address;

	memset(&address, 0, sizeof address);
	address.any.sa_family = family == NET_V4 ? AF_INET : AF_INET6;
	address.length = family == NET_V4 ? sizeof address.v4 : sizeof address.v6;
	address_set_port(&address, port);
	return address;
}

/* It stands at the same place in both families. */
uint16_t address_port(const struct net_address *address)
{
	return ntohs(address->v4.sin_port);
}

void address_set_port(struct net_address *address, uint16_t port)
{
	address->v4.sin_port = htons(port);
}

/* The four bytes of an IPv4 address, mapped into IPv6 or not; NULL: it is none. */
static const uint8_t *v4_bytes(const struct net_address *address)
{
	if (address->any.sa_family == AF_INET)
		return (const uint8_t *)&address->v4.sin_addr;
	return IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr) ? address->v6.sin6_addr.s6_addr + 12 : NULL;
}

/* Eight groups, the longest run of two zeros or more left out (RFC 5952). */
static void add_v6(struct text *text, const uint8_t *bytes)
{
	unsigned best = 8, best_length = 1;

	for (unsigned i = 0, run = 0; i < 8; i++) {
		run = bytes[2 * i] || bytes[2 * i + 1] ? 0 : run + 1;
		if (run > best_length)
			best = i + 1 - run, best_length = run;
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == best) {
			text_add(text, "::");
			i += best_length - 1;
			continue;
		}
		text_add_format(text, "%s%x", i && i != best + best_length ? ":" : "", bytes[2 * i] << 8 | bytes[2 * i + 1]);
	}
}

void address_text(const struct net_address *address, char to[ADDRESS_TEXT])
{
	struct text text = text_in(to, ADDRESS_TEXT);
	const uint8_t *v4 = address->length ? v4_bytes(address) : NULL;
	char device[IF_NAMESIZE];

	if (!address->length)
		return;
	if (v4) {
		text_add_format(&text, "%u.%u.%u.%u", v4[0], v4[1], v4[2], v4[3]);
		return;
	}
	add_v6(&text, address->v6.sin6_addr.s6_addr);
	if (address->v6.sin6_scope_id && if_indextoname(address->v6.sin6_scope_id, device))
		text_add_format(&text, "%%%s", device);
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned left = bits % 8;

	return !memcmp(a, b, bits / 8) && (!left || (a[bits / 8] ^ b[bits / 8]) >> (8 - left) == 0);
}

static bool share_bits(const struct net_address *a, const struct net_address *b, unsigned v4_bits, unsigned v6_bits)
{
	const uint8_t *a4 = v4_bytes(a), *b4 = v4_bytes(b);

	if (a4 || b4)
		return a4 && b4 && same_bits(a4, b4, v4_bits);
	return same_bits(a->v6.sin6_addr.s6_addr, b->v6.sin6_addr.s6_addr, v6_bits);
}

bool address_same_host(const struct net_address *a, const struct net_address *b)
{
	return a->length && b->length && share_bits(a, b, 32, 128);
}

int address_prefix(const char *text, struct net_prefix *prefix)
{
	const char *slash = strchr(text, '/');
	char host[ADDRESS_TEXT];
	uint64_t bits, most;

	if (!text_format(host, sizeof host, "%.*s", (int)(slash ? slash - text : (int)strlen(text)), text) ||
	    look_up(host, NET_ANY, true, &prefix->address))
		return -EINVAL;
	most = v4_bytes(&prefix->address) ? 32 : 128;
	bits = most;
	if (slash && (number_parse(slash + 1, &bits) || bits > most))
		return -EINVAL;
	prefix->bits = (unsigned)bits;
	return 0;
}

bool address_inside(const struct net_address *address, const struct net_prefix *prefix)
{
	return share_bits(address, &prefix->address, prefix->bits, prefix->bits);
}

/* ---- the route ---- */

struct route_question {
	struct nlmsghdr head;
	struct rtmsg route;
	struct rtattr to;
	uint8_t bytes[16];
};

static void fill_question(const struct net_address *to, struct route_question *question)
{
	const uint8_t *v4 = v4_bytes(to);
	unsigned size = v4 ? 4 : 16;

	memset(question, 0, sizeof *question);
	question->to = (struct rtattr){ .rta_len = (unsigned short)RTA_LENGTH(size), .rta_type = RTA_DST };
	memcpy(question->bytes, v4 ? v4 : to->v6.sin6_addr.s6_addr, size);
	question->route.rtm_family = v4 ? AF_INET : AF_INET6;
	question->route.rtm_dst_len = (unsigned char)(8 * size);
	question->head = (struct nlmsghdr){ .nlmsg_len = (uint32_t)(NLMSG_LENGTH(sizeof question->route) + RTA_LENGTH(size)),
	                                    .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST };
}

/* The index of the interface in the kernel's answer, or -errno. */
static int read_answer(const char *answer, size_t size)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)(const void *)answer;
	const struct rtattr *attribute;
	size_t left;

	if (size < NLMSG_LENGTH(sizeof(struct rtmsg)) || head->nlmsg_len > size)
		return -EPROTO;
	if (head->nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(head))->error;
	attribute = RTM_RTA((const struct rtmsg *)NLMSG_DATA(head));
	left = head->nlmsg_len - NLMSG_LENGTH(sizeof(struct rtmsg));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == RTA_OIF)
			return *(const int *)RTA_DATA(attribute);
	return -ENETUNREACH;
}

static int route_index(const struct net_address *to)
{
	static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct route_question question;
	_Alignas(8) char answer[1024];
	int fd = (int)sys_call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	long got;

	if (fd < 0)
		return fd;
	fill_question(to, &question);
	got = sys_call(SYS_sendto, fd, &question, question.head.nlmsg_len, 0, &kernel, sizeof kernel);
	if (got >= 0)
		got = sys_call(SYS_recvfrom, fd, answer, sizeof answer, 0, NULL, NULL);
	sys_close(fd);
	return got < 0 ? (int)got : read_answer(answer, (size_t)got);
}

int address_interface(const struct net_address *to, char name[20])
{
	char found[IF_NAMESIZE];
	int index = !v4_bytes(to) && to->v6.sin6_scope_id ? (int)to->v6.sin6_scope_id : route_index(to);

	if (index <= 0)
		return index ? index : -ENETUNREACH;
	if (!if_indextoname((unsigned)index, found))
		return -ENODEV;
	text_copy(name, 20, found);
	return 0;
}
