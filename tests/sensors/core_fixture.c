// SPDX-License-Identifier: Apache-2.0
/* Around the core without the outside. */
#include "core_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_clock.h"
#include "test_case.h"

/* ---- sensors ---- */

struct sensor make_sensor(int32_t type, const char *name)
{
	const struct sensor_type *row = nnsensors_type_row(type);
	struct sensor sensor = { .row = row };
	struct nnsensors_info *info = &sensor.info;

	info->type = type;
	info->version = 1;
	info->flags = row->mode | (row->wake_up ? NNSENSORS_FLAG_WAKE_UP : 0);
	info->max_range = 100;
	info->resolution = 0.01f;
	snprintf(info->name, sizeof(info->name), "%s", name);
	snprintf(info->vendor, sizeof(info->vendor), "test");
	snprintf(info->type_string, sizeof(info->type_string), "%s", row->type_string);
	if (row->mode == NNSENSORS_FLAG_CONTINUOUS || row->mode == NNSENSORS_FLAG_ON_CHANGE) {
		info->min_delay_us = 1000;
		info->max_delay_us = 200000;
	} else if (row->mode == NNSENSORS_FLAG_ONE_SHOT) {
		info->min_delay_us = -1;
	}
	return sensor;
}

void set_rates(struct sensor *sensor, const int *rates, unsigned int n)
{
	sensor->num_periods = n;
	for (unsigned int i = 0; i < n; i++)
		sensor->periods_ns[i] = S / rates[i];
	sensor->info.min_delay_us = (int32_t)((sensor->periods_ns[0] + 999) / 1000);
	sensor->info.max_delay_us = (int32_t)((sensor->periods_ns[n - 1] + 999) / 1000);
}

/* ---- the backend ---- */

static int fake_configure(struct sensor_device *device, const struct sensor_demand *demands)
{
	struct fake *fake = device_priv(device);
	int ret = fake->refuse;

	for (unsigned int i = 0; i < device_num_sensors(device); i++)
		if (demands[i].period_ns && demands[i].period_ns < fake->at_least_ns)
			ret = -EINVAL;
	if (ret) {
		fake->refusals++;
		return ret;
	}
	memcpy(fake->demands, demands, sizeof(fake->demands));
	fake->configured++;
	if (fake->on_configure)
		fake->on_configure(device);
	return 0;
}

static void fake_ready(struct sensor_device *device, int fd, uint32_t events)
{
	struct fake *fake = device_priv(device);

	(void)events;
	fake->readies++;
	if (fake->on_ready)
		fake->on_ready(device, fd);
}

static void fake_tick(struct sensor_device *device, int64_t now)
{
	struct fake *fake = device_priv(device);

	fake->ticks++;
	if (fake->on_tick)
		fake->on_tick(device, now);
}

static void fake_destroy(struct sensor_device *device)
{
	struct fake *fake = device_priv(device);

	fake->destroyed++;
}

static int64_t fake_now(struct sensor_device *device)
{
	struct fake *fake = device_priv(device);

	return fake->now ? fake->now : nnutil_boottime_ns();
}

static const struct sensor_device_ops fake_ops = {
	.configure = fake_configure,
	.ready = fake_ready,
	.tick = fake_tick,
	.destroy = fake_destroy,
	.now = fake_now,
};

struct sensor_device *add_device(struct fake *fake, const char *name, const struct sensor *sensors,
				 unsigned int n)
{
	const struct sensor_device_config config = {
		.name = name,
		.ops = &fake_ops,
		.priv = fake,
		.sensors = sensors,
		.num_sensors = n,
	};
	struct sensor_device *device;

	assert_int_equal(device_add(&config, &device), 0);
	return device;
}

struct sensor *add_sensor(struct fake *fake, const struct sensor *sensor)
{
	return device_sensor(add_device(fake, sensor->info.name, sensor, 1), 0);
}

void remove_device(struct sensor_device *device)
{
	device_remove(device);
	device_put(device);
}

struct feed {
	struct sensor *sensor;
	int64_t begin, end, period, stamp;
	float value;
};

static int feed_on_thread(struct sensor_device *device, void *argument)
{
	struct fake *fake = device_priv(device);
	const struct feed *feed = argument;
	union nnsensors_payload payload = { .data = { feed->value, 2, 3 } };

	/* STEP_COUNT's value is no float */
	if (feed->sensor->row->payload == SENSOR_PAYLOAD_STEP_COUNT)
		payload = (union nnsensors_payload){ .step_count = (uint64_t)feed->value };
	for (int64_t t = feed->begin + feed->period; t <= feed->end; t += feed->period) {
		fake->now = t;
		sensor_emit(feed->sensor, feed->stamp ? feed->stamp : t, &payload);
	}
	return 0;
}

static void run_feed(struct feed feed)
{
	assert_int_equal(device_call(feed.sensor->device, feed_on_thread, &feed), 0);
}

void emit_at(struct sensor *sensor, int64_t time, float value)
{
	run_feed((struct feed){ sensor, time - 1, time, 1, 0, value });
}

void emit_stamped(struct sensor *sensor, int64_t now, int64_t stamp, float value)
{
	run_feed((struct feed){ sensor, now - 1, now, 1, stamp, value });
}

void emit_every(struct sensor *sensor, int64_t begin, int64_t end, int64_t period)
{
	run_feed((struct feed){ sensor, begin, end, period, 0, 1 });
}

/* ---- the sink ---- */

static void keep(struct sink *sink, const struct subscription *s,
		 const struct nnsensors_record *record)
{
	struct kept_sink *kept = (struct kept_sink *)sink;

	pthread_mutex_lock(&kept->lock);
	if (kept->count < KEPT)
		kept->records[kept->count] = *record;
	kept->count++;
	if (s->latency_ns && record->timestamp + s->latency_ns < kept->wake_at)
		kept->wake_at = record->timestamp + s->latency_ns;
	pthread_mutex_unlock(&kept->lock);
}

static void note_gone(struct sink *sink, const struct subscription *s)
{
	struct kept_sink *kept = (struct kept_sink *)sink;

	(void)s;
	pthread_mutex_lock(&kept->lock);
	kept->gone++;
	pthread_mutex_unlock(&kept->lock);
}

static int64_t kept_wake_at(struct sink *sink)
{
	struct kept_sink *kept = (struct kept_sink *)sink;
	int64_t at;

	pthread_mutex_lock(&kept->lock);
	at = kept->wake_at;
	pthread_mutex_unlock(&kept->lock);
	return at;
}

static void note_wake(struct sink *sink)
{
	struct kept_sink *kept = (struct kept_sink *)sink;

	pthread_mutex_lock(&kept->lock);
	kept->wakes++;
	kept->wake_at = INT64_MAX;
	pthread_mutex_unlock(&kept->lock);
}

void kept_sink_init(struct kept_sink *kept)
{
	*kept = (struct kept_sink){
		.sink = { .put = keep,
			  .gone = note_gone,
			  .wake_at = kept_wake_at,
			  .wake = note_wake },
		.wake_at = INT64_MAX,
		.records = calloc(KEPT, sizeof(*kept->records)),
	};
	pthread_mutex_init(&kept->lock, NULL);
	assert_non_null(kept->records);
}

void kept_sink_fini(struct kept_sink *kept)
{
	pthread_mutex_destroy(&kept->lock);
	free(kept->records);
}

static unsigned int read_count(struct kept_sink *kept, const unsigned int *count)
{
	unsigned int n;

	pthread_mutex_lock(&kept->lock);
	n = *count;
	pthread_mutex_unlock(&kept->lock);
	return n;
}

unsigned int kept_count(struct kept_sink *kept)
{
	return read_count(kept, &kept->count);
}

unsigned int kept_wakes(struct kept_sink *kept)
{
	return read_count(kept, &kept->wakes);
}

unsigned int kept_gone(struct kept_sink *kept)
{
	return read_count(kept, &kept->gone);
}

void kept_clear(struct kept_sink *kept)
{
	pthread_mutex_lock(&kept->lock);
	kept->count = 0;
	pthread_mutex_unlock(&kept->lock);
}

void subscribe(struct subscription *s, struct sensor *sensor, struct kept_sink *kept,
	       int64_t period_ns)
{
	device_get(sensor->device);
	subscription_init(s, sensor, &kept->sink, sensor->info.handle);
	assert_int_equal(subscription_start(s, period_ns, 0), 0);
}

/* ---- a subscription with a sink of its own ---- */

void listen_to(struct listener *l, struct sensor *sensor, int64_t period_ns)
{
	assert_non_null(sensor);
	kept_sink_init(&l->kept);
	subscribe(&l->s, sensor, &l->kept, period_ns);
}

void stop_listening(struct listener *l)
{
	subscription_fini(&l->s);
	kept_sink_fini(&l->kept);
}

struct nnsensors_record heard(struct listener *l, unsigned int index)
{
	struct nnsensors_record r;

	pthread_mutex_lock(&l->kept.lock);
	assert_true(index < l->kept.count);
	r = l->kept.records[index];
	pthread_mutex_unlock(&l->kept.lock);
	return r;
}
