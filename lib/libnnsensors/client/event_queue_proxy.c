// SPDX-License-Identifier: Apache-2.0
/* IEventQueue in the client. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/nnsensors_client.h"
#include "messages/sensor_messages.h"
#include "nnutil_process.h"
#include "nnutil_file.h"

struct queue {
	struct nnsensors_event_queue base; /* first */
	struct sensor_queue delivery;
	struct sensor_connection *c;
	uint64_t oid;
};

static struct queue *queue_of(struct sensor_queue *delivery)
{
	return (struct queue *)((char *)delivery - offsetof(struct queue, delivery));
}

/* ---- the end ---- */

static void queue_free(struct sensor_queue *delivery)
{
	sensor_queue_rings_unmap(&delivery->rings);
	nnutil_fd_close(delivery->event_fd);
	free(queue_of(delivery));
}

static void queue_destroy(struct nnsensors_event_queue *base)
{
	struct queue *queue = (struct queue *)base;
	struct sensor_connection *c;

	if (!base)
		return;
	c = queue->c;
	if (sensor_connection_inherited(c)) {
		/* the mapping did not come along, and the descriptor is closed */
		free(queue);
	} else {
		sensor_dispatch_remove(c, &queue->delivery);
		sensor_call_destroy(c, SENSOR_QUEUE_DESTROY, queue->oid);
		sensor_dispatch_free(&queue->delivery);
	}
	sensor_connection_put(c);
}

/* ---- calls ---- */

static enum nnsensors_result queue_enable_sensor(struct nnsensors_event_queue *base, int32_t handle,
						 int32_t sampling_period_us,
						 int64_t max_batch_report_latency_us)
{
	const struct queue *queue = (const struct queue *)base;
	struct nnipc_writer *w;

	if (!base || sampling_period_us < 0 || max_batch_report_latency_us < 0)
		return NNSENSORS_BAD_VALUE;
	w = sensor_call_begin(queue->c);
	if (!w)
		return NNSENSORS_NO_INIT;
	sensor_put_queue_enable(w, &(struct sensor_queue_enable){ handle, sampling_period_us,
								  max_batch_report_latency_us });
	return sensor_call_finish(queue->c, SENSOR_QUEUE_ENABLE, queue->oid);
}

static enum nnsensors_result queue_disable_sensor(struct nnsensors_event_queue *base,
						  int32_t handle)
{
	const struct queue *queue = (const struct queue *)base;
	struct nnipc_writer *w;

	if (!base)
		return NNSENSORS_BAD_VALUE;
	w = sensor_call_begin(queue->c);
	if (!w)
		return NNSENSORS_NO_INIT;
	sensor_put_queue_disable(w, &(struct sensor_queue_disable){ handle });
	return sensor_call_finish(queue->c, SENSOR_QUEUE_DISABLE, queue->oid);
}

static const struct nnsensors_event_queue_ops ops = {
	.size = sizeof(ops),
	.destroy = queue_destroy,
	.enable_sensor = queue_enable_sensor,
	.disable_sensor = queue_disable_sensor,
};

/* ---- the begin ---- */

/* In a call. */
static enum nnsensors_result read_queue(struct sensor_connection *c, struct nnipc_reader *r,
					struct queue *queue)
{
	struct sensor_manager_create_queue_results made;
	int ret;

	sensor_get_manager_create_queue_results(r, &made);
	queue->oid = made.queue;
	queue->delivery.event_fd = nnutil_fd_keep(made.event);
	ret = nnipc_reader_end(r);
	/* something else than a socket could make a thread wait */
	if (!ret && (!queue->oid || made.memory < 0 || queue->delivery.event_fd < 0 ||
		     !nnutil_socket_is(queue->delivery.event_fd, SO_TYPE, SOCK_DGRAM)))
		ret = -EPROTO;
	if (!ret)
		ret = sensor_queue_rings_map(&queue->delivery.rings, made.memory);
	nnipc_fd_close(made.memory);
	if (ret == -ENOMEM)
		return NNSENSORS_NO_MEMORY;
	return ret ? sensor_call_refuse(c, "a queue that cannot be") : NNSENSORS_OK;
}

static enum nnsensors_result call_create(struct sensor_connection *c, struct queue *queue)
{
	enum nnsensors_result result;
	struct nnipc_reader *results;

	if (!sensor_call_begin(c))
		return NNSENSORS_NO_INIT;
	result = sensor_call_run(c, SENSOR_MANAGER_CREATE_QUEUE, 0, &results);
	if (result == NNSENSORS_OK)
		result = read_queue(c, results, queue);
	sensor_call_end(c);
	return result;
}

/* Of the size that the caller knew. False: on_event() is missing. */
static bool copy_callback(struct nnsensors_event_queue_callback *to,
			  const struct nnsensors_event_queue_callback *from)
{
	if (!from || from->size < offsetof(struct nnsensors_event_queue_callback, on_lost))
		return false;
	memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
	return to->on_event;
}

static struct queue *queue_new(const struct nnsensors_event_queue_callback *callback, void *cookie,
			       enum nnsensors_result *result)
{
	struct queue *queue = calloc(1, sizeof(*queue));

	*result = NNSENSORS_NO_MEMORY;
	if (!queue)
		return NULL;
	queue->base.ops = &ops;
	queue->delivery.event_fd = -1;
	queue->delivery.cookie = cookie;
	queue->delivery.free = queue_free;
	if (copy_callback(&queue->delivery.callback, callback))
		return queue;
	free(queue);
	*result = NNSENSORS_BAD_VALUE;
	return NULL;
}

enum nnsensors_result
sensor_event_queue_create(struct sensor_connection *c,
			  const struct nnsensors_event_queue_callback *callback, void *cookie,
			  struct nnsensors_event_queue **base)
{
	enum nnsensors_result result;
	struct queue *queue = queue_new(callback, cookie, &result);

	if (!queue)
		return result;
	result = call_create(c, queue);
	if (result != NNSENSORS_OK) {
		queue_free(&queue->delivery);
		return result;
	}
	queue->c = c;
	/* before its first callback, which the next line allows */
	*base = &queue->base;
	sensor_connection_get(c);
	if (!sensor_dispatch_add(c, &queue->delivery))
		return result;
	*base = NULL;
	sensor_call_destroy(c, SENSOR_QUEUE_DESTROY, queue->oid);
	queue_free(&queue->delivery);
	sensor_connection_put(c);
	return NNSENSORS_NO_MEMORY;
}
