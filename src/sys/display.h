/*
 * display.h: is a display connected?  /sys/class/drm/card*-*, which is there only with a driver loaded: none is "unknown", not "disconnected".
 */
#ifndef DISPLAY_H
#define DISPLAY_H

#include <stddef.h>

enum display { DISPLAY_UNKNOWN, DISPLAY_OFF, DISPLAY_ON };

/* The connectors and their states, "DP-1 connected, HDMI-A-1 disconnected", in names. */
enum display display_state(char *names, size_t size);
/* Makes the driver take it for connected or not, through the guardian: 0; -EOPNOTSUPP: it reads as before; or -errno. */
int display_force(enum display wanted);
int display_release(void); /* back to what the wire says */

#endif
