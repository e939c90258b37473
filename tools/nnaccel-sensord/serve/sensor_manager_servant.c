// SPDX-License-Identifier: Apache-2.0
/* ISensorManager. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sensord_core.h"
#include "serve/sensord_serve.h"

static void set_permission(const struct sensor_client *client, struct nnsensors_info *info)
{
	memset(info->permission, 0, sizeof(info->permission));
	strcpy(info->permission, permission_name(&client->config->rules, info->type));
}

int serve_get_sensor_list(struct sensor_client *client, struct client_object *object,
			  struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_manager_get_sensor_list_results results = { 0 };
	struct nnsensors_info *infos = NULL;
	int ret = nnipc_reader_end(in);

	(void)object;
	if (ret)
		return ret;
	ret = sensor_list_infos(&infos, &results.count);
	if (ret)
		results.count = 0;
	if (results.count > SENSOR_LIST_MAX)
		results.count = SENSOR_LIST_MAX;
	for (uint32_t i = 0; i < results.count; i++)
		set_permission(client, &infos[i]);
	results.list = infos;
	nnipc_put_u32(out, ret ? NNSENSORS_UNKNOWN_ERROR : NNSENSORS_OK);
	sensor_put_manager_get_sensor_list_results(out, &results);
	free(infos);
	return 0;
}

int serve_get_default_sensor(struct sensor_client *client, struct client_object *object,
			     struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_manager_get_default_sensor args;
	struct nnsensors_info info;
	struct sensor *sensor;
	int ret;

	(void)object;
	sensor_get_manager_get_default_sensor(in, &args);
	ret = nnipc_reader_end(in);
	if (ret)
		return ret;
	sensor = sensor_list_default(args.type);
	if (!sensor) {
		nnipc_put_u32(out, NNSENSORS_NOT_EXIST);
		return 0;
	}
	info = sensor->info;
	device_put(sensor->device);
	set_permission(client, &info);
	nnipc_put_u32(out, NNSENSORS_OK);
	sensor_put_info(out, &info);
	return 0;
}

/* ---- objects ---- */

/* A channel into @fd, which stays the caller's. */
static enum nnsensors_result create_channel(struct sensor_client *client, enum channel_memory kind,
					    int fd, uint64_t size, uint64_t *oid)
{
	struct client_object *o =
		client_object_add(client, OBJECT_CHANNEL, channel_sink_bytes(size));
	struct channel_sink *channel;
	int ret;

	if (!o)
		return NNSENSORS_NO_MEMORY;
	o->memory = kind;
	ret = channel_sink_create(kind, fd, size, &channel);
	if (ret) {
		client_object_destroy(client, o);
		return nnsensors_result_of(ret);
	}
	pthread_mutex_lock(&client->lock);
	o->channel = channel;
	pthread_mutex_unlock(&client->lock);
	*oid = o->oid;
	return NNSENSORS_OK;
}

/* @room: what the client has of the memory; @size: what it is to be used for. */
static void answer_create(struct sensor_client *client, enum channel_memory kind, int fd,
			  uint64_t room, uint64_t size, struct nnipc_writer *out)
{
	enum nnsensors_result result = NNSENSORS_BAD_VALUE;
	struct sensor_channel_created created = { 0 };

	if (fd >= 0 && size >= sizeof(struct nnsensors_record) && size <= room)
		result = create_channel(client, kind, fd, size, &created.channel);
	nnipc_put_u32(out, result);
	if (result == NNSENSORS_OK)
		sensor_put_channel_created(out, &created);
}

int serve_create_ashmem(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_manager_create_ashmem args;
	int ret;

	(void)object;
	sensor_get_manager_create_ashmem(in, &args);
	ret = nnipc_reader_end(in);
	if (!ret)
		answer_create(client, CHANNEL_ASHMEM, args.memory, args.mem_size, args.size, out);
	sensor_manager_create_ashmem_free(&args);
	return ret;
}

int serve_create_gralloc(struct sensor_client *client, struct client_object *object,
			 struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_manager_create_gralloc args;
	int ret;

	(void)object;
	sensor_get_manager_create_gralloc(in, &args);
	ret = nnipc_reader_end(in);
	if (!ret)
		answer_create(client, CHANNEL_GRALLOC, args.memory, UINT64_MAX, args.size, out);
	sensor_manager_create_gralloc_free(&args);
	return ret;
}

int serve_create_queue(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out)
{
	const int ret = nnipc_reader_end(in);
	struct sensor_manager_create_queue_results made;
	struct client_object *o;
	struct queue_sink *queue;

	(void)object;
	if (ret)
		return ret;
	o = client_object_add(client, OBJECT_QUEUE, queue_sink_bytes());
	if (!o || sensor_client_make_queue(client, &queue, &made.memory, &made.event)) {
		if (o)
			client_object_destroy(client, o);
		nnipc_put_u32(out, NNSENSORS_NO_MEMORY);
		return 0;
	}
	pthread_mutex_lock(&client->lock);
	o->queue = queue;
	pthread_mutex_unlock(&client->lock);
	nnipc_put_u32(out, NNSENSORS_OK);
	made.queue = o->oid;
	sensor_put_manager_create_queue_results(out, &made);
	return 0;
}

/* ---- ours ---- */

int serve_get_clients(struct sensor_client *client, struct client_object *object,
		      struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct sensor_manager_get_clients_results results = { 0 };
	struct nnsensors_client *clients = NULL;
	int ret = nnipc_reader_end(in);

	(void)object;
	if (ret)
		return ret;
	ret = client_registry_list(client->peer.user, SENSOR_LIST_MAX, &clients, &results.count);
	results.list = clients;
	nnipc_put_u32(out, ret ? NNSENSORS_UNKNOWN_ERROR : NNSENSORS_OK);
	sensor_put_manager_get_clients_results(out, &results);
	free(clients);
	return 0;
}
