/*
 * inflate.h: data compressed by DEFLATE (RFC 1951), from memory to memory.
 */
#ifndef INFLATE_H
#define INFLATE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the bytes written; -EINVAL when from is damaged or ends early; -ENOSPC when to is too small. */
ssize_t inflate(const void *from, size_t from_bytes, void *to, size_t to_bytes);

#endif
