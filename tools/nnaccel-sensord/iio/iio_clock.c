// SPDX-License-Identifier: Apache-2.0
/* Timestamps of a device as CLOCK_BOOTTIME. */
#include <string.h>

#include "nnutil_clock.h"

#include "iio/sensord_iio.h"

#define CLOCK_FILE "current_timestamp_clock"
/* The time of day can be set, and other clocks stop during suspend: how old an offset may be. */
#define MEASURE_EVERY_NS (2 * NNUTIL_NS_PER_S)
#define MEASUREMENTS 3

static const struct {
	const char *name;
	clockid_t id;
} clocks[] = {
	{ "realtime", CLOCK_REALTIME },
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime_coarse", CLOCK_REALTIME_COARSE },
	{ "monotonic_coarse", CLOCK_MONOTONIC_COARSE },
	{ "boottime", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

/* Of some readings the one that took the shortest time. */
static void iio_clock_measure(struct iio_clock *clock)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < MEASUREMENTS; i++) {
		int64_t before = nnutil_boottime_ns(), there = nnutil_clock_ns(clock->id);
		int64_t after = nnutil_boottime_ns();

		if (after - before >= best)
			continue;
		best = after - before;
		clock->offset_ns = before + best / 2 - there;
		clock->measured_ns = after;
	}
}

void iio_clock_set(struct iio_clock *clock, int dir)
{
	char text[64], name[32];

	*clock = (struct iio_clock){ .id = CLOCK_REALTIME };
	/* a driver that refuses, or is older than the choice, goes on with what it has */
	iio_dir_write(dir, CLOCK_FILE, "boottime");
	if (!iio_dir_read(dir, CLOCK_FILE, text, sizeof(text))) {
		iio_text_name(text, name, sizeof(name));
		clock->none = true;
		for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
			if (!strcmp(name, clocks[i].name)) {
				clock->id = clocks[i].id;
				clock->none = false;
			}
	}
	if (!clock->none && clock->id != CLOCK_BOOTTIME)
		iio_clock_measure(clock);
}

int64_t iio_clock_boottime(struct iio_clock *clock, int64_t timestamp, int64_t now_ns)
{
	if (clock->none)
		return now_ns;
	if (clock->id == CLOCK_BOOTTIME)
		return timestamp;
	if (now_ns - clock->measured_ns >= MEASURE_EVERY_NS)
		iio_clock_measure(clock);
	return timestamp + clock->offset_ns;
}
