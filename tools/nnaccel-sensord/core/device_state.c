// SPDX-License-Identifier: Apache-2.0
/* A device's memory, references to it, its coming and its going. */
#include "core/sensord_core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"

static void free_device(struct sensor_device *device)
{
	if (device->epoll_fd >= 0)
		close(device->epoll_fd);
	if (device->timer_fd >= 0)
		close(device->timer_fd);
	if (device->mailbox_fd >= 0)
		close(device->mailbox_fd);
	pthread_cond_destroy(&device->has_ended);
	pthread_mutex_destroy(&device->lock);
	free(device->watched);
	free(device);
}

static int add_to_epoll(struct sensor_device *device, int fd)
{
	/* by edges: neither is ever read */
	struct epoll_event event = { .events = EPOLLIN | EPOLLET, .data.fd = fd };

	return epoll_ctl(device->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_fds(struct sensor_device *device)
{
	device->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	device->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	device->mailbox_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (device->epoll_fd < 0 || device->timer_fd < 0 || device->mailbox_fd < 0)
		return -1;
	return add_to_epoll(device, device->timer_fd) || add_to_epoll(device, device->mailbox_fd)
		       ? -1
		       : 0;
}

static void copy_sensor(struct sensor_device *device, unsigned int i, const struct sensor *from)
{
	struct sensor *sensor = &device->sensors[i];

	*sensor = (struct sensor){
		.info = from->info,
		.row = from->row,
		.device = device,
		.index = i,
		.num_periods = from->num_periods,
		.last_timestamp = INT64_MIN,
	};
	sensor->info.size = sizeof(sensor->info);
	for (unsigned int k = 0; k < from->num_periods; k++)
		sensor->periods_ns[k] = from->periods_ns[k];
}

/* One reference, no thread, not listed. NULL: no memory, or no descriptors: errno. */
static struct sensor_device *device_create(const struct sensor_device_config *config)
{
	struct sensor_device *device =
		calloc(1, sizeof(*device) + config->num_sensors * sizeof(device->sensors[0]));
	int error;

	if (!device)
		return NULL;
	atomic_init(&device->references, 1);
	snprintf(device->name, sizeof(device->name), "%s", config->name);
	device->ops = config->ops;
	device->priv = config->priv;
	device->requests_end = &device->requests;
	atomic_init(&device->end, false);
	device->tick_ns = device->wake_ns = INT64_MAX;
	device->deferred_ns = device->armed_ns = INT64_MAX;
	pthread_mutex_init(&device->lock, NULL);
	pthread_cond_init(&device->has_ended, NULL);
	device->num_sensors = config->num_sensors;
	for (unsigned int i = 0; i < config->num_sensors; i++)
		copy_sensor(device, i, &config->sensors[i]);
	if (open_fds(device)) {
		error = errno;
		free_device(device);
		errno = error;
		return NULL;
	}
	return device;
}

void device_get(struct sensor_device *device)
{
	atomic_fetch_add_explicit(&device->references, 1, memory_order_relaxed);
}

void device_put(struct sensor_device *device)
{
	if (atomic_fetch_sub_explicit(&device->references, 1, memory_order_acq_rel) == 1)
		free_device(device);
}

const char *device_name(const struct sensor_device *device)
{
	return device->name;
}

void *device_priv(const struct sensor_device *device)
{
	return device->priv;
}

unsigned int device_num_sensors(const struct sensor_device *device)
{
	return device->num_sensors;
}

struct sensor *device_sensor(struct sensor_device *device, unsigned int index)
{
	return index < device->num_sensors ? &device->sensors[index] : NULL;
}

int64_t device_now(struct sensor_device *device)
{
	return device->ops->now ? device->ops->now(device) : nnutil_boottime_ns();
}

/* ---- a device comes and goes ---- */

static bool same_names(const struct sensor *sensors, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (sensor_same_name(&sensors[i], &sensors[k]))
				return true;
	return false;
}

static bool device_life_check(const struct sensor_device_config *config, char *message, size_t size)
{
	if (!config->num_sensors || config->num_sensors > SENSORS_PER_DEVICE)
		return nnutil_refuse(message, size, false, "a device has 1 to %u sensors",
				     SENSORS_PER_DEVICE);
	for (unsigned int i = 0; i < config->num_sensors; i++)
		if (!sensor_check(&config->sensors[i], message, size))
			return false;
	if (same_names(config->sensors, config->num_sensors))
		return nnutil_refuse(message, size, false, "two sensors have the same name");
	return true;
}

static int device_life_add(const struct sensor_device_config *config, struct sensor_device **added,
			   char *message, size_t size)
{
	struct sensor_device *device = device_create(config);
	int ret;

	if (!device)
		return -errno;
	ret = sensor_list_add(device, message, size);
	if (!ret) {
		/* calls that come before the thread wait for it */
		ret = device_thread_start(device);
		if (ret && sensor_list_remove(device))
			device_put(device);
	}
	if (ret)
		device_put(device);
	else
		*added = device;
	return ret;
}

int device_add(const struct sensor_device_config *config, struct sensor_device **device)
{
	char message[160] = "";
	struct sensor_device *added = NULL;
	int ret = -EINVAL;

	if (device_life_check(config, message, sizeof(message)))
		ret = device_life_add(config, &added, message, sizeof(message));
	if (ret) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %s", config->name,
			   message[0] ? message : strerror(-ret));
		return ret;
	}
	sensor_list_changed();
	if (device)
		*device = added;
	else
		device_put(added);
	return 0;
}

void device_remove(struct sensor_device *device)
{
	const bool listed = sensor_list_remove(device);

	device_thread_end(device);
	if (!listed)
		return;
	sensor_list_changed();
	device_put(device);
}

void sensor_list_clear(void)
{
	struct sensor_device *device;

	while ((device = sensor_list_any())) {
		device_remove(device);
		device_put(device);
	}
	device_threads_wait();
}
