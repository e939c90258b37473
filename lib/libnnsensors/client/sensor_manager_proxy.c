// SPDX-License-Identifier: Apache-2.0
/* ISensorManager in the client. */
#include "client/sensor_manager_proxy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/nnsensors_client.h"
#include "messages/sensor_messages.h"
#include "nnutil_log.h"
#include "values/nnsensors_values.h"

struct manager {
	struct nnsensors_manager base; /* first */
	struct sensor_connection *c;
};

static struct sensor_connection *connection_of(const struct nnsensors_manager *manager)
{
	return ((const struct manager *)manager)->c;
}

static void manager_destroy(struct nnsensors_manager *manager)
{
	if (!manager)
		return;
	sensor_connection_put(connection_of(manager));
	free(manager);
}

/* ---- lists ---- */

/* An empty list has an address as well. NULL: no memory. */
static void *list_of(const void *list, size_t size)
{
	return list ? (void *)list : calloc(1, size);
}

static enum nnsensors_result manager_get_sensor_list(struct nnsensors_manager *manager,
						     struct nnsensors_info **infos, uint32_t *count)
{
	struct sensor_manager_get_sensor_list_results got = { 0 };
	enum nnsensors_result result;
	struct sensor_connection *c;
	struct nnipc_reader *results;

	if (!manager || !infos || !count)
		return NNSENSORS_BAD_VALUE;
	*infos = NULL;
	*count = 0;
	c = connection_of(manager);
	if (!sensor_call_begin(c))
		return NNSENSORS_NO_INIT;
	result = sensor_call_run(c, SENSOR_MANAGER_GET_SENSOR_LIST, 0, &results);
	if (result == NNSENSORS_OK) {
		sensor_get_manager_get_sensor_list_results(results, &got);
		result = sensor_call_check(c, result, results);
	}
	sensor_call_end(c);
	if (result != NNSENSORS_OK) {
		sensor_manager_get_sensor_list_results_free(&got);
		return result;
	}
	*count = got.count;
	*infos = list_of(got.list, sizeof(**infos));
	return *infos ? NNSENSORS_OK : NNSENSORS_NO_MEMORY;
}

static enum nnsensors_result manager_get_clients(struct nnsensors_manager *manager,
						 struct nnsensors_client **clients, uint32_t *count)
{
	struct sensor_manager_get_clients_results got = { 0 };
	enum nnsensors_result result;
	struct sensor_connection *c;
	struct nnipc_reader *results;

	if (!manager || !clients || !count)
		return NNSENSORS_BAD_VALUE;
	*clients = NULL;
	*count = 0;
	c = connection_of(manager);
	if (!sensor_call_begin(c))
		return NNSENSORS_NO_INIT;
	result = sensor_call_run(c, SENSOR_MANAGER_GET_CLIENTS, 0, &results);
	if (result == NNSENSORS_OK) {
		sensor_get_manager_get_clients_results(results, &got);
		result = sensor_call_check(c, result, results);
	}
	sensor_call_end(c);
	if (result != NNSENSORS_OK) {
		sensor_manager_get_clients_results_free(&got);
		return result;
	}
	*count = got.count;
	*clients = list_of(got.list, sizeof(**clients));
	return *clients ? NNSENSORS_OK : NNSENSORS_NO_MEMORY;
}

/* ---- one sensor ---- */

/* Fill as much as the caller knows of it. */
static void copy_info(struct nnsensors_info *to, const struct nnsensors_info *from)
{
	const uint32_t size = to->size;

	memcpy(to, from, size < sizeof(*from) ? size : sizeof(*from));
	to->size = size;
}

static enum nnsensors_result manager_get_default_sensor(struct nnsensors_manager *manager,
							int32_t type, struct nnsensors_info *info)
{
	struct sensor_manager_get_default_sensor args = { .type = type };
	struct nnsensors_info full = { 0 };
	enum nnsensors_result result;
	struct sensor_connection *c;
	struct nnipc_reader *results;
	struct nnipc_writer *w;

	if (!manager || !info || info->size < sizeof(info->size))
		return NNSENSORS_BAD_VALUE;
	c = connection_of(manager);
	w = sensor_call_begin(c);
	if (!w)
		return NNSENSORS_NO_INIT;
	sensor_put_manager_get_default_sensor(w, &args);
	result = sensor_call_run(c, SENSOR_MANAGER_GET_DEFAULT_SENSOR, 0, &results);
	if (result == NNSENSORS_OK) {
		sensor_get_info(results, &full);
		result = sensor_call_check(c, result, results);
		if (result == NNSENSORS_OK && full.type != type)
			result = sensor_call_refuse(c, "a default sensor of another type");
	}
	sensor_call_end(c);
	if (result == NNSENSORS_OK)
		copy_info(info, &full);
	return result;
}

/* ---- other objects ---- */

static enum nnsensors_result
manager_create_ashmem_direct_channel(struct nnsensors_manager *manager, int fd, uint64_t mem_size,
				     uint64_t size, struct nnsensors_direct_channel **channel)
{
	if (!channel)
		return NNSENSORS_BAD_VALUE;
	*channel = NULL;
	if (!manager)
		return NNSENSORS_BAD_VALUE;
	return sensor_ashmem_channel_create(connection_of(manager), fd, mem_size, size, channel);
}

static enum nnsensors_result
manager_create_gralloc_direct_channel(struct nnsensors_manager *manager, int fd, uint64_t size,
				      struct nnsensors_direct_channel **channel)
{
	if (!channel)
		return NNSENSORS_BAD_VALUE;
	*channel = NULL;
	if (!manager)
		return NNSENSORS_BAD_VALUE;
	return sensor_gralloc_channel_create(connection_of(manager), fd, size, channel);
}

static enum nnsensors_result
manager_create_event_queue(struct nnsensors_manager *manager,
			   const struct nnsensors_event_queue_callback *callback, void *cookie,
			   struct nnsensors_event_queue **queue)
{
	if (!queue)
		return NNSENSORS_BAD_VALUE;
	*queue = NULL;
	if (!manager)
		return NNSENSORS_BAD_VALUE;
	return sensor_event_queue_create(connection_of(manager), callback, cookie, queue);
}

static const struct nnsensors_manager_ops ops = {
	.size = sizeof(ops),
	.destroy = manager_destroy,
	.get_sensor_list = manager_get_sensor_list,
	.get_default_sensor = manager_get_default_sensor,
	.create_ashmem_direct_channel = manager_create_ashmem_direct_channel,
	.create_gralloc_direct_channel = manager_create_gralloc_direct_channel,
	.create_event_queue = manager_create_event_queue,
	.get_clients = manager_get_clients,
};

NNSENSORS_EXPORT int nnsensors_manager_open(const char *path, struct nnsensors_manager **manager,
					    char *message, size_t message_size)
{
	struct manager *m;
	int ret;

	*manager = NULL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return nnutil_refuse(message, message_size, -ENOMEM, "no memory for a manager");
	m->base.ops = &ops;
	ret = sensor_connection_open(path, &m->c, message, message_size);
	if (ret)
		free(m);
	else
		*manager = &m->base;
	return ret;
}

bool nnsensors_manager_is_dead(const struct nnsensors_manager *manager)
{
	return sensor_connection_is_dead(connection_of(manager));
}
