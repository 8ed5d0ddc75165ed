/* limiter.c: see limiter.h. */
#include <string.h>

#include "lib/number.h"
#include "lib/wide.h"
#include "study/knee.h"
#include "study/limiter.h"

enum {
	MILLION = 1000000,
	LINK_PPM = 850000,      /* headers, flow control and acknowledgements take up to the rest */
	BELIEVED_PPM = 1020000, /* a virtual machine's link is a fiction, and is exceeded */
	CPU_PPM = 900000,
	LEAST_POINTS = 3,
	FLAT_SPAN = 4,          /* a plateau is at least that wide, in bytes in flight */
	FLAT_PERCENT = 80,      /* of the maximum: its noise, as SNIA's bound on the steady state; a throttle comes in bursts */
};

/* ---- what the link lets through ---- */

uint64_t limiter_pcie(const char *speed, uint32_t width)
{
	int64_t rate_milli; /* of GT/s, a bit each */

	if (number_parse_milli(speed, strcspn(speed, " "), &rate_milli) || rate_milli <= 0 || rate_milli > 1000000)
		return 0;
	return rate_milli <= 5000 ? (uint64_t)rate_milli * 1000000 / 10 * width : (uint64_t)rate_milli * 1000000 / 130 * 16 * width;
}

uint64_t limiter_mmc(const char *mode)
{
	static const struct { const char *word; unsigned mb_per_s; } modes[] = {
		{ "HS400", 400 }, { "HS200", 200 }, { "DDR52", 104 }, { "mmc high-speed", 52 },
		{ "SDR104", 104 }, { "SDR50", 50 }, { "DDR50", 50 }, { "SDR25", 25 }, { "sd high-speed", 25 },
	};

	for (unsigned i = 0; i < COUNT_OF(modes); i++)
		if (text_find(mode, modes[i].word))
			return modes[i].mb_per_s * 1000000ull;
	return 0;
}

/* Where both ends could do more than what they do. */
static void add_could(const struct disk *disk, struct own_limit *limit)
{
	uint64_t device = limiter_pcie(disk->link_speed_max, disk->link_width_max);
	uint64_t port = limiter_pcie(disk->port_speed_max, disk->port_width_max);
	const bool device_is_less = !port || device < port;

	if ((device_is_less ? device : port) > limit->bytes_per_s && limit->bytes_per_s)
		text_format(limit->could, sizeof limit->could, "%s x%u", device_is_less ? disk->link_speed_max : disk->port_speed_max,
		            device_is_less ? disk->link_width_max : disk->port_width_max);
}

struct own_limit limiter_of_disk(const struct disk *disk)
{
	struct own_limit limit = { .bytes_per_s = 0 };

	if (disk && disk->link_speed[0]) {
		limit.bytes_per_s = limiter_pcie(disk->link_speed, disk->link_width);
		text_format(limit.words, sizeof limit.words, "PCIe %.*s GT/s x%u", (int)strcspn(disk->link_speed, " "), disk->link_speed,
		            disk->link_width);
		add_could(disk, &limit);
	} else if (disk && disk->mode[0]) {
		limit.bytes_per_s = limiter_mmc(disk->mode);
		text_copy(limit.words, sizeof limit.words, disk->mode);
	}
	return limit;
}

static uint64_t ratio_ppm(int64_t bandwidth_milli, uint64_t bytes_per_s)
{
	return bytes_per_s ? (uint64_t)wide_divide((unsigned __int128)(uint64_t)bandwidth_milli * 1000, bytes_per_s).whole : 0;
}

bool limiter_is_believed(const struct readings *readings, const struct own_limit *own)
{
	for (unsigned i = 0; i < readings->count; i++)
		if (ratio_ppm(readings->at[i].bandwidth_milli, own->bytes_per_s) > BELIEVED_PPM)
			return false;
	return own->bytes_per_s;
}

/* ---- which limit binds ---- */

struct curve {
	const struct readings *readings;
	const struct reading *maximum, *knee;
	uint64_t widest_bytes;      /* in flight */
	int64_t level_milli;        /* of the plateau: the middle one of its points */
	unsigned plateau;           /* points at FLAT_PERCENT or more, from the knee on */
};

static bool on_plateau(const struct curve *curve, const struct reading *reading)
{
	return reading_inflight_bytes(reading) >= reading_inflight_bytes(curve->knee) &&
	       (__int128)reading->bandwidth_milli * 100 >= (__int128)curve->maximum->bandwidth_milli * FLAT_PERCENT;
}

static void find_level(struct curve *curve)
{
	static struct samples plateau;
	static struct summary summary;

	samples_clear(&plateau);
	for (unsigned i = 0; i < curve->readings->count; i++) {
		const struct reading *reading = &curve->readings->at[i];

		if (on_plateau(curve, reading))
			samples_add(&plateau, reading->bandwidth_milli);
		if (reading_inflight_bytes(reading) > curve->widest_bytes)
			curve->widest_bytes = reading_inflight_bytes(reading);
	}
	summary_of(&plateau, &summary);
	curve->plateau = summary.count;
	curve->level_milli = summary.median;
}

static bool find_curve(const struct readings *readings, struct curve *curve)
{
	static struct knee_point points[MAX_READINGS];
	int maximum;

	for (unsigned i = 0; i < readings->count; i++)
		points[i] = (struct knee_point){ reading_inflight_bytes(&readings->at[i]), readings->at[i].bandwidth_milli };
	maximum = knee_maximum(points, readings->count);
	if (maximum < 0)
		return false;
	*curve = (struct curve){ .readings = readings, .maximum = &readings->at[maximum] };
	curve->knee = &readings->at[knee_of(points, readings->count)];
	find_level(curve);
	return true;
}

/* Much more in flight was tried, and brought no more. */
static bool has_ended(const struct curve *curve)
{
	return curve->widest_bytes / FLAT_SPAN >= reading_inflight_bytes(curve->knee);
}

static bool is_flat(const struct curve *curve)
{
	return has_ended(curve) && curve->plateau >= LEAST_POINTS;
}

static void add_share(struct text *text, uint64_t share_ppm, const char *of)
{
	text_add_format(text, "%llu %% of %s", (unsigned long long)(share_ppm + 5000) / 10000, of);
}

/* Flat, or with a peak. */
static void add_end(struct text *text, const struct curve *curve)
{
	text_add(text, is_flat(curve) ? "flat at " : "at most ");
	reading_add_rate(text, curve->level_milli);
	text_add(text, is_flat(curve) ? " from " : ", with ");
	number_add_size(text, reading_inflight_bytes(curve->knee));
	text_add(text, is_flat(curve) ? " in flight on" : " in flight, and less with more");
}

static void say_link(struct text *text, const struct curve *curve, const struct own_limit *own)
{
	text_add(text, "limited by the link: ");
	reading_add_rate(text, curve->maximum->bandwidth_milli);
	text_add(text, " is ");
	add_share(text, ratio_ppm(curve->maximum->bandwidth_milli, own->bytes_per_s), own->words);
	if (own->could[0])
		text_add_format(text, ", though both ends can %s", own->could);
}

static void say_cpu(struct text *text, const struct curve *curve)
{
	text_add(text, "limited by the CPU: at ");
	reading_add_rate(text, curve->maximum->bandwidth_milli);
	text_add(text, " (");
	reading_add_shape(text, curve->maximum);
	text_add_format(text, curve->maximum->numjobs > 1 ? ") the threads of %u jobs were busy" : ") the thread of the %u job was busy",
	                curve->maximum->numjobs);
	text_add_format(text, " %u %% of the time", (curve->maximum->cpu_ppm + 5000) / 10000);
}

static void say_latency(struct text *text, const struct curve *curve)
{
	text_add(text, "limited by latency: bandwidth grows with the bytes in flight up to the largest tried, ");
	reading_add_rate(text, curve->maximum->bandwidth_milli);
	text_add(text, " at ");
	number_add_size(text, reading_inflight_bytes(curve->maximum));
}

static void say_drive(struct text *text, const struct curve *curve, const struct own_limit *own)
{
	text_add(text, "limited by the drive: ");
	add_end(text, curve);
	text_add(text, ", ");
	add_share(text, ratio_ppm(curve->level_milli, own->bytes_per_s), own->words);
	if (own->could[0])
		text_add_format(text, " (both ends can %s)", own->could);
}

static void say_flat(struct text *text, const struct curve *curve)
{
	text_add(text, "limited at ");
	reading_add_rate(text, curve->level_milli);
	text_add(text, ", flat from ");
	number_add_size(text, reading_inflight_bytes(curve->knee));
	text_add(text, " in flight on, by neither the CPU nor a link that is known: the drive itself, or a throttle");
}

static enum limiter choose(const struct curve *curve, const struct own_limit *own, uint64_t bound_bytes_per_s)
{
	if (ratio_ppm(curve->maximum->bandwidth_milli, own->bytes_per_s) >= LINK_PPM)
		return LIMITER_LINK;
	if (curve->maximum->cpu_ppm >= CPU_PPM)
		return LIMITER_CPU;
	if (curve->readings->count < LEAST_POINTS)
		return LIMITER_UNKNOWN;
	if (!has_ended(curve))
		return LIMITER_LATENCY;
	if (ratio_ppm(curve->maximum->bandwidth_milli, bound_bytes_per_s) >= LINK_PPM)
		return LIMITER_BOARD;
	if (own->bytes_per_s)
		return LIMITER_DRIVE;
	return is_flat(curve) ? LIMITER_FLAT : LIMITER_PEAK;
}

const char *limiter_word(enum limiter limiter)
{
	static const char *const words[] = { "unknown", "link", "cpu", "latency", "board", "drive", "flat", "peak" };

	return words[limiter];
}

enum limiter limiter_find(const struct readings *readings, const struct own_limit *own, uint64_t bound_bytes_per_s, struct text *text)
{
	static const struct own_limit unknown;
	struct curve curve;
	enum limiter limiter;

	if (!limiter_is_believed(readings, own))
		own = &unknown;
	limiter = find_curve(readings, &curve) ? choose(&curve, own, bound_bytes_per_s) : LIMITER_UNKNOWN;

	switch (limiter) {
	case LIMITER_LINK: say_link(text, &curve, own); break;
	case LIMITER_CPU: say_cpu(text, &curve); break;
	case LIMITER_LATENCY: say_latency(text, &curve); break;
	case LIMITER_DRIVE: say_drive(text, &curve, own); break;
	case LIMITER_FLAT: say_flat(text, &curve); break;
	case LIMITER_PEAK:
		text_add(text, "what limits it cannot be told, but it is not the CPU: ");
		add_end(text, &curve);
		break;
	case LIMITER_BOARD:
		text_add(text, "limited by what the board can do: ");
		add_end(text, &curve);
		text_add(text, ", ");
		add_share(text, ratio_ppm(curve.level_milli, bound_bytes_per_s), "the board file's bound");
		break;
	default:
		text_add_format(text, "what limits it cannot be told from %u points", readings->count);
	}
	return limiter;
}
