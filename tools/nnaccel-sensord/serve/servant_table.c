// SPDX-License-Identifier: Apache-2.0
/* Which method of which object a call is for; and the one that all objects have. */
#include <errno.h>

#include "serve/sensord_serve.h"

enum { MANAGER = -1 };

/* Of a queue and of a channel. */
static int serve_destroy(struct sensor_client *client, struct client_object *object,
			 struct nnipc_reader *in, struct nnipc_writer *out)
{
	const int ret = nnipc_reader_end(in);

	if (ret)
		return ret;
	client_object_destroy(client, object);
	nnipc_put_u32(out, NNSENSORS_OK);
	return 0;
}

static const struct {
	uint32_t method;
	int kind; /* enum object_kind, or MANAGER */
	sensor_servant run;
} methods[] = {
	{ SENSOR_MANAGER_GET_SENSOR_LIST, MANAGER, serve_get_sensor_list },
	{ SENSOR_MANAGER_GET_DEFAULT_SENSOR, MANAGER, serve_get_default_sensor },
	{ SENSOR_MANAGER_CREATE_ASHMEM, MANAGER, serve_create_ashmem },
	{ SENSOR_MANAGER_CREATE_GRALLOC, MANAGER, serve_create_gralloc },
	{ SENSOR_MANAGER_CREATE_QUEUE, MANAGER, serve_create_queue },
	{ SENSOR_MANAGER_GET_CLIENTS, MANAGER, serve_get_clients },
	{ SENSOR_CHANNEL_CONFIGURE, OBJECT_CHANNEL, serve_channel_configure },
	{ SENSOR_CHANNEL_DESTROY, OBJECT_CHANNEL, serve_destroy },
	{ SENSOR_QUEUE_ENABLE, OBJECT_QUEUE, serve_queue_enable },
	{ SENSOR_QUEUE_DISABLE, OBJECT_QUEUE, serve_queue_disable },
	{ SENSOR_QUEUE_DESTROY, OBJECT_QUEUE, serve_destroy },
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

int sensor_servant_call(struct sensor_client *client, const struct nnipc_header *header,
			struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct client_object *object = NULL;
	size_t i = 0;

	while (i < METHODS && methods[i].method != header->method)
		i++;
	if (i == METHODS)
		return -EOPNOTSUPP;
	if (methods[i].kind == MANAGER)
		return header->oid ? -ESTALE : methods[i].run(client, NULL, in, out);
	object = client_object_find(client, header->oid, (enum object_kind)methods[i].kind);
	return object ? methods[i].run(client, object, in, out) : -ESTALE;
}
