// SPDX-License-Identifier: Apache-2.0
/* What of a device are sensors. */
#include <errno.h>
#include <iio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "nnutil_log.h"

#include "iio/sensord_iio.h"

#define VENDOR "Linux IIO"
#define UNIT_VERSION 1

const struct iio_places iio_system_places = {
	.sysfs = "/sys/bus/iio/devices",
	.dev = "/dev",
	.configfs = "/sys/kernel/config/iio",
};

static const double identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* ---- channels ---- */

static int by_index(const void *a, const void *b)
{
	const struct iio_source *x = a, *y = b;

	if ((x->index < 0) != (y->index < 0))
		return x->index < 0 ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static void add_source(struct iio_unit *unit, const struct iio_channel *channel)
{
	const char *id = iio_channel_get_id(channel), *name = iio_channel_get_name(channel);
	struct iio_source *s = &unit->sources[unit->num_sources];
	int size;

	if (!id || iio_channel_is_output(channel) || unit->num_sources == IIO_CHANNELS_MAX)
		return;
	*s = (struct iio_source){ .index = -1, .scale = 1 };
	size = snprintf(s->name, sizeof(s->name), "%s%s%s", id, name ? "_" : "", name ? name : "");
	if (size < 0 || (size_t)size >= sizeof(s->name) || strchr(s->name, '/'))
		return;
	if (iio_channel_is_scan_element(channel) && iio_channel_get_index(channel) >= 0 &&
	    !iio_element_from_format(&s->element, iio_channel_get_data_format(channel)))
		s->index = iio_channel_get_index(channel);
	unit->num_sources++;
}

/* Raw or processed values, and what makes values of raw ones. */
static int read_source(const struct iio_unit *unit, struct iio_source *s)
{
	char file[IIO_FILE_MAX];
	int ret;

	snprintf(file, sizeof(file), "in_%s_raw", s->name);
	if (!iio_dir_has(unit->dir, file)) {
		snprintf(file, sizeof(file), "in_%s_input", s->name);
		s->input = iio_dir_has(unit->dir, file);
	}
	ret = iio_dir_find_number(unit->dir, s->name, "scale", 1, &s->scale);
	if (!ret)
		ret = iio_dir_find_number(unit->dir, s->name, "offset", 0, &s->offset);
	if (!ret && iio_dir_find_number(unit->dir, s->name, "calibbias", 0, &s->bias))
		s->bias = 0;
	if (ret || s->scale == 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: scale or offset of %s cannot be used", unit->id,
			   s->name);
		return ret ? ret : -EINVAL;
	}
	return 0;
}

static bool source_readable(const struct iio_unit *unit, const struct iio_source *s)
{
	char file[IIO_FILE_MAX];

	snprintf(file, sizeof(file), "in_%s_%s", s->name, s->input ? "input" : "raw");
	return iio_dir_has(unit->dir, file);
}

int iio_unit_read(const struct iio_unit *unit, const struct iio_source *source, double *values,
		  unsigned int count)
{
	char file[IIO_FILE_MAX], text[IIO_FILE_TEXT];
	unsigned int found;
	int ret;

	snprintf(file, sizeof(file), "in_%s_%s", source->name, source->input ? "input" : "raw");
	ret = iio_dir_read(unit->dir, file, text, sizeof(text));
	if (!ret)
		ret = iio_text_numbers(text, values, count, &found);
	if (ret)
		return ret;
	if (found != count)
		return -EINVAL;
	for (unsigned int i = 0; i < count && !source->input; i++)
		values[i] = (values[i] + source->offset) * source->scale;
	return 0;
}

static struct iio_source *find_source(struct iio_unit *unit, const char *of, int number)
{
	for (unsigned int i = 0; i < unit->num_sources; i++)
		if (iio_channel_number(unit->sources[i].name, of) == number)
			return &unit->sources[i];
	return NULL;
}

/* ---- numbers of a sensor ---- */

/* The largest absolute raw value; 0: not known. */
static double largest_raw(const struct iio_unit *unit, const struct iio_source *s)
{
	struct iio_available available;
	char file[IIO_FILE_MAX];

	snprintf(file, sizeof(file), "in_%s_raw_available", s->name);
	if (!iio_dir_read_available(unit->dir, file, &available) && available.range)
		return fmax(fabs(available.min), fabs(available.max));
	if (s->index < 0)
		return 0;
	return s->element.is_signed ? exp2(s->element.bits - 1) : exp2(s->element.bits) - 1;
}

static double largest_scale(const struct iio_unit *unit, const struct iio_source *s)
{
	struct iio_available available;
	char file[IIO_FILE_MAX];
	double largest = fabs(s->scale);

	if (iio_dir_find(unit->dir, s->name, "scale_available", file) ||
	    iio_dir_read_available(unit->dir, file, &available))
		return largest;
	if (available.range)
		return fmax(largest, fabs(available.max));
	for (unsigned int i = 0; i < available.count; i++)
		largest = fmax(largest, fabs(available.values[i]));
	return largest;
}

static void fill_range(const struct iio_unit *unit, const struct iio_bound *bound,
		       struct nnsensors_info *info)
{
	const struct iio_kind *kind = &bound->kind;
	const struct iio_source *s = bound->sources[0];
	double raw, range, resolution;

	info->max_range = (float)kind->max_range;
	info->resolution = (float)kind->resolution;
	if (s->input || (kind->value != IIO_VALUE_SCALAR && kind->value != IIO_VALUE_VEC3 &&
			 kind->value != IIO_VALUE_UNCAL))
		return;
	resolution = fabs(s->scale * kind->factor);
	if (isnormal((float)resolution))
		info->resolution = (float)resolution;
	raw = largest_raw(unit, s);
	range = (raw + (s->element.is_signed ? 0 : s->offset)) * largest_scale(unit, s) *
		fabs(kind->factor);
	if (raw > 0 && isnormal((float)range) && range > 0)
		info->max_range = (float)range;
}

static void read_matrix(const struct iio_unit *unit, struct iio_bound *bound)
{
	char file[IIO_FILE_MAX], text[IIO_FILE_TEXT];

	memcpy(bound->matrix, identity, sizeof(identity));
	if (bound->num_sources != 3 ||
	    iio_dir_find(unit->dir, bound->sources[0]->name, "mount_matrix", file))
		return;
	if (iio_dir_read(unit->dir, file, text, sizeof(text)) ||
	    iio_text_matrix(text, bound->matrix)) {
		memcpy(bound->matrix, identity, sizeof(identity));
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %s is no mount matrix", unit->id, file);
	}
}

/* A proximity without a unit: larger is nearer, and the driver may say from where on it is near. */
static void without_unit(const struct iio_unit *unit, struct iio_bound *bound)
{
	const struct iio_source *s = bound->sources[0];
	char file[IIO_FILE_MAX];
	double raw;

	if (bound->kind.type != NNSENSORS_TYPE_PROXIMITY || bound->kind.value != IIO_VALUE_SCALAR ||
	    s->input || strncmp(s->name, "proximity", 9) != 0 ||
	    !iio_dir_find(unit->dir, s->name, "scale", file))
		return;
	bound->kind.value = IIO_VALUE_NEAR;
	bound->kind.factor = 1;
	bound->kind.resolution = bound->kind.max_range;
	if (iio_dir_find_number(unit->dir, s->name, "nearlevel", 0, &bound->limit) ||
	    bound->limit <= 0) {
		raw = largest_raw(unit, s);
		bound->limit = raw > 0 ? raw / 2 : 0;
	}
}

static void find_event(const struct iio_unit *unit, struct iio_bound *bound)
{
	static const char *const directions[] = { "_either", "_rising", "_falling", "" };
	const char *event = bound->kind.event;

	for (size_t i = 0; event && i < sizeof(directions) / sizeof(directions[0]); i++) {
		snprintf(bound->event_file, sizeof(bound->event_file), "events/in_%s_%s%s_en",
			 bound->sources[0]->name, event, directions[i]);
		if (iio_dir_has(unit->dir, bound->event_file))
			return;
	}
	bound->event_file[0] = '\0';
}

/* ---- sensors ---- */

static bool moves(struct iio_unit *unit)
{
	static const char *const channels[] = { "accel_x", "anglvel_x", "magn_x" };

	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
		if (find_source(unit, channels[i], -1))
			return true;
	return false;
}

static void fill_info(const struct iio_unit *unit, const struct iio_bound *bound, int number,
		      struct sensor *sensor)
{
	struct nnsensors_info *info = &sensor->info;
	char suffix[16] = "";

	sensor->row = nnsensors_type_row(bound->kind.type);
	info->size = sizeof(*info);
	info->type = bound->kind.type;
	info->version = UNIT_VERSION;
	info->flags = sensor->row->mode | (sensor->row->wake_up ? NNSENSORS_FLAG_WAKE_UP : 0);
	if (bound->buffered)
		info->fifo_reserved = info->fifo_max = unit->fifo;
	if (number >= 0)
		snprintf(suffix, sizeof(suffix), " %d", number);
	snprintf(info->name, sizeof(info->name), "%.*s%s",
		 (int)(sizeof(info->name) - sizeof(suffix)),
		 unit->label[0] ? unit->label : unit->name, suffix);
	snprintf(info->vendor, sizeof(info->vendor), "%s", VENDOR);
	snprintf(info->type_string, sizeof(info->type_string), "%s", sensor->row->type_string);
	fill_range(unit, bound, info);
	iio_rates_fill(unit, bound, sensor);
}

/* The sensor of @kind whose channels have @number, if it has them all. */
static int add_sensor(struct iio_unit *unit, const struct iio_kind *kind, int number)
{
	struct iio_bound *bound = &unit->bound[unit->num_sensors];
	unsigned int count = iio_kind_channels(kind);
	int ret;

	if (unit->num_sensors == SENSORS_PER_DEVICE)
		return 0;
	*bound = (struct iio_bound){ .kind = *kind, .buffered = true, .readable = true };
	for (unsigned int i = 0; i < count; i++) {
		struct iio_source *s = find_source(unit, kind->channels[i], number);

		if (!s)
			return 0;
		ret = read_source(unit, s);
		if (ret)
			return ret == -ENODEV ? ret : 0;
		bound->sources[bound->num_sources++] = s;
		bound->buffered &= s->index >= 0 && unit->has_buffer;
		bound->readable &= source_readable(unit, s);
	}
	if (kind->value == IIO_VALUE_QUATERNION && bound->sources[0]->element.repeat != 4)
		bound->buffered = false;
	if (!bound->buffered && !bound->readable)
		return 0;
	bound->rate_file = iio_rates_of(unit, bound->sources[0]->name);
	read_matrix(unit, bound);
	without_unit(unit, bound);
	find_event(unit, bound);
	fill_info(unit, bound, number, &unit->sensors[unit->num_sensors]);
	unit->num_sensors++;
	return 0;
}

static int add_sensors(struct iio_unit *unit)
{
	const struct iio_kind *kind;
	int ret;

	for (size_t i = 0; (kind = iio_kind_at(i)); i++) {
		if (!iio_kind_applies(kind, unit->name) || (kind->still && moves(unit)) ||
		    (kind->unless && find_source(unit, kind->unless, -1)))
			continue;
		for (unsigned int k = 0; k < unit->num_sources; k++) {
			int number = iio_channel_number(unit->sources[k].name, kind->channels[0]);

			if (number < -1)
				continue;
			ret = add_sensor(unit, kind, number);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* ---- a device ---- */

static void find_buffer(struct iio_unit *unit)
{
	double fifo = 0;
	char file[IIO_FILE_MAX];

	/* buffer0 is both since 5.11, beside the two older folders */
	if (iio_dir_has(unit->dir, "scan_elements") && iio_dir_has(unit->dir, "buffer")) {
		strcpy(unit->scan_dir, "scan_elements");
		strcpy(unit->buffer_dir, "buffer");
	} else if (iio_dir_has(unit->dir, "buffer0")) {
		strcpy(unit->scan_dir, "buffer0");
		strcpy(unit->buffer_dir, "buffer0");
	} else {
		return;
	}
	unit->has_buffer = true;
	snprintf(file, sizeof(file), "%s/hwfifo_watermark_max", unit->buffer_dir);
	if (!iio_dir_read_number(unit->dir, file, &fifo) && fifo > 0 && fifo < 1e6)
		unit->fifo = (uint32_t)fifo;
}

static int open_folder(struct iio_unit *unit, const struct iio_device *device)
{
	const char *label = iio_device_get_label(device), *name = iio_device_get_name(device);
	const char *id = iio_device_get_id(device);
	char path[512];
	int size;

	iio_text_name(id ? id : "", unit->id, sizeof(unit->id));
	iio_text_name(name && name[0] ? name : unit->id, unit->name, sizeof(unit->name));
	iio_text_name(label ? label : "", unit->label, sizeof(unit->label));
	size = snprintf(path, sizeof(path), "%s/%s", unit->places->sysfs, unit->id);
	if (size < 0 || (size_t)size >= sizeof(path) || strchr(unit->id, '/') || !unit->name[0])
		return -EINVAL;
	unit->dir = iio_dir_open(path);
	return unit->dir < 0 ? unit->dir : 0;
}

int iio_unit_create(const struct iio_device *device, const struct iio_places *places,
		    struct iio_unit **unit)
{
	struct iio_unit *u = calloc(1, sizeof(*u));
	unsigned int channels = iio_device_get_channels_count(device);
	int ret;

	*unit = NULL;
	if (!u)
		return -ENOMEM;
	u->places = places;
	u->dir = -1;
	ret = open_folder(u, device);
	if (ret)
		goto out;
	for (unsigned int i = 0; i < channels; i++)
		add_source(u, iio_device_get_channel(device, i));
	qsort(u->sources, u->num_sources, sizeof(u->sources[0]), by_index);
	u->timestamp = -1;
	for (unsigned int i = 0; i < u->num_sources; i++)
		if (!strcmp(u->sources[i].name, "timestamp") && u->sources[i].index >= 0)
			u->timestamp = (long)i;
	find_buffer(u);
	ret = add_sensors(u);
	if (ret)
		goto out;
	if (u->num_sensors) {
		*unit = u;
		return 0;
	}
out:
	iio_unit_destroy(u);
	return ret;
}

void iio_unit_destroy(struct iio_unit *unit)
{
	if (unit->dir >= 0)
		close(unit->dir);
	free(unit);
}
