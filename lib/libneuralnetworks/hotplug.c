// SPDX-License-Identifier: Apache-2.0
/*
 * Devices that come and go. udev tells of accel nodes; whoever is about to use devices looks
 * whether it did, so there is no thread. A device that comes is appended to the list, behind
 * nnapi-reference: what has an index keeps it. One that goes stays, and its calls answer
 * DEVICE_UNAVAILABLE; when its library finds it again (in the same place, all that is fixed of a
 * device unchanged) it is opened anew behind its old handle. What was prepared on the lost one
 * stays lost: the application compiles again.
 *
 * A place is the PCI device, say, that a node hangs on. Names of nodes do not tell: the number of a
 * node is taken as long as anybody has it open, so a card that returns to whoever used it has
 * another one.
 */
#include <errno.h>
#include <libudev.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "registry.h"

#define UDEV_CONTROL "/run/udev/control" /* there while udevd runs */
#define RETRY_NS 200000000ll /* between looks at a lost device of which nothing is heard */
#define WAIT_STEP_MS 100

/* Serializes all that looks for devices. No device calls back into the runtime, so it may be held
 * while one is opened; nobody waits for it in a call that does not need the news. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * A child that has neither opened its devices nor made a socket of its own yet; it changes under
 * the lock.
 */
static atomic_bool forked;
/* Under the lock: */
static struct udev *udev;
static struct udev_monitor *monitor;
static int64_t last_look_ns;
/* Devices that the configuration leaves out: they are not opened again and again. */
static struct left_out {
	struct left_out *next;
	const struct nnhal_driver *driver;
	char *spec;
} * left_out;
/* Old device objects of reopened devices: others may still call them. */
static struct lost {
	struct lost *next;
	struct nnhal_device *hal;
} * lost;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- news ---- */

static void monitor_stop(void)
{
	udev_monitor_unref(monitor);
	udev_unref(udev);
	monitor = NULL;
	udev = NULL;
}

/* Without it devices are found at the start, and lost ones again when they are asked for. */
static void monitor_start(void)
{
	udev = udev_new();
	/* udev tells when permissions are set; without udevd the kernel must do */
	monitor = udev ? udev_monitor_new_from_netlink(udev, access(UDEV_CONTROL, F_OK) ? "kernel"
											: "udev")
		       : NULL;
	if (!monitor ||
	    udev_monitor_filter_add_match_subsystem_devtype(monitor, "accel", NULL) < 0 ||
	    udev_monitor_enable_receiving(monitor) < 0) {
		nnr_log(NNR_LOG_INFO, "no news of devices: udev cannot be listened to");
		monitor_stop();
	}
}

/*
 * A child has no other thread, so nobody in it holds the lock; what it guards is whole enough to be
 * looked at.
 */
void nnr_hotplug_forked(bool any_lost)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&forked, any_lost);
}

void nnr_hotplug_start(void)
{
	pthread_mutex_lock(&lock);
	monitor_start();
	pthread_mutex_unlock(&lock);
}

/* With the lock. Whether anything happened since the last call. */
static bool news(void)
{
	struct udev_device *event;
	bool any = false;

	if (!monitor)
		return false;
	for (;;) {
		errno = 0;
		event = udev_monitor_receive_device(monitor);
		if (event) {
			udev_device_unref(event);
			any = true;
		} else if (errno == ENOBUFS) {
			any = true; /* some were dropped */
		} else {
			return any;
		}
	}
}

/* ---- looking ---- */

static bool is_lost(const struct nnr_device *device)
{
	struct nnhal_device *hal = device->base.hal;

	return device->driver && !device->replaced && hal->ops->get_status(hal) == NNHAL_OFFLINE;
}

static struct nnr_device *find(const struct nnhal_driver *driver, const char *spec)
{
	uint32_t count = nnr_devices_listed();

	for (uint32_t i = 0; i < count; i++) {
		struct nnr_device *device = nnr_device_listed(i);

		if (device->driver == driver && !device->replaced && !strcmp(device->spec, spec))
			return device;
	}
	return NULL;
}

/* With the lock, or in the discovery. */
void nnr_device_leave_out(struct nnr_device *device)
{
	struct left_out *entry = malloc(sizeof(*entry));

	if (entry) {
		*entry = (struct left_out){ left_out, device->driver, device->spec };
		device->spec = NULL;
		left_out = entry;
	}
	nnr_device_free(device);
}

static bool is_left_out(const struct nnhal_driver *driver, const char *spec)
{
	const struct left_out *entry = left_out;

	while (entry && (entry->driver != driver || strcmp(entry->spec, spec)))
		entry = entry->next;
	return entry != NULL;
}

char *nnr_device_find_place(struct nnhal_device *hal)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct udev_device *node, *parent;
	struct udev *context;
	char *place = NULL;
	struct stat st;

	if (nnhal_device_get_info(hal, &info) || !info.node[0] || stat(info.node, &st) ||
	    !S_ISCHR(st.st_mode))
		return NULL;
	context = udev_new();
	node = context ? udev_device_new_from_devnum(context, 'c', st.st_rdev) : NULL;
	if (node) {
		parent = udev_device_get_parent(node); /* the node's */
		place = strdup(udev_device_get_syspath(parent ? parent : node));
	}
	udev_device_unref(node);
	udev_unref(context);
	return place;
}

/* A lost device of the library at that place. */
static struct nnr_device *find_lost(const struct nnhal_driver *driver, const char *place)
{
	uint32_t count = nnr_devices_listed();

	for (uint32_t i = 0; place && i < count; i++) {
		struct nnr_device *device = nnr_device_listed(i);

		if (device->driver == driver && device->place && !strcmp(device->place, place) &&
		    is_lost(device))
			return device;
	}
	return NULL;
}

static bool same_place(const struct nnr_device *a, const struct nnr_device *b)
{
	return !a->place || !b->place || !strcmp(a->place, b->place);
}

/* @fresh's device object goes to @device, whose old one is kept for whoever is calling it. */
static bool reopen(struct nnr_device *device, struct nnr_device *fresh)
{
	struct lost *old = malloc(sizeof(*old));
	char *spec = device->spec;

	if (!old)
		return false;
	device->spec = fresh->spec;
	fresh->spec = spec;
	old->hal = atomic_exchange(&device->base.hal, fresh->base.hal);
	old->next = lost;
	lost = old;
	atomic_store(&fresh->base.hal, NULL);
	nnr_log(NNR_LOG_INFO, "device %s is back", device->base.name);
	return true;
}

static bool online(const struct nnr_device *device)
{
	struct nnhal_device *hal = device->base.hal;
	enum nnhal_device_status status = hal->ops->get_status(hal);

	return status == NNHAL_AVAILABLE || status == NNHAL_BUSY;
}

/* With the lock. @cookie: whether new devices are wanted too. */
static bool looked_at(void *cookie, const struct nnhal_driver *driver, const char *spec)
{
	struct nnr_device *known = find(driver, spec), *fresh, *before;
	const bool *all = cookie;

	if (known ? !is_lost(known) : !*all || is_left_out(driver, spec))
		return true;
	fresh = nnr_library_open(driver, spec);
	if (!fresh)
		return true;
	if (!nnr_device_enabled(fresh)) {
		nnr_device_leave_out(fresh);
		return true;
	}
	before = find_lost(driver, fresh->place);
	if (!before && known && same_place(known, fresh))
		before = known;
	if ((known || before) && !online(fresh)) {
		nnr_device_free(fresh);
		return true;
	}
	if (before && nnr_device_same(before, fresh)) {
		reopen(before, fresh);
		nnr_device_free(fresh);
		return true;
	}
	/* another card in its place: the old handle stays with the one that is lost */
	if (!nnr_device_append(fresh)) {
		nnr_device_free(fresh);
		return true;
	}
	if (before)
		before->replaced = true;
	return true;
}

/* With the lock. */
static void rescan(bool all)
{
	last_look_ns = now_ns();
	nnr_libraries_enumerate(looked_at, &all);
}

/* With the lock. All that the child inherited is lost to it: whoever comes first opens it anew. */
static void renew(void)
{
	if (!atomic_load(&forked))
		return;
	nnr_reference_renew();
	if (!nnr_config()->cpu_only) {
		monitor_stop();
		monitor_start();
		rescan(true);
	}
	atomic_store(&forked, false);
}

void nnr_devices_rescan(void)
{
	nnr_devices_listed();
	if (nnr_config()->cpu_only)
		return;
	pthread_mutex_lock(&lock);
	renew();
	rescan(true);
	pthread_mutex_unlock(&lock);
}

/* With the lock. */
static bool any_lost(void)
{
	uint32_t count = nnr_devices_listed();

	for (uint32_t i = 0; i < count; i++)
		if (is_lost(nnr_device_listed(i)))
			return true;
	return false;
}

void nnr_devices_refresh(void)
{
	nnr_devices_listed();
	if (atomic_load(&forked)) {
		pthread_mutex_lock(&lock);
		renew();
		pthread_mutex_unlock(&lock);
	}
	/* who comes while another one looks takes what is there */
	if (nnr_config()->cpu_only || pthread_mutex_trylock(&lock))
		return;
	if (news())
		rescan(true);
	else if (any_lost() && now_ns() - last_look_ns >= RETRY_NS)
		rescan(!monitor); /* nobody will tell of new ones */
	pthread_mutex_unlock(&lock);
}

int nnr_device_wait(ANeuralNetworksDevice *base)
{
	const struct nnr_device *device = nnr_device_of(base);
	int64_t end = now_ns() + (int64_t)nnr_settings()->device_wait_ms * 1000000;

	while (is_lost(device)) {
		nnr_devices_rescan();
		if (!is_lost(device))
			break;
		if (now_ns() >= end) {
			nnr_log(NNR_LOG_WARNING,
				"ANeuralNetworksDevice_wait: %s did not come back in %u ms",
				base->name, nnr_settings()->device_wait_ms);
			return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
		}
		poll(NULL, 0, WAIT_STEP_MS);
	}
	if (device->replaced) {
		nnr_log(NNR_LOG_WARNING,
			"ANeuralNetworksDevice_wait: another device is where %s was", base->name);
		return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
	}
	return ANEURALNETWORKS_NO_ERROR;
}
