// SPDX-License-Identifier: Apache-2.0
/*
 * A device of the service on an IIO device. Sensors get their values in one of three ways, the
 * first that they have: an event of the device says that the value changed, and it is read; the
 * device's buffer gives scans; a timer of ours reads the value, also where a buffer stays silent. A
 * device has one buffer: it runs at the fastest rate that a sensor in it wants, and the core thins
 * it out for the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/iio/events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"

#include "iio/sensord_iio.h"

/* Scans that may wait in the kernel's memory, without a FIFO of the hardware. */
#define WATERMARK_MAX 64u
/* Special sensors have no period: how often they are looked at. */
#define SPECIAL_POLL_NS (50 * NNUTIL_NS_PER_MS)
/* Until a buffer that has given nothing is silent, beside some times of what it gathers. */
#define SILENT_NS NNUTIL_NS_PER_S
#define SILENT_TIMES 4
/* Most steps that are reported between two reads. */
#define PULSES_MAX 64u

struct iio_backend {
	struct iio_unit *unit;
	struct sensor_device *device;
	struct sensor_demand demands[SENSORS_PER_DEVICE];
	uint32_t polled, evented; /* sensors by bit; the others that run are the stream's */
	bool no_trigger; /* nothing fills its buffer: a timer of ours reads the values */
	bool silent; /* it was on and gave nothing; until all sensors are off */
	int64_t silent_ns; /* its buffer must have given a scan by then; negative: it has, or is off
			    */
	int node, events; /* descriptors, or negative */
	struct iio_clock events_clock;
	int64_t period_ns[SENSORS_PER_DEVICE], due_ns[SENSORS_PER_DEVICE]; /* polled ones */
	double count[SENSORS_PER_DEVICE]; /* PULSE: the last count; negative: not known */
	struct iio_stream stream;
};

/* ---- values ---- */

static void iio_backend_emit(struct iio_backend *b, unsigned int index, int64_t timestamp,
			     const double *values)
{
	const struct iio_bound *bound = &b->unit->bound[index];
	struct sensor *sensor = device_sensor(b->device, index);
	double biases[IIO_KIND_CHANNELS];
	union nnsensors_payload payload;
	unsigned int pulses = 1;

	/* what the driver has added, taken away again */
	for (unsigned int i = 0; i < bound->num_sources; i++)
		biases[i] =
			-bound->sources[i]->bias * bound->sources[i]->scale * bound->kind.factor;
	iio_kind_payload(&bound->kind, bound->matrix, values, biases, bound->limit,
			 sensor->info.max_range, &payload);
	if (bound->kind.value == IIO_VALUE_PULSE) {
		double more = b->count[index] < 0 ? 0 : values[0] - b->count[index];

		b->count[index] = values[0];
		pulses = more > 0 ? (more < PULSES_MAX ? (unsigned int)more : PULSES_MAX) : 0;
	}
	for (unsigned int i = 0; i < pulses; i++)
		sensor_emit(sensor, timestamp, &payload);
}

/* Values of each channel. */
static unsigned int repeats_of(const struct iio_bound *bound)
{
	return bound->kind.value == IIO_VALUE_QUATERNION ? 4 : 1;
}

/* A sensor's values in a scan. NEAR compares what the driver says, without a unit. */
static void iio_backend_decode(const struct iio_bound *bound, const uint8_t *scan, double *values)
{
	const unsigned int count = repeats_of(bound);

	for (unsigned int k = 0; k < bound->num_sources; k++) {
		const struct iio_source *s = bound->sources[k];

		for (unsigned int r = 0; r < count; r++) {
			const double raw = iio_element_value(&s->element, scan, r);

			*values++ = bound->kind.value == IIO_VALUE_NEAR
					    ? raw
					    : (raw + s->offset) * s->scale * bound->kind.factor;
		}
	}
}

static void on_scan(void *cookie, const uint8_t *scan, int64_t timestamp)
{
	struct iio_backend *b = cookie;
	double values[4];

	b->silent_ns = -1;
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (b->stream.plan.sensors & 1u << i) {
			iio_backend_decode(&b->unit->bound[i], scan, values);
			iio_backend_emit(b, i, timestamp, values);
		}
}

/* Read a sensor's files and emit it. -ENODEV: the device is gone. */
static int read_sensor(struct iio_backend *b, unsigned int index, int64_t timestamp)
{
	const struct iio_bound *bound = &b->unit->bound[index];
	unsigned int count = repeats_of(bound), n = 0;
	int64_t before = nnutil_boottime_ns();
	double values[4];
	int ret;

	for (unsigned int k = 0; k < bound->num_sources; k++) {
		ret = iio_unit_read(b->unit, bound->sources[k], values + n, count);
		if (ret)
			return ret;
		for (unsigned int r = 0; r < count; r++, n++)
			values[n] = bound->kind.value == IIO_VALUE_NEAR
					    ? values[n] / bound->sources[k]->scale -
						      bound->sources[k]->offset
					    : values[n] * bound->kind.factor;
	}
	if (timestamp < 0)
		timestamp = before + (nnutil_boottime_ns() - before) / 2;
	iio_backend_emit(b, index, timestamp, values);
	return 0;
}

static bool is_gone(int error)
{
	return error == -ENODEV || error == -ENXIO;
}

/* ---- the device's events ---- */

/* Whether one of @sensors has the first channel of sensor @index: they share its switches. */
static bool channel_in(const struct iio_backend *b, unsigned int index, uint32_t sensors)
{
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (sensors & 1u << i &&
		    b->unit->bound[i].sources[0] == b->unit->bound[index].sources[0])
			return true;
	return false;
}

static void set_events(struct iio_backend *b, uint32_t wanted)
{
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if ((b->evented ^ wanted) & 1u << i)
			iio_dir_write(b->unit->dir, b->unit->bound[i].event_file,
				      channel_in(b, i, wanted) ? "1" : "0");
}

static int open_events(struct iio_backend *b)
{
	int ret, fd = -1;

	if (b->events >= 0)
		return 0;
	if (ioctl(b->node, IIO_GET_EVENT_FD_IOCTL, &fd) < 0 || fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	ret = device_watch(b->device, fd, EPOLLIN);
	if (ret) {
		close(fd);
		return ret;
	}
	iio_clock_set(&b->events_clock, b->unit->dir);
	b->events = fd;
	return 0;
}

static void close_events(struct iio_backend *b)
{
	if (b->events < 0)
		return;
	device_watch(b->device, b->events, 0);
	close(b->events);
	b->events = -1;
}

static void read_events(struct iio_backend *b)
{
	struct iio_event_data event;
	int64_t timestamp = -1;
	bool any = false;

	while (read(b->events, &event, sizeof(event)) == (ssize_t)sizeof(event)) {
		any = true;
		timestamp =
			iio_clock_boottime(&b->events_clock, event.timestamp, nnutil_boottime_ns());
	}
	for (unsigned int i = 0; any && i < b->unit->num_sensors; i++)
		if (b->evented & 1u << i && is_gone(read_sensor(b, i, timestamp))) {
			device_lost(b->device);
			return;
		}
}

/* ---- setting up ---- */

/* Which sensors get their values how, for these demands. */
struct ways {
	uint32_t polled, evented;
	struct iio_plan plan; /* the others */
};

static int find_ways(const struct iio_backend *b, const struct sensor_demand *demands,
		     struct ways *ways)
{
	int64_t latency = INT64_MAX;
	uint32_t most = b->unit->fifo ? b->unit->fifo : WATERMARK_MAX;

	*ways = (struct ways){ 0 };
	for (unsigned int i = 0; i < b->unit->num_sensors; i++) {
		const struct iio_bound *bound = &b->unit->bound[i];
		const struct sensor_demand *d = &demands[i];

		if (!d->period_ns)
			continue;
		if (bound->event_file[0] && bound->readable) {
			ways->evented |= 1u << i;
			if (bound->kind.partly)
				ways->polled |= 1u << i;
		} else if (bound->buffered && !b->no_trigger && !b->silent) {
			ways->plan.sensors |= 1u << i;
			if (!ways->plan.period_ns || d->period_ns < ways->plan.period_ns)
				ways->plan.period_ns = d->period_ns;
			if (d->latency_ns < latency)
				latency = d->latency_ns;
		} else if (bound->readable) {
			ways->polled |= 1u << i;
		} else {
			return -ENXIO;
		}
	}
	if (ways->plan.sensors) {
		int64_t scans = latency / ways->plan.period_ns;

		ways->plan.watermark = scans < 1 ? 1 : scans > most ? most : (uint32_t)scans;
	}
	return 0;
}

static int open_node(struct iio_backend *b)
{
	char path[256];

	if (b->node >= 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", b->unit->places->dev, b->unit->id);
	b->node = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return b->node < 0 ? -errno : 0;
}

static void stop_stream(struct iio_backend *b)
{
	if (!b->stream.plan.sensors)
		return;
	b->silent_ns = -1;
	device_watch(b->device, b->node, 0);
	/* deliver the samples that the hardware has gathered */
	iio_stream_read(&b->stream, on_scan, b);
	iio_stream_stop(&b->stream);
}

static int start_stream(struct iio_backend *b, const struct iio_plan *plan)
{
	int64_t times;
	int ret;

	b->stream.node = b->node;
	ret = iio_stream_start(&b->stream, plan);
	if (ret)
		return ret;
	ret = device_watch(b->device, b->node, EPOLLIN);
	if (ret) {
		iio_stream_stop(&b->stream);
		return ret;
	}
	if (__builtin_mul_overflow(b->stream.period_ns, plan->watermark * SILENT_TIMES, &times) ||
	    __builtin_add_overflow(nnutil_boottime_ns() + SILENT_NS, times, &b->silent_ns))
		b->silent_ns = -1;
	return 0;
}

static bool same_plan(const struct iio_plan *a, const struct iio_plan *b)
{
	return a->sensors == b->sensors && a->period_ns == b->period_ns &&
	       a->watermark == b->watermark;
}

static void schedule(struct iio_backend *b)
{
	int64_t next = b->silent_ns;

	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (b->polled & 1u << i && (next < 0 || b->due_ns[i] < next))
			next = b->due_ns[i];
	device_tick_at(b->device, next);
}

static int64_t poll_period(const struct iio_backend *b, unsigned int index, int64_t period_ns)
{
	const bool special = sensor_mode(device_sensor(b->device, index)) == NNSENSORS_FLAG_SPECIAL;

	return special ? SPECIAL_POLL_NS : period_ns;
}

static uint32_t running(const struct iio_backend *b)
{
	return b->stream.plan.sensors | b->polled | b->evented;
}

/* Sensors with a switch of their own. */
static void set_switches(struct iio_backend *b, uint32_t before, uint32_t after)
{
	for (unsigned int i = 0; i < b->unit->num_sensors; i++) {
		char file[IIO_FILE_MAX];

		if (!((before ^ after) & 1u << i))
			continue;
		b->count[i] = -1;
		snprintf(file, sizeof(file), "in_%s_en", b->unit->bound[i].sources[0]->name);
		if (iio_dir_has(b->unit->dir, file))
			iio_dir_write(b->unit->dir, file, channel_in(b, i, after) ? "1" : "0");
	}
}

static void set_polls(struct iio_backend *b, uint32_t polled, const struct sensor_demand *demands)
{
	int64_t now = nnutil_boottime_ns(), actual;

	for (unsigned int i = 0; i < b->unit->num_sensors; i++) {
		int64_t period = poll_period(b, i, demands[i].period_ns);
		int file = b->unit->bound[i].rate_file;

		if (!(polled & 1u << i))
			continue;
		/* one that goes on keeps its times */
		if (!(b->polled & 1u << i) || b->period_ns[i] != period) {
			b->due_ns[i] = now;
			/* a device that cannot be set measures as it does */
			if (file >= 0)
				iio_rates_set(b->unit, &b->unit->rate_files[file], period, &actual);
		}
		b->period_ns[i] = period;
	}
	b->polled = polled;
	schedule(b);
}

static int apply(struct iio_backend *b, const struct ways *ways,
		 const struct sensor_demand *demands)
{
	uint32_t before = running(b);
	uint32_t after = ways->plan.sensors | ways->polled | ways->evented;
	uint32_t added = ways->evented & ~b->evented;
	int ret = 0;

	if (ways->plan.sensors || ways->evented)
		ret = open_node(b);
	if (!ret && ways->evented)
		ret = open_events(b);
	if (!ret && !same_plan(&ways->plan, &b->stream.plan)) {
		stop_stream(b);
		if (ways->plan.sensors)
			ret = start_stream(b, &ways->plan);
	}
	if (ret)
		return ret;
	set_events(b, ways->evented);
	set_switches(b, before, after);
	b->evented = ways->evented;
	if (!b->evented)
		close_events(b);
	if (!b->stream.plan.sensors && !b->evented && b->node >= 0) {
		close(b->node);
		b->node = -1;
	}
	set_polls(b, ways->polled, demands);
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (b->stream.plan.sensors & 1u << i)
			sensor_runs_at(device_sensor(b->device, i), b->stream.period_ns);
	/* what it is now; a sensor that cannot be read now is read at its next event */
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (added & 1u << i)
			read_sensor(b, i, -1);
	return 0;
}

static int iio_backend_configure(struct sensor_device *device, const struct sensor_demand *demands)
{
	struct iio_backend *b = device_priv(device);
	struct ways ways, before;
	int ret;

	b->device = device;
	ret = find_ways(b, demands, &ways);
	if (ret)
		return ret;
	ret = apply(b, &ways, demands);
	if (ret == -ENXIO && ways.plan.sensors && !b->no_trigger) {
		nnutil_log(NNUTIL_LOG_INFO, "%s: no trigger, its values are read by a timer",
			   b->unit->id);
		b->no_trigger = true;
		ret = find_ways(b, demands, &ways);
		if (!ret)
			ret = apply(b, &ways, demands);
	}
	if (!ret) {
		memcpy(b->demands, demands, b->unit->num_sensors * sizeof(*demands));
		b->silent &= running(b) != 0;
		return 0;
	}
	/* the folder of a device that was unplugged is empty, before udev tells */
	if (ret == -ENOENT && b->unit->has_buffer &&
	    !iio_dir_has(b->unit->dir, b->unit->buffer_dir))
		ret = -ENODEV;
	if (ret == -ENODEV) {
		device_lost(device);
		return ret;
	}
	nnutil_log(NNUTIL_LOG_WARNING, "%s: refused to be set up: %s", b->unit->id, strerror(-ret));
	/* as it was */
	if (find_ways(b, b->demands, &before) || apply(b, &before, b->demands))
		nnutil_log(NNUTIL_LOG_ERROR, "%s: does not go on as before", b->unit->id);
	return ret;
}

/* ---- running ---- */

static void iio_backend_ready(struct sensor_device *device, int fd, uint32_t events)
{
	struct iio_backend *b = device_priv(device);

	if (fd == b->events) {
		read_events(b);
		return;
	}
	if (!b->stream.plan.sensors || fd != b->node)
		return;
	if (is_gone(iio_stream_read(&b->stream, on_scan, b)) || events & (EPOLLERR | EPOLLHUP))
		device_lost(device);
}

/* Whether a timer of ours can read what the buffer should give. */
static bool can_poll(const struct iio_backend *b, uint32_t sensors)
{
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		if (sensors & 1u << i && !b->unit->bound[i].readable)
			return false;
	return true;
}

/* The buffer is on, and its trigger does not fire. */
static void leave_silence(struct iio_backend *b)
{
	struct sensor_demand demands[SENSORS_PER_DEVICE];

	b->silent_ns = -1;
	if (!can_poll(b, b->stream.plan.sensors)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			   "%s: its buffer is on and gives no samples, and its values cannot be "
			   "read: look at its trigger",
			   b->unit->id);
		return;
	}
	nnutil_log(NNUTIL_LOG_WARNING,
		   "%s: its buffer is on and gives no samples: look at its trigger; a timer reads "
		   "the values now",
		   b->unit->id);
	b->silent = true;
	memcpy(demands, b->demands, sizeof(demands));
	for (unsigned int i = 0; i < b->unit->num_sensors; i++)
		sensor_runs_at(device_sensor(b->device, i), demands[i].period_ns);
	iio_backend_configure(b->device, demands);
}

static void iio_backend_tick(struct sensor_device *device, int64_t now_ns)
{
	struct iio_backend *b = device_priv(device);

	if (b->silent_ns >= 0 && b->silent_ns <= now_ns)
		leave_silence(b);
	for (unsigned int i = 0; i < b->unit->num_sensors; i++) {
		if (!(b->polled & 1u << i) || b->due_ns[i] > now_ns)
			continue;
		/* -EBUSY: the buffer runs, and the driver does not do both */
		if (is_gone(read_sensor(b, i, -1))) {
			device_lost(device);
			return;
		}
		b->due_ns[i] += b->period_ns[i];
		if (b->due_ns[i] <= now_ns)
			b->due_ns[i] +=
				(now_ns - b->due_ns[i]) / b->period_ns[i] * b->period_ns[i] +
				b->period_ns[i];
	}
	schedule(b);
}

static void iio_backend_destroy(struct sensor_device *device)
{
	struct iio_backend *b = device_priv(device);
	const uint32_t before = running(b);

	iio_stream_stop(&b->stream);
	set_events(b, 0);
	set_switches(b, before, 0);
	if (b->events >= 0)
		close(b->events);
	if (b->node >= 0)
		close(b->node);
	iio_trigger_drop(b->unit);
	iio_unit_destroy(b->unit);
	free(b);
}

static const struct sensor_device_ops operations = {
	.configure = iio_backend_configure,
	.ready = iio_backend_ready,
	.tick = iio_backend_tick,
	.destroy = iio_backend_destroy,
};

/* Names are unique among the sensors of a type: another device may have the same. */
static void make_unique(struct iio_unit *unit)
{
	for (unsigned int i = 0; i < unit->num_sensors; i++) {
		struct nnsensors_info *info = &unit->sensors[i].info;
		char name[NNSENSORS_NAME_MAX];

		snprintf(name, sizeof(name), "%.*s (%s)",
			 (int)(sizeof(name) - sizeof(unit->id) - 4), info->name, unit->id);
		memcpy(info->name, name, sizeof(name));
	}
}

int iio_backend_add(const struct iio_device *device, const struct iio_places *places,
		    struct sensor_device **added)
{
	struct sensor_device_config config = { .ops = &operations };
	struct iio_backend *b;
	struct iio_unit *unit;
	int ret = iio_unit_create(device, places, &unit);

	*added = NULL;
	if (ret || !unit)
		return ret;
	b = calloc(1, sizeof(*b));
	if (!b) {
		iio_unit_destroy(unit);
		return -ENOMEM;
	}
	b->unit = b->stream.unit = unit;
	b->node = b->events = -1;
	b->silent_ns = -1;
	config.name = unit->id;
	config.priv = b;
	config.sensors = unit->sensors;
	config.num_sensors = unit->num_sensors;
	ret = device_add(&config, added);
	if (ret == -EINVAL) {
		make_unique(unit);
		ret = device_add(&config, added);
	}
	if (ret) {
		iio_unit_destroy(unit);
		free(b);
	}
	return ret;
}
