/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of the NNAPI runtime by their names, and compilations for them. */
#ifndef NNCLIENT_DEVICE_NAMES_H
#define NNCLIENT_DEVICE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "android/NeuralNetworks.h"

/** Devices of a list at most. */
#define RUNTIME_MAX_DEVICES 64

/**
 * Devices by @names, separated by commas; NULL: all that the runtime has. Sets @list, of
 * RUNTIME_MAX_DEVICES, and @count. Returns a result code; on failure @message has the reason and
 * lists the devices.
 */
int runtime_devices_find(const char *names, const ANeuralNetworksDevice **list, uint32_t *count,
			 char *message, size_t size);

/**
 * Create a compilation, which is not finished yet. @devices: names separated by commas; NULL: all
 * devices, and the runtime's own fallback. Returns a result code; on failure @message has the
 * reason and lists the devices.
 */
int runtime_compilation_create(ANeuralNetworksModel *model, const char *devices,
			       ANeuralNetworksCompilation **compilation, char *message,
			       size_t size);

#endif
