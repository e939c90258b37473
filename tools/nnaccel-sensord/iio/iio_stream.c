// SPDX-License-Identifier: Apache-2.0
/* A device's buffer: setting it up, and reading scans from it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_clock.h"

#include "iio/sensord_iio.h"

/* Scans that the kernel keeps while this thread does not run, at least. */
#define LENGTH_MIN 128u
/* A service that was stopped does not catch up for ever. */
#define READS_MAX 16

static void buffer_file(const struct iio_unit *unit, const char *name, char file[IIO_FILE_MAX])
{
	snprintf(file, IIO_FILE_MAX, "%s/%s", unit->buffer_dir, name);
}

static int buffer_write(const struct iio_unit *unit, const char *name, uint32_t value)
{
	char file[IIO_FILE_MAX];

	buffer_file(unit, name, file);
	return iio_dir_write_number(unit->dir, file, value);
}

/* ---- elements ---- */

static bool is_planned(const struct iio_unit *unit, const struct iio_plan *plan,
		       const struct iio_source *source)
{
	for (unsigned int i = 0; i < unit->num_sensors; i++) {
		if (!(plan->sensors & 1u << i))
			continue;
		for (unsigned int k = 0; k < unit->bound[i].num_sources; k++)
			if (unit->bound[i].sources[k] == source)
				return true;
	}
	return false;
}

static int enable_element(const struct iio_unit *unit, const char *channel, bool on)
{
	char file[IIO_FILE_MAX];

	if ((size_t)snprintf(file, sizeof(file), "%s/in_%s_en", unit->scan_dir, channel) >=
	    sizeof(file))
		return -ENAMETOOLONG;
	return iio_dir_write(unit->dir, file, on ? "1" : "0");
}

/* All off, also those that are no channels of ours. */
static int disable_all(const struct iio_unit *unit)
{
	int fd = openat(unit->dir, unit->scan_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);
		char value[8];

		/* what is off is left alone: fewer calls into the driver */
		if (length > 3 && !strcmp(entry->d_name + length - 3, "_en") &&
		    (iio_dir_read(fd, entry->d_name, value, sizeof(value)) ||
		     strcmp(value, "0") != 0))
			ret = iio_dir_write(fd, entry->d_name, "0");
	}
	closedir(dir);
	return ret;
}

/*
 * Linux up to 6.19 writes the time at the end of a scan, where the elements say another place if
 * one of them is larger than a time; later ones write it at both.
 */
static void find_stamps(struct iio_stream *stream)
{
	const struct iio_element *stamp = &stream->unit->sources[stream->unit->timestamp].element;

	stream->stamps[0] = stream->stamps[1] = *stamp;
	stream->stamps[0].offset = stream->scan_size - stamp->bytes;
}

/* Enable the plan's elements, and note where each is in a scan. */
static int set_elements(struct iio_stream *stream, const struct iio_plan *plan)
{
	struct iio_unit *unit = stream->unit;
	size_t end = 0, largest = 0;
	int ret = disable_all(unit);

	stream->stamped = false;
	for (unsigned int i = 0; !ret && i < unit->num_sources; i++) {
		struct iio_source *s = &unit->sources[i];
		bool stamp = (long)i == unit->timestamp && s->element.bytes == 8 &&
			     s->element.repeat == 1;

		if (s->index < 0 || (!stamp && !is_planned(unit, plan, s)))
			continue;
		ret = enable_element(unit, s->name, true);
		end = iio_scan_place(&s->element, end, &largest);
		stream->stamped |= stamp;
	}
	stream->scan_size = iio_scan_size(end, largest);
	if (!ret && (!stream->scan_size || stream->scan_size > IIO_STREAM_BYTES / 2))
		ret = -EINVAL;
	if (!ret && stream->stamped)
		find_stamps(stream);
	return ret;
}

/* ---- rate ---- */

/* Every file that sets a frequency of a sensor of the plan; the slowest of them decides. */
static int set_rate(struct iio_stream *stream, const struct iio_plan *plan)
{
	const struct iio_unit *unit = stream->unit;
	uint32_t done = 0;
	int64_t actual;
	int ret;

	stream->period_ns = 0;
	for (unsigned int i = 0; i < unit->num_sensors; i++) {
		int file = unit->bound[i].rate_file;

		if (!(plan->sensors & 1u << i) || file < 0 || done & 1u << file)
			continue;
		done |= 1u << file;
		ret = iio_rates_set(unit, &unit->rate_files[file], plan->period_ns, &actual);
		if (ret)
			return ret;
		if (actual > stream->period_ns)
			stream->period_ns = actual;
	}
	if (!stream->period_ns)
		stream->period_ns = plan->period_ns;
	return 0;
}

/* Not every buffer has a watermark, nor a length that can be set. */
static int set_length(const struct iio_unit *unit, const struct iio_plan *plan)
{
	uint32_t length = 2 * plan->watermark;
	char file[IIO_FILE_MAX];
	int ret = 0;

	buffer_file(unit, "length", file);
	if (iio_dir_has(unit->dir, file))
		ret = buffer_write(unit, "length", length > LENGTH_MIN ? length : LENGTH_MIN);
	if (ret && ret != -EACCES && ret != -EPERM)
		return ret;
	buffer_file(unit, "watermark", file);
	if (iio_dir_has(unit->dir, file))
		ret = buffer_write(unit, "watermark", plan->watermark);
	return ret == -EACCES || ret == -EPERM ? 0 : ret;
}

int iio_stream_start(struct iio_stream *stream, const struct iio_plan *plan)
{
	struct iio_unit *unit = stream->unit;
	int ret = buffer_write(unit, "enable", 0);

	if (!ret)
		ret = set_elements(stream, plan);
	if (!ret) {
		iio_clock_set(&stream->clock, unit->dir);
		ret = set_rate(stream, plan);
	}
	if (!ret)
		ret = iio_trigger_set(unit, plan->period_ns, &stream->period_ns);
	if (!ret)
		ret = set_length(unit, plan);
	stream->started_ns = nnutil_boottime_ns();
	stream->last_stamp = 0;
	if (!ret)
		ret = buffer_write(unit, "enable", 1);
	if (ret) {
		disable_all(unit);
		return ret;
	}
	stream->plan = *plan;
	stream->held = 0;
	return 0;
}

void iio_stream_stop(struct iio_stream *stream)
{
	if (!stream->plan.sensors)
		return;
	buffer_write(stream->unit, "enable", 0);
	stream->plan = (struct iio_plan){ 0 };
}

/* ---- scans ---- */

/*
 * When a scan was made. @after: scans that were read behind it: without a stamp, the last is new.
 * A stamp that stands still is none, nor is one from before the start: hid-sensor-press takes the
 * time once and never again (Linux 6.12).
 */
static int64_t time_of(struct iio_stream *stream, const uint8_t *scan, size_t after, int64_t now)
{
	const int64_t arrived = now - (int64_t)after * stream->period_ns;
	int64_t stamp, before, timestamp;

	if (!stream->stamped)
		return arrived;
	stamp = iio_element_integer(&stream->stamps[0], scan, 0);
	if (!stamp)
		stamp = iio_element_integer(&stream->stamps[1], scan, 0);
	before = stream->last_stamp;
	stream->last_stamp = stamp;
	if (stamp <= before)
		return arrived;
	timestamp = iio_clock_boottime(&stream->clock, stamp, arrived);
	return timestamp < stream->started_ns ? arrived : timestamp;
}

static void iio_stream_give(struct iio_stream *stream,
			    void (*each)(void *cookie, const uint8_t *scan, int64_t timestamp_ns),
			    void *cookie, size_t bytes)
{
	size_t count = bytes / stream->scan_size;
	int64_t now = nnutil_boottime_ns();

	for (size_t i = 0; i < count; i++) {
		const uint8_t *scan = stream->buffer + i * stream->scan_size;

		each(cookie, scan, time_of(stream, scan, count - 1 - i, now));
	}
	stream->held = bytes - count * stream->scan_size;
	memmove(stream->buffer, stream->buffer + count * stream->scan_size, stream->held);
}

int iio_stream_read(struct iio_stream *stream,
		    void (*each)(void *cookie, const uint8_t *scan, int64_t timestamp_ns),
		    void *cookie)
{
	size_t room = IIO_STREAM_BYTES - IIO_STREAM_BYTES % stream->scan_size;
	ssize_t got;

	for (int reads = 0; reads < READS_MAX; reads++) {
		got = read(stream->node, stream->buffer + stream->held, room - stream->held);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN || errno == EBUSY ? 0 : -errno;
		if (!got)
			return 0;
		iio_stream_give(stream, each, cookie, stream->held + (size_t)got);
		if ((size_t)got < room - stream->held)
			return 0;
	}
	return 0;
}
