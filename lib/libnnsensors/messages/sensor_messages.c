// SPDX-License-Identifier: Apache-2.0
/*
 * The values of nnsensors.h as bytes. A struct's "size" does not travel: each side has its own.
 * The bytes that are read here are of another process, and clients hand them to their callers as
 * they are: a number that its member cannot have ends the message.
 */
#include "messages/sensor_messages.h"

static uint32_t bits(int32_t value)
{
	return (uint32_t)value;
}

static int32_t get_i32(struct nnipc_reader *r, int32_t least)
{
	const int32_t value = (int32_t)nnipc_get_u32(r);

	if (value >= least)
		return value;
	nnipc_reader_refuse(r);
	return 0;
}

/* A quantity: not below 0, and a number. */
static float get_quantity(struct nnipc_reader *r)
{
	const float value = nnipc_get_f32(r);

	if (__builtin_isfinite(value) && value >= 0)
		return value;
	nnipc_reader_refuse(r);
	return 0;
}

void sensor_put_info(struct nnipc_writer *w, const struct nnsensors_info *info)
{
	nnipc_put_u32(w, bits(info->handle));
	nnipc_put_u32(w, bits(info->type));
	nnipc_put_u32(w, bits(info->version));
	nnipc_put_u32(w, info->flags);
	nnipc_put_u32(w, bits(info->min_delay_us));
	nnipc_put_u32(w, bits(info->max_delay_us));
	nnipc_put_u32(w, info->fifo_reserved);
	nnipc_put_u32(w, info->fifo_max);
	nnipc_put_f32(w, info->max_range);
	nnipc_put_f32(w, info->resolution);
	nnipc_put_f32(w, info->power_ma);
	nnipc_put_chars(w, info->name, sizeof(info->name));
	nnipc_put_chars(w, info->vendor, sizeof(info->vendor));
	nnipc_put_chars(w, info->type_string, sizeof(info->type_string));
	nnipc_put_chars(w, info->permission, sizeof(info->permission));
}

void sensor_get_info(struct nnipc_reader *r, struct nnsensors_info *info)
{
	*info = (struct nnsensors_info){ .size = sizeof(*info) };
	info->handle = get_i32(r, 1);
	info->type = get_i32(r, 1);
	info->version = get_i32(r, INT32_MIN);
	info->flags = nnipc_get_u32(r);
	info->min_delay_us = get_i32(r, -1);
	info->max_delay_us = get_i32(r, 0);
	info->fifo_reserved = nnipc_get_u32(r);
	info->fifo_max = nnipc_get_u32(r);
	if (info->fifo_reserved > info->fifo_max)
		nnipc_reader_refuse(r);
	info->max_range = get_quantity(r);
	info->resolution = get_quantity(r);
	info->power_ma = get_quantity(r);
	nnipc_get_text_into(r, info->name, sizeof(info->name));
	nnipc_get_text_into(r, info->vendor, sizeof(info->vendor));
	nnipc_get_text_into(r, info->type_string, sizeof(info->type_string));
	nnipc_get_text_into(r, info->permission, sizeof(info->permission));
}

void sensor_put_client(struct nnipc_writer *w, const struct nnsensors_client *client)
{
	nnipc_put_u32(w, bits(client->pid));
	nnipc_put_u32(w, client->uid);
	nnipc_put_u32(w, client->queues);
	nnipc_put_u32(w, client->channels);
	nnipc_put_u32(w, client->sensors);
	nnipc_put_u64(w, client->delivered);
	nnipc_put_u64(w, client->lost);
	nnipc_put_chars(w, client->comm, sizeof(client->comm));
}

void sensor_get_client(struct nnipc_reader *r, struct nnsensors_client *client)
{
	*client = (struct nnsensors_client){ .size = sizeof(*client) };
	client->pid = get_i32(r, 0); /* 0: of another pid namespace */
	client->uid = nnipc_get_u32(r);
	client->queues = nnipc_get_u32(r);
	client->channels = nnipc_get_u32(r);
	client->sensors = nnipc_get_u32(r);
	client->delivered = nnipc_get_u64(r);
	client->lost = nnipc_get_u64(r);
	nnipc_get_text_into(r, client->comm, sizeof(client->comm));
}

enum nnsensors_result sensor_get_result(struct nnipc_reader *r)
{
	const uint32_t result = nnipc_get_u32(r);

	if (result <= NNSENSORS_UNKNOWN_ERROR)
		return (enum nnsensors_result)result;
	nnipc_reader_refuse(r);
	return NNSENSORS_UNKNOWN_ERROR;
}
