/* spans.c: see spans.h. */
#include "block/spans.h"
#include "capacity.h"
#include "lib/random.h"

#define PIECES 256 /* at the least, where they are not smaller than a granule then */
#define MAX_PIECE (16 * MIB)
#define LAST_BYTES MIB

static uint64_t down_to(uint64_t bytes, uint64_t granule_bytes)
{
	return bytes & -granule_bytes;
}

static uint64_t piece_bytes(uint64_t wanted_bytes, uint64_t granule_bytes)
{
	uint64_t bytes = granule_bytes;

	while (bytes < MAX_PIECE && bytes * 2 * PIECES <= wanted_bytes)
		bytes *= 2;
	return bytes;
}

static uint64_t places_of(const struct spans *spans)
{
	return (spans->device_bytes + spans->span_bytes - 1) / spans->span_bytes;
}

void spans_plan(struct spans *spans, uint64_t device_bytes, uint64_t wanted_bytes, uint64_t granule_bytes, bool spread, uint64_t seed)
{
	if (wanted_bytes > device_bytes)
		wanted_bytes = device_bytes;
	if (wanted_bytes < device_bytes)
		wanted_bytes = down_to(wanted_bytes, granule_bytes);
	*spans = (struct spans){ .device_bytes = device_bytes, .wanted_bytes = wanted_bytes, .granule_bytes = granule_bytes,
	                         .seed = seed, .count = wanted_bytes < device_bytes ? 2 : 1 };
	if (!spread || wanted_bytes == device_bytes || wanted_bytes < 2 * granule_bytes)
		return;
	spans->span_bytes = piece_bytes(wanted_bytes, granule_bytes);
	spans->count = wanted_bytes / spans->span_bytes;
}

/* The start and the end; of little, the end alone. */
static void get_through(const struct spans *spans, uint64_t index, uint64_t *offset_bytes, uint64_t *bytes)
{
	uint64_t last_bytes = spans->wanted_bytes / 2 < LAST_BYTES ? spans->wanted_bytes / 2 : LAST_BYTES, last_at_bytes;

	if (last_bytes < spans->granule_bytes)
		last_bytes = spans->granule_bytes;
	last_bytes = down_to(last_bytes, spans->granule_bytes);
	/* The odd end of the device is part of the last granule, whose place it takes. */
	last_at_bytes = down_to(spans->device_bytes - 1, spans->granule_bytes) + spans->granule_bytes - last_bytes;
	*offset_bytes = index ? last_at_bytes : 0;
	*bytes = index ? spans->device_bytes - last_at_bytes : spans->wanted_bytes - last_bytes;
}

/* The first, the last, then downwards the powers of two. */
static uint64_t landmark(uint64_t index, uint64_t places)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(places);

	if (index < 2)
		return index ? places - 1 : 0;
	return index - 2 <= top ? 1ull << (top - (index - 2)) : places;
}

static bool is_landmark(uint64_t place, uint64_t places)
{
	return !(place & (place - 1)) || place == places - 1;
}

static uint64_t random_place(const struct spans *spans, uint64_t part, uint64_t parts, uint64_t places)
{
	uint64_t from = places * part / parts, to = places * (part + 1) / parts;
	struct random random;

	random_seed(&random, spans->seed + part);
	return from + random_below(&random, to - from);
}

/* Landmarks that do not exist, or twice, and random places on one of them, are left out. */
static bool find_place(const struct spans *spans, uint64_t index, uint64_t *place)
{
	uint64_t places = places_of(spans), landmarks = 3 + 63 - (uint64_t)__builtin_clzll(places);

	if (index < landmarks) {
		*place = landmark(index, places);
		return *place < places && (index < 2 || *place != places - 1);
	}
	*place = random_place(spans, index - landmarks, spans->count - landmarks, places);
	return !is_landmark(*place, places);
}

void spans_get(const struct spans *spans, uint64_t index, uint64_t *offset_bytes, uint64_t *bytes)
{
	uint64_t place, left_bytes;

	*offset_bytes = *bytes = 0;
	if (spans->count == 1 && !spans->span_bytes) {
		*bytes = spans->device_bytes;
	} else if (!spans->span_bytes) {
		get_through(spans, index, offset_bytes, bytes);
	} else if (find_place(spans, index, &place)) {
		*offset_bytes = place * spans->span_bytes;
		left_bytes = spans->device_bytes - *offset_bytes;
		*bytes = left_bytes < spans->span_bytes ? left_bytes : spans->span_bytes;
	}
}
