/*
 * filling.h: what a memory test writes, as data: every word is a pure function of its place, the seed and the pass, so that it need not be stored to be checked.
 *
 * A filling names its words (the first stage), what an operation makes of them (the second), and the way the buffer is gone through (integrity.c).
 * Where a pattern has many values (64 places of a bit), each is a pass, and one that also has its inverse two.
 */
#ifndef FILLING_H
#define FILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words are an interface, and so is their order.  Those of memtester and memtest86+ go by these names (facts in filling.c). */
#define FILLING_WORDS "address|random|inversions|walking|checkerboard" \
	"|stuck-address|xor|sub|mul|div|or|and|increment|solid-bits|block-sequential|bit-spread|bit-flip|walking-ones|walking-zeroes|8-bit|16-bit" \
	"|walking-address|own-physical|inversions-8bit|inversions-random|inversions-64bit|block-move|random-sequence|modulo-20|bit-fade"

enum filling_name {
	FILLING_ADDRESS, FILLING_RANDOM, FILLING_INVERSIONS, FILLING_WALKING, FILLING_CHECKERBOARD,
	FILLING_STUCK_ADDRESS, FILLING_XOR, FILLING_SUB, FILLING_MUL, FILLING_DIV, FILLING_OR, FILLING_AND, FILLING_INCREMENT, FILLING_SOLID_BITS,
	FILLING_BLOCK_SEQUENTIAL, FILLING_BIT_SPREAD, FILLING_BIT_FLIP, FILLING_WALKING_ONES, FILLING_WALKING_ZEROES, FILLING_8_BIT, FILLING_16_BIT,
	FILLING_WALKING_ADDRESS, FILLING_OWN_PHYSICAL, FILLING_INVERSIONS_8BIT, FILLING_INVERSIONS_RANDOM, FILLING_INVERSIONS_64BIT, FILLING_BLOCK_MOVE,
	FILLING_RANDOM_SEQUENCE, FILLING_MODULO_20, FILLING_BIT_FADE,
	FILLING_COUNT
};

enum filling_kind { FILLING_LINEAR, FILLING_MIXED, FILLING_PARITY, FILLING_PHYSICAL, FILLING_MODULO };
enum filling_way { WAY_PLAIN, WAY_MOVING, WAY_APPLIED, WAY_MOVED, WAY_MODULO, WAY_FADE };
enum filling_operation { APPLY_NOT, APPLY_XOR, APPLY_SUB, APPLY_MUL, APPLY_DIV, APPLY_OR, APPLY_AND };

enum { FILLING_MODULUS = 20 };

struct filling {
	uint64_t base, per_word, per_value; /* linear: base turned by the value, plus these times the place and the value */
	uint64_t alternate;      /* linear: turned over in words of odd number */
	uint16_t values;
	uint8_t polarities;      /* 2: every value also with all bits inverted */
	bool turn;               /* linear: turned by the place, too */
	uint8_t kind;            /* enum filling_kind */
	uint8_t way;             /* enum filling_way */
	uint8_t operation;       /* enum filling_operation: what makes the second stage */
	uint8_t store_bytes;     /* 1, 2: written by so narrow stores; 0: by words */
};

/* The words of one pass. */
struct filling_pass {
	const struct filling *filling;
	uint64_t seed;
	unsigned value;
	uint64_t invert;         /* 0 or ~0 */
	const uint64_t *pages;   /* own-physical: the physical address of each page of the buffer */
	unsigned page_words_log2;
};

const struct filling *filling_at(unsigned name); /* NULL from FILLING_COUNT on */

/* How many passes there are when a pattern may have at most so many (0: all); its values are spread evenly, both polarities are kept. */
unsigned filling_passes(const struct filling *filling, unsigned most);
/* Pass number index out of passes; the seed says with which value it begins. */
void filling_pass(struct filling_pass *pass, const struct filling *filling, uint64_t seed, unsigned index, unsigned passes);

/* The words number first, first + 1, ... of the buffer. */
void filling_write(const struct filling_pass *pass, uint64_t *to, size_t words, uint64_t first);
/* Their second stage. */
void filling_apply(const struct filling_pass *pass, uint64_t *to, const uint64_t *from, size_t words);

/* Of whose place among words is that the content?  UINT64_MAX: of none, or the pattern cannot tell (its words are not all different). */
uint64_t filling_place(const struct filling_pass *pass, uint64_t content, bool second_stage, uint64_t words);

#endif
