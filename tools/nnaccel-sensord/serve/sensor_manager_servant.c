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
	struct nnsensors_info *infos = NULL;
	uint32_t count = 0;
	int ret = nnipc_reader_end(in);

	(void)object;
	if (ret)
		return ret;
	ret = sensor_list_infos(&infos, &count);
	if (ret)
		count = 0;
	if (count > SENSOR_LIST_MAX)
		count = SENSOR_LIST_MAX;
	nnipc_put_u32(out, ret ? NNSENSORS_UNKNOWN_ERROR : NNSENSORS_OK);
	nnipc_put_u32(out, count);
	for (uint32_t i = 0; i < count; i++) {
		set_permission(client, &infos[i]);
		sensor_put_info(out, &infos[i]);
	}
	free(infos);
	return 0;
}

int serve_get_default_sensor(struct sensor_client *client, struct client_object *object,
			     struct nnipc_reader *in, struct nnipc_writer *out)
{
	const int32_t type = (int32_t)nnipc_get_u32(in);
	const int ret = nnipc_reader_end(in);
	struct nnsensors_info info;
	struct sensor *sensor;

	(void)object;
	if (ret)
		return ret;
	sensor = sensor_list_default(type);
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

/* The memory, what the client says that it has (if it does), and what it shall be used for. */
static int answer_create(struct sensor_client *client, enum channel_memory kind,
			 struct nnipc_reader *in, struct nnipc_writer *out)
{
	const int fd = nnipc_get_fd(in);
	const uint64_t room = kind == CHANNEL_ASHMEM ? nnipc_get_u64(in) : UINT64_MAX;
	const uint64_t size = nnipc_get_u64(in);
	const int ret = nnipc_reader_end(in);
	enum nnsensors_result result = NNSENSORS_BAD_VALUE;
	uint64_t oid = 0;

	if (!ret && fd >= 0 && size >= sizeof(struct nnsensors_record) && size <= room)
		result = create_channel(client, kind, fd, size, &oid);
	if (fd >= 0)
		close(fd);
	if (ret)
		return ret;
	nnipc_put_u32(out, result);
	if (result == NNSENSORS_OK)
		nnipc_put_u64(out, oid);
	return 0;
}

int serve_create_ashmem(struct sensor_client *client, struct client_object *object,
			struct nnipc_reader *in, struct nnipc_writer *out)
{
	(void)object;
	return answer_create(client, CHANNEL_ASHMEM, in, out);
}

int serve_create_gralloc(struct sensor_client *client, struct client_object *object,
			 struct nnipc_reader *in, struct nnipc_writer *out)
{
	(void)object;
	return answer_create(client, CHANNEL_GRALLOC, in, out);
}

int serve_create_queue(struct sensor_client *client, struct client_object *object,
		       struct nnipc_reader *in, struct nnipc_writer *out)
{
	const int ret = nnipc_reader_end(in);
	struct client_object *o;
	struct queue_sink *queue;
	int memory_fd, event_fd;

	(void)object;
	if (ret)
		return ret;
	o = client_object_add(client, OBJECT_QUEUE, queue_sink_bytes());
	if (!o || sensor_client_make_queue(client, &queue, &memory_fd, &event_fd)) {
		if (o)
			client_object_destroy(client, o);
		nnipc_put_u32(out, NNSENSORS_NO_MEMORY);
		return 0;
	}
	pthread_mutex_lock(&client->lock);
	o->queue = queue;
	pthread_mutex_unlock(&client->lock);
	nnipc_put_u32(out, NNSENSORS_OK);
	nnipc_put_u64(out, o->oid);
	nnipc_put_fd(out, memory_fd);
	nnipc_put_fd(out, event_fd);
	return 0;
}

/* ---- ours ---- */

int serve_get_clients(struct sensor_client *client, struct client_object *object,
		      struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnsensors_client *clients = NULL;
	uint32_t count = 0;
	int ret = nnipc_reader_end(in);

	(void)object;
	if (ret)
		return ret;
	ret = client_registry_list(client->peer.user, SENSOR_LIST_MAX, &clients, &count);
	nnipc_put_u32(out, ret ? NNSENSORS_UNKNOWN_ERROR : NNSENSORS_OK);
	nnipc_put_u32(out, count);
	for (uint32_t i = 0; i < count; i++)
		sensor_put_client(out, &clients[i]);
	free(clients);
	return 0;
}
