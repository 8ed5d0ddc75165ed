/* Tests of lib/sha256.c, with the examples of FIPS 180-4 and its companions. */
#include "test.h"

#include "lib/sha256.h"

static const char *hash(const char *bytes, size_t count)
{
	static char hex[65];
	struct sha256 sha;

	sha256_start(&sha);
	sha256_add(&sha, bytes, count);
	sha256_hex(&sha, hex);
	return hex;
}

test(sha256_of_nothing)
{
	check_string(hash("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

test(sha256_of_abc)
{
	check_string(hash("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

test(sha256_of_two_blocks)
{
	check_string(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
	             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

test(sha256_of_a_million_a)
{
	static char a[1000];
	struct sha256 sha;
	char hex[65];

	memset(a, 'a', sizeof(a));
	sha256_start(&sha);
	for (unsigned i = 0; i < 1000; i++)
		sha256_add(&sha, a, sizeof(a));
	sha256_hex(&sha, hex);
	check_string(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

test(sha256_does_not_depend_on_how_the_bytes_come)
{
	static char bytes[200];
	char whole[65], parts[65];

	memset(bytes, 'x', sizeof(bytes));
	for (size_t size = 0; size <= sizeof(bytes); size++) {
		struct sha256 sha;

		sha256_start(&sha);
		for (size_t at = 0; at < size; at += 7)
			sha256_add(&sha, bytes + at, size - at < 7 ? size - at : 7);
		sha256_hex(&sha, parts);
		strcpy(whole, hash(bytes, size));
		check_string(parts, whole);
	}
}

test(sha256_goes_on_after_its_hex_was_asked_for)
{
	struct sha256 sha;
	char hex[65];

	sha256_start(&sha);
	sha256_add(&sha, "a", 1);
	sha256_hex(&sha, hex);
	sha256_add(&sha, "bc", 2);
	sha256_hex(&sha, hex);
	check_string(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

test(sha256_digest_is_the_bytes_of_its_hex)
{
	struct sha256 sha;
	uint8_t digest[32];

	sha256_start(&sha);
	sha256_add(&sha, "abc", 3);
	sha256_end(&sha, digest);
	check_equal(digest[0], 0xba);
	check_equal(digest[31], 0xad);
}
