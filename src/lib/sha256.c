/*
 * sha256.c: see sha256.h; FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2, in plain C.
 */
#include <string.h>

#include "lib/sha256.h"

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8 };

static const uint32_t round_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static void expand(uint32_t words[64], const uint8_t *block)
{
	for (unsigned i = 0; i < 16; i++, block += 4)
		words[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
		           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[64];
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

	expand(words, block);
	for (unsigned i = 0; i < 64; i++) {
		uint32_t one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
		               round_constants[i] + words[i];
		uint32_t two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

		h = g, g = f, f = e, e = d + one;
		d = c, c = b, b = a, a = one + two;
	}
	state[0] += a, state[1] += b, state[2] += c, state[3] += d;
	state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void sha256_start(struct sha256 *sha)
{
	*sha = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t count)
{
	const uint8_t *from = bytes;

	while (count) {
		size_t at = sha->length_bytes % BLOCK_BYTES;
		size_t part = count < BLOCK_BYTES - at ? count : BLOCK_BYTES - at;

		memcpy(sha->block + at, from, part);
		sha->length_bytes += part;
		from += part;
		count -= part;
		if (at + part == BLOCK_BYTES)
			compress(sha->state, sha->block);
	}
}

static void store(uint8_t *to, uint64_t number, unsigned bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)number;
		number >>= 8;
	}
}

void sha256_end(struct sha256 *sha, uint8_t digest[32])
{
	static const uint8_t padding[BLOCK_BYTES] = { 0x80 };
	uint8_t length[LENGTH_BYTES];
	size_t used = sha->length_bytes % BLOCK_BYTES, room = BLOCK_BYTES - LENGTH_BYTES;

	store(length, sha->length_bytes * 8, LENGTH_BYTES);
	sha256_add(sha, padding, used < room ? room - used : room + BLOCK_BYTES - used);
	sha256_add(sha, length, LENGTH_BYTES);
	for (unsigned i = 0; i < 8; i++)
		store(digest + 4 * i, sha->state[i], 4);
}

void sha256_hex(const struct sha256 *sha, char hex[65])
{
	static const char digits[] = "0123456789abcdef";
	struct sha256 copy = *sha;
	uint8_t digest[32];

	sha256_end(&copy, digest);
	for (unsigned i = 0; i < 32; i++) {
		hex[2 * i] = digits[digest[i] >> 4];
		hex[2 * i + 1] = digits[digest[i] & 15];
	}
	hex[64] = '\0';
}
