/*
 * nic.h: a network interface: how it is set, and what it has counted, from sysfs, /proc and ethtool's ioctl.
 *
 * A measurement is made on this very machine, so these are of it too, whatever --sysroot says.  What a driver does not tell is 0 and its
 * has_* false; none of it is an error.
 */
#ifndef NIC_H
#define NIC_H

#include <stdbool.h>
#include <stdint.h>

#include "capacity.h"

struct nic {
	char name[20], driver[32], version[32], bus[32], address[24];
	bool is_up, carrier, loopback, has_speed;
	uint32_t speed_mbit_per_s, speed_max_mbit_per_s; /* 0: not told; max: of the modes that it supports */
	char duplex[8];               /* full, half, "" */
	char port_kind[12];           /* "twisted pair", "fibre", ... ; "" */
	bool autonegotiation;
	uint32_t mtu_bytes;
	uint64_t carrier_changes;     /* since the start of the machine: a link that went and came back is seen */
	char offloads[96];            /* those that are on: "rx tx sg tso gso gro" */
	uint32_t ring_rx, ring_tx, ring_rx_max, ring_tx_max;
	uint32_t channels, channels_max;
	uint32_t coalesce_rx_us, coalesce_rx_frames, coalesce_tx_us;
	bool has_rings, has_channels, has_coalesce, coalesce_adaptive, has_pause, pause_rx, pause_tx;
	unsigned queues_rx, queues_tx, rps_queues, xps_queues; /* how many of them have a CPU mask */
	unsigned irqs;                /* interrupt lines of it; 0: not told (a virtual device has none) */
	char irq_cpus[48];            /* where they go: "0", "0-3" */
};

/* 0; -ENODEV when there is none of that name. */
int nic_read(const char *name, struct nic *nic);

enum { NIC_STATISTICS = 192, NIC_STATISTIC_NAME = 32 };

struct nic_counters {
	uint64_t rx_bytes, tx_bytes, rx_packets, tx_packets, rx_errors, tx_errors, rx_dropped, tx_dropped, rx_missed, rx_crc_errors;
	uint64_t pause_rx, pause_tx;  /* of whatever name the driver gives them */
	bool has_pause;
	unsigned count;               /* of the driver's own statistics (ethtool -S), the first NIC_STATISTICS of them */
	unsigned untold;              /* more of them than that */
	char names[NIC_STATISTICS][NIC_STATISTIC_NAME];
	uint64_t values[NIC_STATISTICS];
};
int nic_counters(const char *name, struct nic_counters *counters);

/* What the kernel's receive path did on each CPU (/proc/net/softnet_stat). */
struct softnet { unsigned count; uint64_t processed[MAX_CPUS], dropped[MAX_CPUS], squeezed[MAX_CPUS]; uint16_t cpus[MAX_CPUS]; };
int softnet_read(struct softnet *softnet);

/* Interrupts of a port, by line (queue) and CPU. */
struct nic_interrupts { unsigned lines; char names[MAX_NET_QUEUES][32]; uint64_t total[MAX_NET_QUEUES]; uint64_t by_cpu[MAX_CPUS]; };
int nic_interrupts(const char *name, struct nic_interrupts *interrupts);

#endif
