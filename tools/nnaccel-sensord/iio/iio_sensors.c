// SPDX-License-Identifier: Apache-2.0
/* IIO devices that come and go. */
#include <errno.h>
#include <iio.h>
#include <libudev.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "nnutil_log.h"
#include "nnutil_node.h"

#include "iio/sensord_iio.h"

#define ID_PREFIX "iio:device"

/* A device that was added. Touched by the watch's thread, and before it starts. */
struct entry {
	struct entry *next;
	char id[32];
	struct sensor_device *device;
};

static struct {
	struct entry *entries;
	struct udev *udev;
	struct udev_monitor *monitor;
	int stop;
	pthread_t thread;
	bool runs;
} watch = { .stop = -1 };

static void remove_entry(struct entry **at)
{
	struct entry *e = *at;

	*at = e->next;
	device_remove(e->device);
	device_put(e->device);
	free(e);
}

static void on_remove(const char *id)
{
	for (struct entry **at = &watch.entries; *at; at = &(*at)->next)
		if (!strcmp((*at)->id, id)) {
			remove_entry(at);
			return;
		}
}

static bool is_known(const char *id)
{
	for (const struct entry *e = watch.entries; e; e = e->next)
		if (!strcmp(e->id, id))
			return true;
	return false;
}

static void add_device(const struct iio_device *device, const char *id)
{
	struct sensor_device *added = NULL;
	struct entry *e;
	int ret = iio_backend_add(device, &iio_system_places, &added);

	if (ret)
		nnutil_log(NNUTIL_LOG_WARNING, "%s: cannot be used: %s", id, strerror(-ret));
	if (ret || !added)
		return;
	e = calloc(1, sizeof(*e));
	if (!e) {
		device_remove(added);
		device_put(added);
		return;
	}
	snprintf(e->id, sizeof(e->id), "%s", id);
	e->device = added;
	e->next = watch.entries;
	watch.entries = e;
}

/* Add the device @id; NULL: all that are there and not known. */
static int add_new(const char *id)
{
	/* libiio reads sysfs once, when a context is made */
	struct iio_context *context = iio_create_local_context();

	/* a kernel without IIO, or without devices */
	if (!context)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (unsigned int i = 0; i < iio_context_get_devices_count(context); i++) {
		const struct iio_device *device = iio_context_get_device(context, i);
		const char *found = iio_device_get_id(device);

		if (found && !strncmp(found, ID_PREFIX, strlen(ID_PREFIX)) &&
		    strlen(found) < sizeof(((struct entry *)0)->id) &&
		    (!id || !strcmp(id, found)) && !is_known(found))
			add_device(device, found);
	}
	iio_context_destroy(context);
	return 0;
}

/* Some news were lost: devices that are not there any more, then those that are. */
static void look_again(void)
{
	char path[PATH_MAX];

	for (struct entry **at = &watch.entries; *at;) {
		snprintf(path, sizeof(path), "%s/%s", iio_system_places.sysfs, (*at)->id);
		if (access(path, F_OK))
			remove_entry(at);
		else
			at = &(*at)->next;
	}
	add_new(NULL);
}

static void on_news(void)
{
	struct udev_device *news;
	const char *id, *action;

	for (;;) {
		errno = 0;
		news = udev_monitor_receive_device(watch.monitor);
		if (!news) {
			if (errno == ENOBUFS) {
				look_again();
				continue;
			}
			return;
		}
		id = udev_device_get_sysname(news);
		action = udev_device_get_action(news);
		if (id && action && !strncmp(id, ID_PREFIX, strlen(ID_PREFIX))) {
			if (!strcmp(action, "remove"))
				on_remove(id);
			else if (!strcmp(action, "add"))
				add_new(id);
		}
		udev_device_unref(news);
	}
}

static void *watch_main(void *unused)
{
	struct pollfd fds[] = {
		{ .fd = udev_monitor_get_fd(watch.monitor), .events = POLLIN },
		{ .fd = watch.stop, .events = POLLIN },
	};

	(void)unused;
	pthread_setname_np(pthread_self(), "iio watch");
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[1].revents)
			return NULL;
		if (fds[0].revents)
			on_news();
	}
}

static bool open_monitor(void)
{
	watch.udev = udev_new();
	/* udev reports a device when its node's permissions are set; without udevd, ask the kernel
	 */
	watch.monitor = watch.udev ? udev_monitor_new_from_netlink(
					     watch.udev, nnutil_udevd_runs() ? "udev" : "kernel")
				   : NULL;
	return watch.monitor &&
	       udev_monitor_filter_add_match_subsystem_devtype(watch.monitor, "iio", NULL) >= 0 &&
	       udev_monitor_enable_receiving(watch.monitor) >= 0;
}

static void close_watch(void)
{
	udev_monitor_unref(watch.monitor);
	udev_unref(watch.udev);
	watch.monitor = NULL;
	watch.udev = NULL;
	if (watch.stop >= 0)
		close(watch.stop);
	watch.stop = -1;
}

int iio_sensors_start(void)
{
	bool watched = open_monitor();
	int ret;

	if (!watched)
		nnutil_log(NNUTIL_LOG_WARNING,
			   "cannot listen to udev: new sensors are not noticed");
	/* the monitor first: no device comes between */
	ret = add_new(NULL);
	if (ret || !watched)
		goto out;
	watch.stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch.stop < 0) {
		ret = -errno;
		goto out;
	}
	ret = -pthread_create(&watch.thread, NULL, watch_main, NULL);
	watch.runs = !ret;
out:
	if (!watch.runs)
		close_watch();
	return ret;
}

void iio_sensors_stop(void)
{
	if (watch.runs) {
		eventfd_write(watch.stop, 1);
		pthread_join(watch.thread, NULL);
		watch.runs = false;
	}
	close_watch();
	while (watch.entries) {
		struct entry *e = watch.entries;

		/* the devices stay, with the list's reference */
		watch.entries = e->next;
		device_put(e->device);
		free(e);
	}
}
