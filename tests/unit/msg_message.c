#include "capacity.h"
#include "msg/message.h"
#include "test.h"

static _Alignas(64) uint8_t buffer[4 * 4096];
static struct message *const message = (struct message *)buffer;

static void make(uint64_t size_bytes, uint64_t sequence)
{
	message_lay(message, size_bytes);
	message_stamp(message, sequence);
}

test(a_message_as_it_was_made_is_right)
{
	static const uint64_t sizes[] = { 64, 4096, 4096 + 32, 4096 + 40, 10000, sizeof buffer };

	for (unsigned i = 0; i < COUNT_OF(sizes); i++) {
		make(sizes[i], 1 + i);
		check_equal(message_check(message), 0);
	}
}

test(any_flipped_bit_is_found_with_its_page)
{
	static const unsigned words[] = { 0, 1, 511, 512, 1023, 1500 };

	for (unsigned i = 0; i < COUNT_OF(words); i++) {
		make(sizeof buffer, 9);
		message->words[words[i]] ^= 1ull << (i * 12 % 64);
		check_equal(message_check(message), 1 + words[i] / 512);
	}
}

test(a_page_of_the_message_before_is_found)
{
	make(sizeof buffer, 9);
	uint64_t old = message->words[512];
	message_stamp(message, 10);
	check_equal(message_check(message), 0);
	message->words[512] = old;
	check_equal(message_check(message), 2);
}

test(two_pages_exchanged_are_found)
{
	make(sizeof buffer, 3);
	for (unsigned i = 0; i < 512; i++) {
		uint64_t word = message->words[i];
		message->words[i] = message->words[512 + i];
		message->words[512 + i] = word;
	}
	check_equal(message_check(message), 1);
}
