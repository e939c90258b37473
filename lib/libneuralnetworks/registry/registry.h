/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices of the process: those of vendor libraries in the order of the libraries' file names,
 * as each library enumerates them, selected and ordered by the configuration; then nnapi-reference;
 * then those that came later. Any thread.
 */
#ifndef NNR_REGISTRY_H
#define NNR_REGISTRY_H

#include "registry/listed_device.h"

/**
 * The number of devices, without looking for new ones. The first call discovers the devices; so do
 * those of the other functions here.
 */
uint32_t nnr_devices_listed(void);
/** NULL: there is no device @index. */
struct nnr_device *nnr_device_listed(uint32_t index);
ANeuralNetworksDevice *nnr_device(uint32_t index);
/** NULL: the in-process device cannot be opened (logged). */
ANeuralNetworksDevice *nnr_reference_device(void);
/** In a child: open the device behind nnapi-reference anew. */
void nnr_reference_renew(void);
/** In a child: whether there are devices, which are lost to it. */
bool nnr_discovery_forked(void);

/** Whether a device reports the extension, and none reports it differently. */
bool nnr_extension_registered(const char *name);
/** The type prefix << 16 | code of a registered extension. False: unknown. @info may be NULL. */
bool nnr_extension_type(uint32_t type, struct nnr_extension_type_info *info);

#endif
