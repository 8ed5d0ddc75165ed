/*
 * address.h: whom to talk to: IPv4 or IPv6, numeric, link-local with its %device, or a name.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum net_family { NET_ANY, NET_V4, NET_V6 };

struct net_address {
	socklen_t length; /* 0: none */
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	};
};

enum { ADDRESS_TEXT = 72 };

/*
 * 0; or -EINVAL with one line in fault: what the host is, why it cannot be used (a name that does not resolve, a link-local
 * address without its %device, a device that is not there, a family that it does not have), and the way out.
 * A numeric address never asks anybody; a name is musl's getaddrinfo, which is bounded in time.
 */
int address_resolve(const char *host, uint16_t port, enum net_family family, struct net_address *address, char *fault, size_t fault_size);

struct net_address address_loopback(enum net_family family, uint16_t port); /* NET_ANY: IPv4 */
struct net_address address_any(enum net_family family, uint16_t port);      /* to listen on; NET_ANY: IPv6, which takes both */
uint16_t address_port(const struct net_address *address);
void address_set_port(struct net_address *address, uint16_t port);
/* 10.0.0.1, fe80::1 with its %device; an IPv4 address mapped into IPv6 as IPv4. */
void address_text(const struct net_address *address, char text[ADDRESS_TEXT]);
bool address_same_host(const struct net_address *a, const struct net_address *b); /* mapped ones as IPv4 */
/* ADDRESS or ADDRESS/PREFIX, for --allow: 0 or -EINVAL; and whether a peer is inside. */
struct net_prefix { struct net_address address; unsigned bits; };
int address_prefix(const char *text, struct net_prefix *prefix);
bool address_inside(const struct net_address *address, const struct net_prefix *prefix);

/* The name of the interface that leads there, asked of the kernel's routes (rtnetlink): 0, -ENETUNREACH, or -errno. */
int address_interface(const struct net_address *to, char name[20]);

#endif
