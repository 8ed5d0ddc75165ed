/* message.c: the laid words of a page are a linear sequence, so that their sum needs no second copy. */
#include "msg/message.h"

enum { WORDS_PER_PAGE = MESSAGE_PAGE / 8 };

static const uint64_t STEP_OF_WORDS = 0x9e3779b97f4a7c15; /* odd, all bytes differ: 2^64 / golden ratio */

static uint64_t word_count(const struct message *message)
{
	return (message->size_bytes - sizeof *message) / 8;
}

static uint64_t page_words(uint64_t count, uint64_t first)
{
	return count - first < WORDS_PER_PAGE ? count - first : WORDS_PER_PAGE;
}

static uint64_t stamp_of(uint64_t sequence, uint64_t page)
{
	return (sequence * 0xff51afd7ed558ccd) ^ (page * STEP_OF_WORDS);
}

/* Word number i of a page (0 is the stamp) is (page + i) * step. */
void message_lay(struct message *message, uint64_t size_bytes)
{
	message->size_bytes = size_bytes;
	for (uint64_t i = 0, count = word_count(message); i < count; i++)
		message->words[i] = (i / WORDS_PER_PAGE + i % WORDS_PER_PAGE) * STEP_OF_WORDS;
}

void message_stamp(struct message *message, uint64_t sequence)
{
	message->sequence = sequence;
	for (uint64_t i = 0, count = word_count(message); i < count; i += WORDS_PER_PAGE)
		message->words[i] = stamp_of(sequence, i / WORDS_PER_PAGE);
}

/* The sum of words 1 .. n-1 of a page as they were laid. */
static uint64_t laid_sum(uint64_t page, uint64_t n)
{
	return ((n - 1) * page + n * (n - 1) / 2) * STEP_OF_WORDS;
}

static uint64_t sum_of(const uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 1; i < n; i++)
		sum += words[i];
	return sum;
}

uint64_t message_check(const struct message *message)
{
	uint64_t count = word_count(message);

	for (uint64_t i = 0; i < count; i += WORDS_PER_PAGE) {
		uint64_t page = i / WORDS_PER_PAGE, n = page_words(count, i);

		if (message->words[i] != stamp_of(message->sequence, page) || sum_of(&message->words[i], n) != laid_sum(page, n))
			return 1 + page;
	}
	return 0;
}
