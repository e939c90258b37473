// SPDX-License-Identifier: Apache-2.0
/* All sensors that are there. */
#include "core/sensord_core.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sensor_device *devices, **devices_end = &devices;
static int32_t next_handle = 1;

/* Listener for changes. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t returned;
	void (*changed)(void *cookie);
	void *cookie;
	unsigned int running;
} listener = { .lock = PTHREAD_MUTEX_INITIALIZER, .returned = PTHREAD_COND_INITIALIZER };

/* ---- lookups ---- */

int sensor_list_infos(struct nnsensors_info **infos, uint32_t *count)
{
	uint32_t n = 0;
	int ret = 0;

	*infos = NULL;
	*count = 0;
	pthread_mutex_lock(&lock);
	for (struct sensor_device *d = devices; d; d = d->list_next)
		n += d->num_sensors;
	if (n) {
		*infos = calloc(n, sizeof(**infos));
		ret = *infos ? 0 : -ENOMEM;
	}
	if (!ret)
		for (struct sensor_device *d = devices; d; d = d->list_next)
			for (unsigned int i = 0; i < d->num_sensors; i++)
				(*infos)[(*count)++] = d->sensors[i].info;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* The first sensor that @matches says yes to, with a reference. */
static struct sensor *sensor_list_find(bool (*matches)(const struct sensor *sensor, int32_t wanted),
				       int32_t wanted)
{
	struct sensor *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct sensor_device *d = devices; d && !found; d = d->list_next)
		for (unsigned int i = 0; i < d->num_sensors && !found; i++)
			if (matches(&d->sensors[i], wanted))
				found = &d->sensors[i];
	if (found)
		device_get(found->device);
	pthread_mutex_unlock(&lock);
	return found;
}

static bool has_handle(const struct sensor *sensor, int32_t handle)
{
	return sensor->info.handle == handle;
}

static bool is_natural(const struct sensor *sensor, int32_t type)
{
	return sensor->info.type == type &&
	       !!(sensor->info.flags & NNSENSORS_FLAG_WAKE_UP) == sensor->row->wake_up;
}

struct sensor *sensor_list_get(int32_t handle)
{
	return sensor_list_find(has_handle, handle);
}

struct sensor *sensor_list_default(int32_t type)
{
	return sensor_list_find(is_natural, type);
}

struct sensor_device *sensor_list_any(void)
{
	struct sensor_device *device;

	pthread_mutex_lock(&lock);
	device = devices;
	if (device)
		device_get(device);
	pthread_mutex_unlock(&lock);
	return device;
}

/* ---- changes ---- */

bool sensor_same_name(const struct sensor *a, const struct sensor *b)
{
	return a->info.type == b->info.type && !strcmp(a->info.name, b->info.name);
}

static bool is_taken(const struct sensor *sensor)
{
	for (struct sensor_device *d = devices; d; d = d->list_next)
		for (unsigned int i = 0; i < d->num_sensors; i++)
			if (sensor_same_name(&d->sensors[i], sensor))
				return true;
	return false;
}

int sensor_list_add(struct sensor_device *device, char *message, size_t size)
{
	const char *taken = NULL;
	bool full;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < device->num_sensors && !taken; i++)
		if (is_taken(&device->sensors[i]))
			taken = device->sensors[i].info.name;
	full = next_handle > INT32_MAX - (int32_t)device->num_sensors;
	if (!taken && !full) {
		for (unsigned int i = 0; i < device->num_sensors; i++)
			device->sensors[i].info.handle = next_handle++;
		device_get(device);
		device->listed = true;
		device->list_next = NULL;
		*devices_end = device;
		devices_end = &device->list_next;
	}
	pthread_mutex_unlock(&lock);
	if (taken)
		return nnutil_refuse(message, size, -EINVAL,
				     "there is a sensor \"%s\" of this type already", taken);
	return full ? nnutil_refuse(message, size, -EINVAL, "no handle is left") : 0;
}

bool sensor_list_remove(struct sensor_device *device)
{
	struct sensor_device **p;
	bool listed;

	pthread_mutex_lock(&lock);
	listed = device->listed;
	if (listed) {
		for (p = &devices; *p != device;)
			p = &(*p)->list_next;
		*p = device->list_next;
		if (devices_end == &device->list_next)
			devices_end = p;
		device->listed = false;
	}
	pthread_mutex_unlock(&lock);
	return listed;
}

void sensor_list_on_change(void (*changed)(void *cookie), void *cookie)
{
	pthread_mutex_lock(&listener.lock);
	listener.changed = changed;
	listener.cookie = cookie;
	while (listener.running)
		pthread_cond_wait(&listener.returned, &listener.lock);
	pthread_mutex_unlock(&listener.lock);
}

void sensor_list_changed(void)
{
	void (*changed)(void *cookie);
	void *cookie;

	pthread_mutex_lock(&listener.lock);
	changed = listener.changed;
	cookie = listener.cookie;
	listener.running++;
	pthread_mutex_unlock(&listener.lock);
	if (changed)
		changed(cookie);
	pthread_mutex_lock(&listener.lock);
	if (!--listener.running)
		pthread_cond_broadcast(&listener.returned);
	pthread_mutex_unlock(&listener.lock);
}
