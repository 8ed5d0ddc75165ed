/* choose.h: which board file is used. */
#ifndef CHOOSE_H
#define CHOOSE_H

#include "board.h"
#include "identity.h"

/*
 * --board NAME (built in) or FILE (a path with a slash, or a name that ends in .json); "" chooses the built-in one that
 * fits the machine best.  0; or -EINVAL with one line in fault: the file's fault with line and column, an unknown name with
 * the nearest right one, or that none fits.
 */
int choose_board(struct board *board, const char *wanted, const struct identity *identity, char *fault, unsigned fault_size);

/* The board file at this path: 0, or -EINVAL with its fault. */
int choose_file(struct board *board, const char *path, char *fault, unsigned fault_size);

/* The names of the built-in board files, for text_nearest. */
const char *choose_name(unsigned index, const void *context);

#endif
