// SPDX-License-Identifier: Apache-2.0
#include "nnclient.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

static const char *device_name(uint32_t index, ANeuralNetworksDevice **device)
{
	const char *name;

	if (ANeuralNetworks_getDevice(index, device) != ANEURALNETWORKS_NO_ERROR ||
	    ANeuralNetworksDevice_getName(*device, &name) != ANEURALNETWORKS_NO_ERROR)
		return "";
	return name;
}

static const ANeuralNetworksDevice *find_device(const char *name, char *message, size_t size)
{
	ANeuralNetworksDevice *device;
	uint32_t count = 0;
	size_t used;

	ANeuralNetworks_getDeviceCount(&count);
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(device_name(i, &device), name))
			return device;
	snprintf(message, size, "the runtime has no device %s; its devices are", name);
	for (uint32_t i = 0; i < count; i++) {
		used = strlen(message);
		snprintf(message + used, size - used, " %s", device_name(i, &device));
	}
	return NULL;
}

static int find_named(const char *names, const ANeuralNetworksDevice **list, uint32_t *count,
		      char *message, size_t size)
{
	char *copy = strdup(names), *rest, *name;

	if (!copy) {
		snprintf(message, size, "out of memory");
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	for (rest = copy; rest && *count < RUNTIME_MAX_DEVICES && (name = strsep(&rest, ","));
	     ++*count) {
		list[*count] = find_device(name, message, size);
		if (!list[*count])
			break;
	}
	if (rest && !message[0])
		snprintf(message, size, "the list of devices has more than %d",
			 RUNTIME_MAX_DEVICES);
	free(copy);
	return message[0] ? ANEURALNETWORKS_BAD_DATA : ANEURALNETWORKS_NO_ERROR;
}

int runtime_devices_find(const char *names, const ANeuralNetworksDevice **list, uint32_t *count,
			 char *message, size_t size)
{
	ANeuralNetworksDevice *device;
	uint32_t all = 0;

	message[0] = '\0';
	*count = 0;
	if (names)
		return find_named(names, list, count, message, size);
	ANeuralNetworks_getDeviceCount(&all);
	for (uint32_t i = 0; i < all && *count < RUNTIME_MAX_DEVICES; i++)
		if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR)
			list[(*count)++] = device;
	return ANEURALNETWORKS_NO_ERROR;
}

int runtime_compilation_create(ANeuralNetworksModel *model, const char *devices,
			       ANeuralNetworksCompilation **compilation, char *message, size_t size)
{
	const ANeuralNetworksDevice *list[RUNTIME_MAX_DEVICES];
	uint32_t count;
	int result;

	message[0] = '\0';
	if (devices) {
		result = runtime_devices_find(devices, list, &count, message, size);
		if (result == ANEURALNETWORKS_NO_ERROR)
			result = ANeuralNetworksCompilation_createForDevices(model, list, count,
									     compilation);
	} else {
		result = ANeuralNetworksCompilation_create(model, compilation);
	}
	if (result != ANEURALNETWORKS_NO_ERROR && !message[0])
		snprintf(message, size, "Compilation_create: %s", nnutil_result_name(result));
	return result;
}
