/* record.h: opening the file that the record goes to, without losing anybody's. */
#ifndef RECORD_H
#define RECORD_H

#include "scratch.h"

/*
 * The file is made (mode 0644), or an older record in it is replaced; anything else that is not empty is refused.  Under /dev
 * nothing is made, and only a character device (a serial port, a terminal) is written to.
 * 0 and *fd; or -EINVAL with one line in fault.
 */
int record_open(const char *path, const struct scratch *scratch, int *fd, char *fault, unsigned fault_size);

#endif
