// SPDX-License-Identifier: Apache-2.0
/* The list of devices, and the devices that the configuration leaves out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

/* Entries below num_devices never change. */
static struct nnr_device *devices[NNR_MAX_DEVICES];
static atomic_uint num_devices;

uint32_t nnr_device_list_size(void)
{
	return atomic_load_explicit(&num_devices, memory_order_acquire);
}

struct nnr_device *nnr_device_list_get(uint32_t index)
{
	return index < nnr_device_list_size() ? devices[index] : NULL;
}

void nnr_device_list_forget(void)
{
	atomic_store_explicit(&num_devices, 0, memory_order_relaxed);
}

uint32_t nnr_matching_pattern(const char *patterns, const char *name)
{
	const char *item = patterns;
	uint32_t number = 0;
	size_t length;

	for (length = nnr_list_next(&item, 0, " \t"); length;
	     length = nnr_list_next(&item, length, " \t")) {
		if (nnr_pattern_matches(item, length, name))
			return number;
		number++;
	}
	return NNR_NONE;
}

bool nnr_device_enabled(const struct nnr_device *device)
{
	const struct nnr_settings *s = nnr_settings();

	if (s->config.cpu_only)
		return false;
	if (nnr_matching_pattern(s->exclude_devices, device->base.name) != NNR_NONE)
		return false;
	return !*s->devices || nnr_matching_pattern(s->devices, device->base.name) != NNR_NONE;
}

static bool name_taken(const char *name)
{
	uint32_t count = atomic_load_explicit(&num_devices, memory_order_acquire);

	if (!strcmp(name, "nnapi-reference"))
		return true;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(devices[i]->base.name, name))
			return true;
	return false;
}

static bool make_name_unique(struct nnr_device *device)
{
	char *name;

	if (device->base.is_reference || !name_taken(device->base.name))
		return true;
	for (unsigned int n = 2; n <= NNR_MAX_DEVICES + 1; n++) {
		if (asprintf(&name, "%s-%u", device->base.name, n) < 0)
			return false;
		if (!name_taken(name)) {
			nnutil_log(NNUTIL_LOG_WARNING,
				   "device name %s is taken: the new device is called %s",
				   device->base.name, name);
			free(device->base.name);
			device->base.name = name;
			return true;
		}
		free(name);
	}
	return false;
}

bool nnr_device_list_append(struct nnr_device *device)
{
	uint32_t count = atomic_load_explicit(&num_devices, memory_order_relaxed);

	if (count == NNR_MAX_DEVICES || !make_name_unique(device)) {
		nnutil_log(NNUTIL_LOG_ERROR, "device %s ignored: the list of devices is full",
			   device->base.name);
		return false;
	}
	for (uint32_t i = 0; i < device->base.num_extensions; i++)
		nnr_extension_register(&device->reports[i]);
	devices[count] = device;
	atomic_store_explicit(&num_devices, count + 1, memory_order_release);
	return true;
}

/* ---- left out ---- */

/* They are not opened again and again. */
static struct left_out {
	struct left_out *next;
	const struct nnhal_driver *driver;
	char *spec;
} * left_out;

bool nnr_device_is_left_out(const struct nnhal_driver *driver, const char *spec)
{
	const struct left_out *entry = left_out;

	while (entry && (entry->driver != driver || strcmp(entry->spec, spec)))
		entry = entry->next;
	return entry != NULL;
}

void nnr_device_leave_out(struct nnr_device *device)
{
	struct left_out *entry = NULL;

	if (!nnr_device_is_left_out(device->driver, device->spec))
		entry = malloc(sizeof(*entry));
	if (entry) {
		*entry = (struct left_out){ left_out, device->driver, device->spec };
		device->spec = NULL;
		left_out = entry;
	}
	nnr_device_free(device);
}
