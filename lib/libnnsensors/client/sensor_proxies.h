/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of nnsensors.h in the client: how a manager makes the others. Private to the room. */
#ifndef NNSENSORS_SENSOR_PROXIES_H
#define NNSENSORS_SENSOR_PROXIES_H

#include "client/sensor_connection.h"
#include "nnsensors.h"

enum nnsensors_result
sensor_event_queue_create(struct sensor_connection *c,
			  const struct nnsensors_event_queue_callback *callback, void *cookie,
			  struct nnsensors_event_queue **queue);

enum nnsensors_result sensor_ashmem_channel_create(struct sensor_connection *c, int fd,
						   uint64_t mem_size, uint64_t size,
						   struct nnsensors_direct_channel **channel);
enum nnsensors_result sensor_gralloc_channel_create(struct sensor_connection *c, int fd,
						    uint64_t size,
						    struct nnsensors_direct_channel **channel);

#endif
