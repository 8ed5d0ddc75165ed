/* nic_ethtool.h: what the files of sys/nic share. */
#ifndef NIC_ETHTOOL_H
#define NIC_ETHTOOL_H

#include "sys/nic.h"

int nic_ethtool(const char *name, void *command);                   /* one command of SIOCETHTOOL: 0 or -errno */
uint64_t nic_number(const char *name, const char *file);            /* of /sys/class/net/NAME; 0 where it is not told */
void nic_read_irqs(struct nic *nic);

/* ---- pure, for the unit tests ---- */
uint32_t nic_fastest_mode(const uint32_t *mask, unsigned words);     /* of a mask of link modes: Mbit/s; 0: none that is known */
/* Is this line's action (its last word) of the interface, or of the device behind it?  eth0, eth0.vm1, eth0-TxRx-3; virtio0-input.0, mlx5_comp0@pci:0000:01:00.0 */
bool nic_owns_action(const char *action, const char *interface, const char *device);
void softnet_take_line(const char *line, unsigned number, struct softnet *softnet);

#endif
