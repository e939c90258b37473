/* SPDX-License-Identifier: Apache-2.0 */
/* ISensorManager in the client: what the NDK asks beyond nnsensors.h. */
#ifndef NNSENSORS_SENSOR_MANAGER_PROXY_H
#define NNSENSORS_SENSOR_MANAGER_PROXY_H

#include <stdbool.h>

#include "nnsensors.h"

/** Whether its service is gone, or it belongs to the parent of this process. */
bool nnsensors_manager_is_dead(const struct nnsensors_manager *manager);

#endif
