/*
 * mlc_theirs.h: what the study mlc's machine (i7-8650U) had, by Intel MLC: data only, for mlc.c.
 *
 * A delay is a count of MLC's own loop there; ours are a quarter of it in ns (a cycle at 4 GHz).
 */
#ifndef MLC_THEIRS_H
#define MLC_THEIRS_H

#include "mem/c2c.h"
#include "mem/stream.h"

enum { DELAYS = 19 };

#define NS_HUNDREDTH 10ll       /* thousandths of a ns */
#define MB_TENTH 100000000ll    /* thousandths of B/s in 0.1 MB/s */

static const uint16_t their_counts[DELAYS] = {
	0, 2, 8, 15, 50, 100, 200, 300, 400, 500, 700, 1000, 1300, 1700, 2500, 3500, 5000, 9000, 20000,
};
static const uint64_t delays_ns[DELAYS] = { 0, 1, 2, 4, 12, 25, 50, 75, 100, 125, 175, 250, 325, 425, 625, 875, 1250, 2250, 5000 };

#define AT(ns_hundredths, mb_tenths) { ns_hundredths * NS_HUNDREDTH, mb_tenths * MB_TENTH }

#define THEIR_IDLE_HUNDREDTHS 3730

static const struct their_buffer {
	unsigned kib, matrix_mb_tenths;
	int64_t loaded[DELAYS][2];
} their_buffers[] = {
	{ 100000, 284515, {
		AT(7998, 279203), AT(10469, 256227), AT(9429, 258230), AT(9177, 268231), AT(8113, 245132), AT(6198, 173767), AT(4377, 123594),
		AT(4247, 91507), AT(4191, 74132), AT(4127, 63297), AT(4143, 50174), AT(4073, 40366), AT(4061, 34887), AT(4049, 30537),
		AT(4066, 25799), AT(4057, 22945), AT(4038, 20915), AT(4107, 18384), AT(4074, 16989) } },
	{ 64000, 269925, {
		AT(11240, 248441), AT(8593, 275441), AT(9074, 265515), AT(8263, 267359), AT(8050, 246049), AT(7133, 174768), AT(5706, 119922),
		AT(6848, 80188), AT(4648, 73376), AT(5151, 57592), AT(5048, 45510), AT(5065, 35942), AT(4599, 32612), AT(4753, 27838),
		AT(4785, 23168), AT(4785, 20358), AT(4838, 18066), AT(4314, 17611), AT(4949, 14161) } },
	{ 256000, 281223, {
		AT(8326, 275723), AT(8251, 276261), AT(8048, 272563), AT(7984, 270303), AT(7242, 250668), AT(5084, 199152), AT(4562, 127059),
		AT(4386, 93361), AT(4305, 75227), AT(4271, 63685), AT(4227, 50521), AT(4228, 40100), AT(4376, 33080), AT(4286, 28840),
		AT(4342, 23969), AT(4381, 21222), AT(4315, 19489), AT(4328, 17389), AT(5361, 13055) } },
};
enum { THEIR_FIRST, THEIR_SMALL, THEIR_LARGE, THEIR_BUFFERS };

static const struct mixture { enum stream_mix mix; const char *word, *row; unsigned mb_tenths; } mixtures[] = {
	{ STREAM_READS, "reads", "ALL reads", 285473 }, { STREAM_3_TO_1, "3:1", "3:1 reads-writes", 255854 },
	{ STREAM_2_TO_1, "2:1", "2:1 reads-writes", 250771 }, { STREAM_1_TO_1, "1:1", "1:1 reads-writes", 258746 },
	{ STREAM_TRIAD, "triad", "stream-triad like", 253103 },
};

static const struct transfer { enum c2c_kind kind; const char *word, *row; unsigned ns_hundredths; } transfers[] = {
	{ C2C_HIT, "hit", "L2->L2 HIT (clean)", 1210 }, { C2C_HITM, "hitm", "L2->L2 HITM (modified)", 1940 },
	{ C2C_PINGPONG, "pingpong", "ping-pong of one line, one way", 0 },
};

#endif
