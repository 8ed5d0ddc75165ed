/* sha256.h: SHA-256 (FIPS 180-4). */
#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
	uint32_t state[8];
	uint64_t length_bytes;
	uint8_t block[64];
};

void sha256_start(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t count);
/* Leaves sha usable for nothing but sha256_start; copy it first to go on. */
void sha256_end(struct sha256 *sha, uint8_t digest[32]);
void sha256_hex(const struct sha256 *sha, char hex[65]); /* of all added so far; sha goes on */

#endif
