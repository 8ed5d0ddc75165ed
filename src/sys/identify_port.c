/* identify_port.c: struct port from /sys/class/net.  Method: Documentation/ABI/testing/sysfs-class-net. */
#include <string.h>

#include "lib/text.h"
#include "sys/file.h"
#include "sys/identify_disk.h"

enum { TYPE_LOOPBACK = 772, SPEED_MAX = 10000000 };

struct port_search { struct identity *identity; bool take_virtual; };

/* 0 when it is not told: without a link the kernel refuses, or says -1 or its unsigned form. */
static uint32_t read_number(const char *name, const char *file)
{
	uint64_t number;

	return file_number(&number, "/sys/class/net/%s/%s", name, file) || number > SPEED_MAX ? 0 : number;
}

static void read_driver(const char *name, char *to, size_t size)
{
	char path[MAX_PATH];

	if (file_link(path, sizeof(path), "/sys/class/net/%s/device/driver", name) > 0)
		text_copy(to, size, strrchr(path, '/') + 1);
}

static void read_port(const char *name, struct port *port)
{
	char folder[MAX_PATH];

	text_format(folder, sizeof(folder), "/sys/class/net/%s", name);
	text_copy(port->name, sizeof(port->name), name);
	identify_bus_path(folder, port->bus_path, sizeof(port->bus_path));
	read_driver(name, port->driver, sizeof(port->driver));
	file_string(port->address, sizeof(port->address), "%s/address", folder);
	file_string(port->operstate, sizeof(port->operstate), "%s/operstate", folder);
	port->speed_mbit_per_s = read_number(name, "speed");
	port->mtu = read_number(name, "mtu");
	port->carrier = read_number(name, "carrier");
	port->loopback = read_number(name, "type") == TYPE_LOOPBACK;
}

/* Control files such as bonding_masters stand there, too: they have no index. */
static int add_port(const char *name, void *context)
{
	struct port_search *search = context;
	struct port *port = &search->identity->ports[search->identity->port_count];

	if (search->identity->port_count == MAX_PORTS)
		return 1;
	if (!file_exists("/sys/class/net/%s/ifindex", name))
		return 0;
	memset(port, 0, sizeof(*port));
	read_port(name, port);
	if (text_starts(port->bus_path, "virtual/") == search->take_virtual)
		search->identity->port_count++;
	return 0;
}

void identify_ports(struct identity *identity)
{
	struct port_search search = { .identity = identity };

	file_each("/sys/class/net", add_port, &search);
	search.take_virtual = true;
	file_each("/sys/class/net", add_port, &search);
	if (identity->port_count < MAX_PORTS)
		memset(&identity->ports[identity->port_count], 0, sizeof(struct port));
}
