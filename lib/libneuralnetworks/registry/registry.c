// SPDX-License-Identifier: Apache-2.0
/* The discovery of the process's devices. */
#include <pthread.h>
#include <stdlib.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "reference/nnr_reference.h"
#include "registry/nnr_registry.h"

#define MESSAGE_SIZE 256u

static pthread_once_t discover_once = PTHREAD_ONCE_INIT;
static struct nnr_device *reference;
static atomic_bool discovering;

struct discovery {
	struct nnr_device *found[NNR_MAX_DEVICES];
	uint32_t count;
};

static bool discovered(void *cookie, const struct nnhal_driver *driver, const char *spec)
{
	struct discovery *d = cookie;
	struct nnr_device *device;

	if (d->count == NNR_MAX_DEVICES - 1)
		return false;
	device = nnr_device_open(driver, spec);
	if (device && nnr_device_enabled(device))
		d->found[d->count++] = device;
	else if (device)
		nnr_device_leave_out(device);
	return true;
}

/*
 * List devices in the order of the patterns that select them; without patterns, in the order of
 * discovery.
 */
static void list_in_order(struct discovery *d)
{
	const char *patterns = nnr_settings()->devices;
	uint32_t order[NNR_MAX_DEVICES], next;

	for (uint32_t i = 0; i < d->count; i++)
		order[i] = *patterns ? nnr_matching_pattern(patterns, d->found[i]->base.name) : 0;
	for (;;) {
		next = NNR_NONE;
		for (uint32_t i = 0; i < d->count; i++)
			if (d->found[i] && (next == NNR_NONE || order[i] < order[next]))
				next = i;
		if (next == NNR_NONE)
			return;
		if (!nnr_device_list_append(d->found[next]))
			nnr_device_free(d->found[next]);
		d->found[next] = NULL;
	}
}

/* The device under nnapi-reference. NULL: it cannot be opened (logged). */
static struct nnhal_device *open_reference_hal(void)
{
	char message[MESSAGE_SIZE] = "";
	struct nnhal_device *inner, *hal;

	if (nnhal_open("cpu", &inner, message, sizeof(message))) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot open nnapi-reference: %s", message);
		return NULL;
	}
	hal = nnr_reference_new(inner);
	if (!hal)
		inner->ops->destroy(inner);
	return hal;
}

static void open_reference(void)
{
	struct nnhal_device *hal = open_reference_hal();

	reference = hal ? nnr_device_create_reference(hal) : NULL;
	if (reference)
		nnr_device_list_append(reference);
	else if (hal)
		hal->ops->destroy(hal);
}

bool nnr_discovery_forked(void)
{
	/* another thread of the parent was in the discovery: the child begins it anew */
	if (atomic_load_explicit(&discovering, memory_order_relaxed)) {
		nnr_device_list_forget();
		reference = NULL;
	}
	return nnr_device_list_size() > 0;
}

static void discover(void)
{
	struct discovery d = { .count = 0 };

	atomic_store_explicit(&discovering, true, memory_order_relaxed);
	if (!nnr_config()->cpu_only) {
		nnr_device_monitor_start();
		nnr_libraries_load();
		nnr_libraries_enumerate(discovered, &d);
		list_in_order(&d);
	}
	open_reference();
	atomic_store_explicit(&discovering, false, memory_order_relaxed);
}

void nnr_reference_renew(void)
{
	struct nnhal_device *hal = reference ? open_reference_hal() : NULL;

	if (hal)
		atomic_store(&reference->base.hal, hal); /* the old object is the parent's */
}

uint32_t nnr_devices_listed(void)
{
	nnr_fork_watch();
	pthread_once(&discover_once, discover);
	return nnr_device_list_size();
}

struct nnr_device *nnr_device_listed(uint32_t index)
{
	nnr_devices_listed();
	return nnr_device_list_get(index);
}

ANeuralNetworksDevice *nnr_device(uint32_t index)
{
	struct nnr_device *device = nnr_device_listed(index);

	return device ? &device->base : NULL;
}

ANeuralNetworksDevice *nnr_reference_device(void)
{
	nnr_devices_listed();
	return reference ? &reference->base : NULL;
}

/* ---- extensions of the listed devices ---- */

bool nnr_extension_registered(const char *name)
{
	nnr_devices_listed();
	return nnr_extension_known(name);
}

bool nnr_extension_type(uint32_t type, struct nnr_extension_type_info *info)
{
	nnr_devices_listed();
	return nnr_extension_type_known(type, info);
}
