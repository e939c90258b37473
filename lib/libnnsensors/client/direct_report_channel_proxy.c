// SPDX-License-Identifier: Apache-2.0
/* IDirectReportChannel in the client. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "client/nnsensors_client.h"
#include "messages/sensor_messages.h"

/* The least that holds a record. */
#define LEAST_SIZE sizeof(struct nnsensors_record)

struct channel {
	struct nnsensors_direct_channel base; /* first */
	struct sensor_connection *c;
	uint64_t oid;
};

static void channel_destroy(struct nnsensors_direct_channel *base)
{
	struct channel *channel = (struct channel *)base;

	if (!base)
		return;
	sensor_call_destroy(channel->c, SENSOR_CHANNEL_DESTROY, channel->oid);
	sensor_connection_put(channel->c);
	free(channel);
}

static enum nnsensors_result read_token(struct sensor_connection *c, struct nnipc_reader *r,
					enum nnsensors_result result,
					enum nnsensors_rate_level rate, int32_t *token)
{
	struct sensor_channel_configure_results got;

	sensor_get_channel_configure_results(r, &got);
	result = sensor_call_check(c, result, r);
	if (result != NNSENSORS_OK || rate == NNSENSORS_RATE_STOP)
		return result;
	if (got.token <= 0)
		return sensor_call_refuse(c, "a token that is not positive");
	*token = got.token;
	return result;
}

static enum nnsensors_result channel_configure(struct nnsensors_direct_channel *base,
					       int32_t handle, enum nnsensors_rate_level rate,
					       int32_t *token)
{
	const struct sensor_channel_configure args = { handle, (uint32_t)rate };
	const struct channel *channel = (const struct channel *)base;
	enum nnsensors_result result;
	struct nnipc_reader *results;
	struct nnipc_writer *w;
	int32_t value = 0;

	if (token)
		*token = 0;
	if (!base)
		return NNSENSORS_BAD_VALUE;
	w = sensor_call_begin(channel->c);
	if (!w)
		return NNSENSORS_NO_INIT;
	sensor_put_channel_configure(w, &args);
	result = sensor_call_run(channel->c, SENSOR_CHANNEL_CONFIGURE, channel->oid, &results);
	if (results)
		result = read_token(channel->c, results, result, rate, &value);
	sensor_call_end(channel->c);
	if (token)
		*token = value;
	return result;
}

static const struct nnsensors_direct_channel_ops ops = {
	.size = sizeof(ops),
	.destroy = channel_destroy,
	.configure = channel_configure,
};

/* In a call. The service may have made a channel or refused. */
static enum nnsensors_result read_channel(struct sensor_connection *c, struct nnipc_reader *r,
					  struct channel *channel)
{
	struct sensor_channel_created created;
	enum nnsensors_result result;

	sensor_get_channel_created(r, &created);
	channel->oid = created.channel;
	result = sensor_call_check(c, NNSENSORS_OK, r);
	if (result == NNSENSORS_OK && !channel->oid)
		return sensor_call_refuse(c, "a channel without a number");
	return result;
}

static enum nnsensors_result channel_create(struct sensor_connection *c, uint32_t method, int fd,
					    const uint64_t *mem_size, uint64_t size,
					    struct nnsensors_direct_channel **base)
{
	const struct sensor_manager_create_ashmem ashmem = { fd, mem_size ? *mem_size : 0, size };
	const struct sensor_manager_create_gralloc gralloc = { fd, size };
	struct channel *channel = calloc(1, sizeof(*channel));
	enum nnsensors_result result = NNSENSORS_NO_INIT;
	struct nnipc_reader *results;
	struct nnipc_writer *w;

	if (!channel)
		return NNSENSORS_NO_MEMORY;
	w = sensor_call_begin(c);
	if (w) {
		if (mem_size)
			sensor_put_manager_create_ashmem(w, &ashmem);
		else
			sensor_put_manager_create_gralloc(w, &gralloc);
		result = sensor_call_run(c, method, 0, &results);
		if (result == NNSENSORS_OK)
			result = read_channel(c, results, channel);
		sensor_call_end(c);
	}
	if (result != NNSENSORS_OK) {
		free(channel);
		return result;
	}
	sensor_connection_get(c);
	channel->c = c;
	channel->base.ops = &ops;
	*base = &channel->base;
	return result;
}

/* The service takes no memory whose pages it would have to make. What is wrong with it says it. */
static void allocate_pages(int fd, uint64_t size)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_size > 0 && size <= (uint64_t)st.st_size)
		fallocate(fd, 0, 0, (off_t)size);
}

enum nnsensors_result sensor_ashmem_channel_create(struct sensor_connection *c, int fd,
						   uint64_t mem_size, uint64_t size,
						   struct nnsensors_direct_channel **channel)
{
	if (size < LEAST_SIZE || size > mem_size || fd < 0)
		return NNSENSORS_BAD_VALUE;
	allocate_pages(fd, size);
	return channel_create(c, SENSOR_MANAGER_CREATE_ASHMEM, fd, &mem_size, size, channel);
}

enum nnsensors_result sensor_gralloc_channel_create(struct sensor_connection *c, int fd,
						    uint64_t size,
						    struct nnsensors_direct_channel **channel)
{
	if (size < LEAST_SIZE || fd < 0)
		return NNSENSORS_BAD_VALUE;
	return channel_create(c, SENSOR_MANAGER_CREATE_GRALLOC, fd, NULL, size, channel);
}
