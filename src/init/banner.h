/* banner.h: a verdict in letters that are read across a factory hall. */
#ifndef INIT_BANNER_H
#define INIT_BANNER_H

#include "lib/text.h"

/* Adds word (capital letters) five lines high, an empty line above and below.  A letter that the font lacks is a blank. */
void banner_add(struct text *text, const char *word);

#endif
