/*
 * inflate.c: see inflate.h.  The codes are canonical: one of a length is told by its distance from the first of that
 * length, so that the number of codes of each length and the symbols in the order of their codes are all that is kept.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/inflate.h"

enum { MAX_CODE_BITS = 15, LITERALS = 288, DISTANCES = 32, END_OF_BLOCK = 256, LONGEST = 285, LONGEST_BYTES = 258 };

struct stream {
	const uint8_t *from, *from_end;
	unsigned bits, bit_count;      /* taken from `from` and not yet used, the next one lowest */
	uint8_t *to;
	size_t written, to_bytes;
	int err;                       /* the first; all further reads give 0 */
};

struct code {
	uint16_t count[MAX_CODE_BITS + 1];
	uint16_t symbols[LITERALS];
};

static unsigned fail(struct stream *stream, int err)
{
	if (!stream->err)
		stream->err = err;
	return 0;
}

static unsigned take(struct stream *stream, unsigned count)
{
	unsigned value;

	while (stream->bit_count < count) {
		if (stream->from == stream->from_end)
			return fail(stream, -EINVAL);
		stream->bits |= (unsigned)*stream->from++ << stream->bit_count;
		stream->bit_count += 8;
	}
	value = stream->bits & ((1u << count) - 1);
	stream->bits >>= count;
	stream->bit_count -= count;
	return value;
}

static void put(struct stream *stream, uint8_t byte)
{
	if (stream->written == stream->to_bytes)
		fail(stream, -ENOSPC);
	else
		stream->to[stream->written++] = byte;
}

static void make_code(struct code *code, const uint8_t *lengths, unsigned count)
{
	unsigned at = 0;

	memset(code, 0, sizeof *code);
	for (unsigned bits = 1; bits <= MAX_CODE_BITS; bits++)
		for (unsigned symbol = 0; symbol < count; symbol++)
			if (lengths[symbol] == bits) {
				code->symbols[at++] = (uint16_t)symbol;
				code->count[bits]++;
			}
}

static unsigned take_symbol(struct stream *stream, const struct code *code)
{
	unsigned value = 0, first = 0, before = 0;

	for (unsigned bits = 1; bits <= MAX_CODE_BITS && !stream->err; bits++) {
		value = value << 1 | take(stream, 1);
		if (value - first < code->count[bits])
			return code->symbols[before + value - first];
		before += code->count[bits];
		first = (first + code->count[bits]) << 1;
	}
	return fail(stream, -EINVAL);
}

/* Lengths and distances grow alike: 2^group_bits symbols for each number of extra bits, but for the first two groups. */
static unsigned take_grown(struct stream *stream, unsigned symbol, unsigned group_bits)
{
	unsigned group = 1u << group_bits, extra_bits;

	if (symbol < group)
		return symbol;
	extra_bits = (symbol >> group_bits) - 1;
	return ((group + symbol % group) << extra_bits) + take(stream, extra_bits);
}

static void copy(struct stream *stream, unsigned symbol, const struct code *distances)
{
	unsigned length = symbol == LONGEST ? LONGEST_BYTES : 3 + take_grown(stream, symbol - END_OF_BLOCK - 1, 2);
	unsigned distance = 1 + take_grown(stream, take_symbol(stream, distances), 1);

	if (symbol > LONGEST || distance > stream->written)
		fail(stream, -EINVAL);
	while (length-- && !stream->err)
		put(stream, stream->to[stream->written - distance]);
}

static void compressed_block(struct stream *stream, const uint8_t *lengths, unsigned literal_count, unsigned distance_count)
{
	struct code literals, distances;
	unsigned symbol;

	make_code(&literals, lengths, literal_count);
	make_code(&distances, lengths + literal_count, distance_count);
	while ((symbol = take_symbol(stream, &literals)) != END_OF_BLOCK && !stream->err) {
		if (symbol < END_OF_BLOCK)
			put(stream, (uint8_t)symbol);
		else
			copy(stream, symbol, &distances);
	}
}

static void fixed_block(struct stream *stream)
{
	uint8_t lengths[LITERALS + DISTANCES];

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	memset(lengths + LITERALS, 5, DISTANCES);
	compressed_block(stream, lengths, LITERALS, DISTANCES);
}

/* The lengths of a block's own codes are compressed by a code of their own. */
static void take_lengths(struct stream *stream, const struct code *code, uint8_t *lengths, unsigned count)
{
	for (unsigned i = 0; i < count && !stream->err; ) {
		unsigned symbol = take_symbol(stream, code), repeat = 1;

		if (symbol == 16)
			repeat = 3 + take(stream, 2);
		else if (symbol == 17)
			repeat = 3 + take(stream, 3);
		else if (symbol == 18)
			repeat = 11 + take(stream, 7);
		if (repeat > count - i || (symbol == 16 && !i))
			fail(stream, -EINVAL);
		else
			memset(lengths + i, symbol < 16 ? (int)symbol : symbol == 16 ? lengths[i - 1] : 0, repeat);
		i += repeat;
	}
}

static void dynamic_block(struct stream *stream)
{
	static const uint8_t order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
	unsigned literal_count = 257 + take(stream, 5), distance_count = 1 + take(stream, 5), count = 4 + take(stream, 4);
	uint8_t lengths[LITERALS + DISTANCES] = { 0 };
	struct code code;

	for (unsigned i = 0; i < count; i++)
		lengths[order[i]] = (uint8_t)take(stream, 3);
	make_code(&code, lengths, sizeof order);
	memset(lengths, 0, sizeof lengths);
	if (!stream->err)
		take_lengths(stream, &code, lengths, literal_count + distance_count);
	if (!stream->err)
		compressed_block(stream, lengths, literal_count, distance_count);
}

static void stored_block(struct stream *stream)
{
	unsigned length;

	take(stream, stream->bit_count % 8);
	length = take(stream, 16);
	if ((length ^ take(stream, 16)) != 0xffff)
		fail(stream, -EINVAL);
	while (length-- && !stream->err)
		put(stream, (uint8_t)take(stream, 8));
}

ssize_t inflate(const void *from, size_t from_bytes, void *to, size_t to_bytes)
{
	struct stream stream = { .from = from, .from_end = (const uint8_t *)from + from_bytes, .to = to, .to_bytes = to_bytes };
	bool last = false;

	while (!last && !stream.err) {
		last = take(&stream, 1);
		switch (take(&stream, 2)) {
		case 0: stored_block(&stream); break;
		case 1: fixed_block(&stream); break;
		case 2: dynamic_block(&stream); break;
		default: fail(&stream, -EINVAL);
		}
	}
	return stream.err ? stream.err : (ssize_t)stream.written;
}
