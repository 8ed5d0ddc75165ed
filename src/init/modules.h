/* modules.h: kernel modules, in the order that toolchain/image/make has worked out. */
#ifndef INIT_MODULES_H
#define INIT_MODULES_H

/* Loads every file that /lib/modules/assay.order lists (paths below /lib/modules, one a line).  No list: nothing to do.
 * A module that is loaded already, or finds no hardware, is fine; any other failure is named. */
void modules_load(void);

#endif
