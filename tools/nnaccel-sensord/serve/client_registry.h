/* SPDX-License-Identifier: Apache-2.0 */
/* All clients of the service. Any thread. */
#ifndef SENSORD_CLIENT_REGISTRY_H
#define SENSORD_CLIENT_REGISTRY_H

#include "nnsensors.h"

struct sensor_client;

void client_registry_add(struct sensor_client *client);
void client_registry_remove(struct sensor_client *client);
/**
 * The clients that @user may see: its own; root sees all. An array of *@count that the caller
 * frees; at most @max. 0; -ENOMEM.
 */
int client_registry_list(uint32_t user, uint32_t max, struct nnsensors_client **clients,
			 uint32_t *count);

#endif
