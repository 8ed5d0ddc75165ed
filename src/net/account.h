/*
 * account.h: what a test costs this machine: readings before, during and behind it, of CPU time, interrupts, the receive path and the port's own counters.
 */
#ifndef NET_ACCOUNT_H
#define NET_ACCOUNT_H

#include "net/cpu_use.h"
#include "sys/nic.h"

/* One reading. */
struct account {
	uint64_t at_ns;               /* clock_now_ns() */
	int cpu_error;                /* of reading /proc/stat */
	struct cpu_use cpu;
	struct softnet softnet;
	struct nic_interrupts interrupts;
	struct nic_counters counters;
	uint64_t udp_receive_errors;  /* RcvbufErrors of /proc/net/snmp and snmp6: for want of receive buffer, this network namespace */
};

void account_read(const char *nic, struct account *account);
/* Only what is cheap: CPU time, softnet and interrupts; for every interval. */
void account_read_quick(const char *nic, struct account *account);

#endif
