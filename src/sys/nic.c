/* nic.c: how an interface is set: sysfs, and the ioctl that ethtool uses. */
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/number.h"
#include "lib/text.h"
#include "sys/call.h"
#include "sys/file.h"
#include "sys/nic.h"
#include "sys/nic_ethtool.h"

/* ---- sysfs ---- */

/* A file of the interface's folder, trimmed; "" when there is none. */
static void read_text(const char *name, const char *file, char *to, size_t size)
{
	ssize_t length = file_read_here(to, size, "/sys/class/net/%s/%s", name, file);

	if (length < 0)
		*to = '\0';
	text_trim(to);
}

uint64_t nic_number(const char *name, const char *file)
{
	char text[32];
	uint64_t number = 0;

	read_text(name, file, text, sizeof text);
	return number_parse(text, &number) ? 0 : number;
}

/* Does a mask such as 00000000,0000000f hold any CPU? */
static bool has_cpu(const char *mask)
{
	return mask[strspn(mask, "0,")] != '\0';
}

/* How many queues rx-0, rx-1, ... there are, and how many of them have CPUs in that file. */
static unsigned count_queues(const char *name, const char *kind, const char *file, unsigned *with_mask)
{
	char path[48], mask[300];
	unsigned queue;

	*with_mask = 0;
	for (queue = 0; queue < MAX_NET_QUEUES; queue++) {
		text_format(path, sizeof path, "queues/%s-%u/%s", kind, queue, file);
		if (file_read_here(mask, sizeof mask, "/sys/class/net/%s/%s", name, path) < 0) {
			/* A kernel without RPS or XPS, or a port with one queue, has no such file: the folder may be there all the same. */
			text_format(path, sizeof path, "queues/%s-%u/%s", kind, queue, kind[0] == 'r' ? "rps_cpus" : "tx_timeout");
			if (file_read_here(mask, sizeof mask, "/sys/class/net/%s/%s", name, path) < 0)
				break;
			continue;
		}
		text_trim(mask);
		*with_mask += has_cpu(mask);
	}
	return queue;
}

static void read_sysfs(struct nic *nic)
{
	char word[32];

	read_text(nic->name, "address", nic->address, sizeof nic->address);
	nic->mtu_bytes = (uint32_t)nic_number(nic->name, "mtu");
	nic->carrier = nic_number(nic->name, "carrier");
	nic->carrier_changes = nic_number(nic->name, "carrier_changes");
	read_text(nic->name, "flags", word, sizeof word);
	uint64_t flags = 0;
	if (!number_parse_hex(word, &flags)) {
		nic->is_up = flags & IFF_UP;
		nic->loopback = flags & IFF_LOOPBACK;
	}
	nic->queues_rx = count_queues(nic->name, "rx", "rps_cpus", &nic->rps_queues);
	nic->queues_tx = count_queues(nic->name, "tx", "xps_cpus", &nic->xps_queues);
}

/* ---- ethtool ---- */

int nic_ethtool(const char *name, void *command)
{
	struct ifreq request = { .ifr_data = command };
	int fd = (int)sys_call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return fd;
	text_copy(request.ifr_name, sizeof request.ifr_name, name);
	err = sys_ioctl(fd, SIOCETHTOOL, &request);
	sys_close(fd);
	return err;
}

static void read_driver(struct nic *nic)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (nic_ethtool(nic->name, &info))
		return;
	text_copy(nic->driver, sizeof nic->driver, info.driver);
	text_copy(nic->version, sizeof nic->version, info.version);
	text_copy(nic->bus, sizeof nic->bus, info.bus_info);
}

/* Bits of a link's modes, in runs of one speed: the first bit, the last one, Mbit/s. */
static const struct { uint8_t first, last; uint32_t mbit_per_s; } modes[] = {
	{ 0, 1, 10 }, { 2, 3, 100 }, { 4, 5, 1000 }, { 12, 12, 10000 }, { 15, 15, 2500 }, { 17, 17, 1000 }, { 18, 20, 10000 }, { 21, 22, 20000 },
	{ 23, 26, 40000 }, { 27, 30, 56000 }, { 31, 33, 25000 }, { 34, 35, 50000 }, { 36, 39, 100000 }, { 40, 40, 50000 }, { 41, 41, 1000 },
	{ 42, 46, 10000 }, { 47, 47, 2500 }, { 48, 48, 5000 }, { 52, 56, 50000 }, { 57, 61, 100000 }, { 62, 66, 200000 }, { 67, 67, 100 },
	{ 68, 68, 1000 }, { 69, 73, 400000 }, { 75, 79, 100000 }, { 80, 84, 200000 }, { 85, 89, 400000 }, { 90, 91, 100 }, { 92, 92, 10 },
};

uint32_t nic_fastest_mode(const uint32_t *mask, unsigned words)
{
	uint32_t fastest = 0;

	for (unsigned i = 0; i < COUNT_OF(modes); i++)
		for (unsigned bit = modes[i].first; bit <= modes[i].last && bit / 32 < words; bit++)
			if (mask[bit / 32] >> bit % 32 & 1 && modes[i].mbit_per_s > fastest)
				fastest = modes[i].mbit_per_s;
	return fastest;
}

static void read_link(struct nic *nic)
{
	static const char *const ports[] = { [PORT_TP] = "twisted pair", [PORT_AUI] = "AUI", [PORT_MII] = "MII", [PORT_FIBRE] = "fibre",
	                                     [PORT_BNC] = "BNC", [PORT_DA] = "copper" };
	struct { struct ethtool_link_settings head; uint32_t masks[3 * 127]; } link = { .head = { .cmd = ETHTOOL_GLINKSETTINGS } };
	int words;

	/* The first call tells, negative, how long the masks are. */
	if (nic_ethtool(nic->name, &link) || link.head.link_mode_masks_nwords >= 0)
		return;
	words = -link.head.link_mode_masks_nwords;
	link.head = (struct ethtool_link_settings){ .cmd = ETHTOOL_GLINKSETTINGS, .link_mode_masks_nwords = (int8_t)words };
	if (words > 127 || nic_ethtool(nic->name, &link) || link.head.link_mode_masks_nwords <= 0)
		return;
	nic->has_speed = link.head.speed && link.head.speed != (uint32_t)SPEED_UNKNOWN;
	nic->speed_mbit_per_s = nic->has_speed ? link.head.speed : 0;
	nic->speed_max_mbit_per_s = nic_fastest_mode(link.masks, (unsigned)words);
	nic->autonegotiation = link.head.autoneg == AUTONEG_ENABLE;
	if (link.head.duplex <= DUPLEX_FULL)
		text_copy(nic->duplex, sizeof nic->duplex, link.head.duplex == DUPLEX_FULL ? "full" : "half");
	if (link.head.port < COUNT_OF(ports) && ports[link.head.port])
		text_copy(nic->port_kind, sizeof nic->port_kind, ports[link.head.port]);
}

static bool is_on(const char *name, uint32_t command)
{
	struct ethtool_value value = { .cmd = command };

	return !nic_ethtool(name, &value) && value.data;
}

static void read_offloads(struct nic *nic)
{
	static const struct { uint32_t command; const char *word; } all[] = {
		{ ETHTOOL_GRXCSUM, "rx-checksum" }, { ETHTOOL_GTXCSUM, "tx-checksum" }, { ETHTOOL_GSG, "sg" },
		{ ETHTOOL_GTSO, "tso" }, { ETHTOOL_GGSO, "gso" }, { ETHTOOL_GGRO, "gro" },
	};
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };
	struct text text = TEXT(nic->offloads);

	for (unsigned i = 0; i < COUNT_OF(all); i++)
		if (is_on(nic->name, all[i].command))
			text_add_format(&text, "%s%s", text.length ? " " : "", all[i].word);
	if (!nic_ethtool(nic->name, &flags) && flags.data & ETH_FLAG_LRO)
		text_add_format(&text, "%slro", text.length ? " " : "");
}

static void read_queues(struct nic *nic)
{
	struct ethtool_ringparam rings = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_pauseparam pause = { .cmd = ETHTOOL_GPAUSEPARAM };

	nic->has_rings = !nic_ethtool(nic->name, &rings);
	if (nic->has_rings) {
		nic->ring_rx = rings.rx_pending, nic->ring_rx_max = rings.rx_max_pending;
		nic->ring_tx = rings.tx_pending, nic->ring_tx_max = rings.tx_max_pending;
	}
	nic->has_channels = !nic_ethtool(nic->name, &channels);
	if (nic->has_channels) {
		nic->channels = channels.combined_count + channels.rx_count;
		nic->channels_max = channels.max_combined + channels.max_rx;
	}
	nic->has_coalesce = !nic_ethtool(nic->name, &coalesce);
	if (nic->has_coalesce) {
		nic->coalesce_rx_us = coalesce.rx_coalesce_usecs, nic->coalesce_rx_frames = coalesce.rx_max_coalesced_frames;
		nic->coalesce_tx_us = coalesce.tx_coalesce_usecs;
		nic->coalesce_adaptive = coalesce.use_adaptive_rx_coalesce;
	}
	nic->has_pause = !nic_ethtool(nic->name, &pause);
	nic->pause_rx = nic->has_pause && pause.rx_pause;
	nic->pause_tx = nic->has_pause && pause.tx_pause;
}

int nic_read(const char *name, struct nic *nic)
{
	char word[16];

	memset(nic, 0, sizeof *nic);
	text_copy(nic->name, sizeof nic->name, name);
	read_text(name, "ifindex", word, sizeof word);
	if (!*word)
		return -ENODEV;
	read_sysfs(nic);
	read_driver(nic);
	read_link(nic);
	read_offloads(nic);
	read_queues(nic);
	nic_read_irqs(nic);
	return 0;
}
