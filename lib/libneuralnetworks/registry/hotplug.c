// SPDX-License-Identifier: Apache-2.0
/* Devices that come and go. */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

#define RETRY_NS \
	(200 * NNUTIL_NS_PER_MS) /* between attempts to reopen a lost device without news */
#define WAIT_STEP_MS 100

/*
 * Serializes all that looks for devices. No device calls back into the runtime, so it may be held
 * while a device is opened. Calls that do not need the news do not wait for it.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/*
 * Set in a child until it has opened its devices and its own udev socket. Changes under the lock.
 */
static atomic_bool forked;
/* Under the lock: */
static int64_t last_look_ns;
/* Old device objects of reopened devices, until the last call on them has returned. */
static struct lost {
	struct lost *next;
	struct nnr_device *device;
	struct nnhal_device *hal;
} * lost;

/*
 * A child has one thread, so no thread holds the lock. Lists that the lock guards can be read at
 * any time.
 */
static void after_fork(void)
{
	const uint32_t count = nnr_device_list_size();

	/* the parent's other threads are in their calls for ever */
	for (uint32_t i = 0; i < count; i++)
		atomic_store(&nnr_device_list_get(i)->base.callers, 0);
	pthread_mutex_init(&lock, NULL);
	atomic_store(&forked, nnr_discovery_forked());
}

NNR_FORK_HANDLERS(.child = after_fork);

/* ---- looking ---- */

/*
 * Its worker ended, and the next call starts another one: the device is not lost, and opening it
 * anew would be no better. The vendor's device behind a living worker may be lost, though.
 */
static bool starts_by_itself(struct nnhal_device *hal)
{
	struct nnhal_device_info info = { .size = sizeof(info) };

	return !nnhal_device_get_info(hal, &info) && info.isolation != NNHAL_ISOLATION_NONE &&
	       !info.worker_pid && info.state == NNHAL_STATE_FAILED;
}

static bool is_lost(struct nnr_device *device)
{
	struct nnhal_device *hal;
	bool offline;

	if (!device->driver || device->replaced)
		return false;
	hal = nnr_device_enter(&device->base);
	offline = hal->ops->get_status(hal) == NNHAL_OFFLINE && !starts_by_itself(hal);
	nnr_device_leave(&device->base);
	return offline;
}

static bool is_named(const struct nnr_device *device, const struct nnhal_driver *driver,
		     const char *spec)
{
	return device->driver == driver && !device->replaced && !strcmp(device->spec, spec);
}

enum known { UNKNOWN, THERE, AWAY };

/* Several devices may have had that name, each in its place; at most one of them is there. */
static enum known hotplug_find(const struct nnhal_driver *driver, const char *spec)
{
	uint32_t count = nnr_devices_listed();
	enum known known = UNKNOWN;

	for (uint32_t i = 0; i < count; i++) {
		struct nnr_device *device = nnr_device_listed(i);

		if (!is_named(device, driver, spec))
			continue;
		if (!is_lost(device))
			return THERE;
		known = AWAY;
	}
	return known;
}

/* A lost device of the library at that place. */
static struct nnr_device *lost_at(const struct nnhal_driver *driver, const char *place)
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

/*
 * A lost device of the name of @fresh, where one of both has no place: the newest one that is like
 * @fresh, or the newest one.
 */
static struct nnr_device *lost_somewhere(const struct nnr_device *fresh)
{
	struct nnr_device *newest = NULL;

	for (uint32_t i = nnr_devices_listed(); i-- > 0;) {
		struct nnr_device *device = nnr_device_listed(i);

		if (!is_named(device, fresh->driver, fresh->spec) ||
		    (device->place && fresh->place) || !is_lost(device))
			continue;
		if (nnr_device_same(device, fresh))
			return device;
		if (!newest)
			newest = device;
	}
	return newest;
}

/* Move the device object of @fresh to @device. Other threads may be calling the old one. */
static bool reopen(struct nnr_device *device, struct nnr_device *fresh)
{
	struct lost *old = malloc(sizeof(*old));
	char *spec = device->spec;

	if (!old)
		return false;
	device->spec = fresh->spec;
	fresh->spec = spec;
	old->device = device;
	old->hal = atomic_exchange(&device->base.hal, fresh->base.hal);
	old->next = lost;
	lost = old;
	atomic_store(&fresh->base.hal, NULL);
	nnutil_log(NNUTIL_LOG_INFO, "device %s is back", device->base.name);
	return true;
}

/* Under the lock. An object behind another process keeps that process. */
static void destroy_unused(void)
{
	struct lost **link = &lost, *old;

	while ((old = *link) != NULL) {
		if (atomic_load(&old->device->base.callers)) {
			link = &old->next;
			continue;
		}
		*link = old->next;
		old->hal->ops->destroy(old->hal);
		free(old);
	}
}

/* A new one: only this thread calls it. */
static bool online(const struct nnr_device *device)
{
	struct nnhal_device *hal = device->base.hal;
	enum nnhal_device_status status = hal->ops->get_status(hal);

	return status == NNHAL_AVAILABLE || status == NNHAL_BUSY;
}

/* Under the lock. @cookie: whether new devices are wanted too. */
static bool looked_at(void *cookie, const struct nnhal_driver *driver, const char *spec)
{
	const enum known known = hotplug_find(driver, spec);
	struct nnr_device *fresh, *before;
	const bool *all = cookie;

	if (known == THERE || (known == UNKNOWN && (!*all || nnr_device_is_left_out(driver, spec))))
		return true;
	fresh = nnr_device_open(driver, spec);
	if (!fresh)
		return true;
	if (!nnr_device_enabled(fresh)) {
		nnr_device_leave_out(fresh);
		return true;
	}
	before = lost_at(driver, fresh->place);
	if (!before)
		before = lost_somewhere(fresh);
	if ((known == AWAY || before) && !online(fresh)) {
		nnr_device_free(fresh);
		return true;
	}
	if (before && nnr_device_same(before, fresh)) {
		reopen(before, fresh);
		nnr_device_free(fresh);
		return true;
	}
	/* another card in its place: the old handle stays with the lost device */
	if (!nnr_device_list_append(fresh)) {
		nnr_device_free(fresh);
		return true;
	}
	if (before)
		before->replaced = true;
	return true;
}

/* Under the lock. */
static void rescan(bool all)
{
	last_look_ns = nnutil_monotonic_ns();
	nnr_libraries_enumerate(looked_at, &all);
	destroy_unused();
}

/*
 * Under the lock. The devices that a child inherited are lost to it: the first user opens them
 * anew.
 */
static void renew(void)
{
	if (!atomic_load(&forked))
		return;
	nnr_reference_renew();
	if (!nnr_config()->cpu_only) {
		nnr_device_monitor_stop();
		nnr_device_monitor_start();
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

/* Under the lock. */
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
	/* a thread that comes while another one looks uses the list as it is */
	if (nnr_config()->cpu_only || pthread_mutex_trylock(&lock))
		return;
	if (nnr_device_monitor_news())
		rescan(true);
	else if (any_lost() && nnutil_monotonic_ns() - last_look_ns >= RETRY_NS)
		rescan(!nnr_device_monitor_runs()); /* without a monitor, look for new ones too */
	else
		destroy_unused();
	pthread_mutex_unlock(&lock);
}

int nnr_device_wait(ANeuralNetworksDevice *base)
{
	struct nnr_device *device = nnr_device_of(base);
	int64_t end = nnutil_monotonic_ns() + (int64_t)nnr_settings()->device_wait_ms * 1000000;

	while (is_lost(device)) {
		nnr_devices_rescan();
		if (!is_lost(device))
			break;
		if (nnutil_monotonic_ns() >= end)
			return nnr_refuse(UNAVAILABLE_DEVICE,
					  "device %s did not come back within %u ms", base->name,
					  nnr_settings()->device_wait_ms);
		poll(NULL, 0, WAIT_STEP_MS);
	}
	if (device->replaced)
		return nnr_refuse(UNAVAILABLE_DEVICE, "another device is in the place of %s",
				  base->name);
	return ANEURALNETWORKS_NO_ERROR;
}

uint32_t nnr_num_devices(void)
{
	nnr_devices_refresh();
	return nnr_devices_listed();
}
