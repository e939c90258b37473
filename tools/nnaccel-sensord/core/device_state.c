// SPDX-License-Identifier: Apache-2.0
/* A device's memory, and references to it. */
#include "core/sensord_core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "nnutil_clock.h"

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

struct sensor_device *device_create(const struct sensor_device_config *config)
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
