/*
 * network.h: the addresses that assay.ip and assay.gateway give to the board's ports, which nobody else would set up.
 *
 *     assay.ip=ADDRESS/PREFIX@INTERFACE,...   IPv4 or IPv6; several for one interface, too
 *     assay.gateway=ADDRESS                   the way to everybody else; one of those networks reaches it
 */
#ifndef INIT_NETWORK_H
#define INIT_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NETWORK_MOST = 8 };

struct network_address {
	bool v6;
	uint8_t bytes[16];    /* the first 4 of IPv4 */
	unsigned bits;        /* of the prefix */
	char text[72];        /* as it was written, up to the @ */
	char interface[16];
};

struct network {
	unsigned count;
	struct network_address addresses[NETWORK_MOST];
	struct network_address gateway; /* text "": none */
};

/* The values of both words ("": not there) into network.  0; or -EINVAL with one line in fault that names the word and what is meant.  Pure. */
int network_parse(const char *ip, const char *gateway, struct network *network, char *fault, size_t fault_size);

/*
 * Waits patience_ns for every interface to appear, for drivers probe late; brings it up, gives it its addresses, and waits a few
 * seconds more for its carrier.  A link without carrier is said on the console and no fault: net.link judges it.
 * 0; or -errno with one line in fault: an interface that is not there, an address that the kernel refuses.  The others are set up all the same.
 */
int network_set_up(const struct network *network, uint64_t patience_ns, char *fault, size_t fault_size);

/* The steps on the network need lo. */
void network_raise_loopback(void);

#endif
