/* build.h: which build this is. */
#ifndef BUILD_H
#define BUILD_H

/* The hex digits of this binary's own NT_GNU_BUILD_ID; "" when it has none. */
const char *build_id(void);

#endif
