// SPDX-License-Identifier: Apache-2.0
/* A client of the service; all clients; and what they may have of it. */
#include "serve/sensord_serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_file.h"
#include "nnutil_text.h"

/* ---- objects ---- */

/* How many objects it has. Its own thread, or under its lock. */
static uint32_t client_objects(const struct sensor_client *client)
{
	uint32_t count = 0;

	for (const struct client_object *o = client->objects; o; o = o->next)
		count++;
	return count;
}

static bool charge_object(struct sensor_client *client, uint64_t bytes)
{
	if (nnipc_budget_take(client->budget, client->peer.payer, BUDGET_OBJECTS, 1))
		return false;
	if (!nnipc_budget_take(client->budget, client->peer.payer, BUDGET_BYTES, bytes))
		return true;
	nnipc_budget_give(client->budget, client->peer.payer, BUDGET_OBJECTS, 1);
	return false;
}

static void discharge_object(struct sensor_client *client, uint64_t bytes)
{
	nnipc_budget_give(client->budget, client->peer.payer, BUDGET_BYTES, bytes);
	nnipc_budget_give(client->budget, client->peer.payer, BUDGET_OBJECTS, 1);
}

struct client_object *client_object_add(struct sensor_client *client, enum object_kind kind,
					uint64_t bytes)
{
	struct client_object *o;

	if (client_objects(client) >= client->config->limits.objects ||
	    !charge_object(client, bytes))
		return NULL;
	o = calloc(1, sizeof(*o));
	if (!o) {
		discharge_object(client, bytes);
		return NULL;
	}
	o->oid = ++client->last_oid;
	o->kind = kind;
	o->bytes = bytes;
	o->sensors = (struct enabled_sensors){
		.lock = &client->lock,
		.budget = client->budget,
		.payer = client->peer.payer,
	};
	pthread_mutex_lock(&client->lock);
	o->next = client->objects;
	client->objects = o;
	pthread_mutex_unlock(&client->lock);
	return o;
}

struct client_object *client_object_find(struct sensor_client *client, uint64_t oid,
					 enum object_kind kind)
{
	struct client_object *o = client->objects;

	while (o && (o->oid != oid || o->kind != kind))
		o = o->next;
	return o;
}

/* Events so far. Under the lock. */
static void count_events(const struct client_object *o, uint64_t *delivered, uint64_t *lost)
{
	*delivered = *lost = 0;
	if (o->kind == OBJECT_QUEUE && o->queue)
		queue_sink_count(o->queue, delivered, lost);
	if (o->kind == OBJECT_CHANNEL && o->channel)
		*delivered = channel_sink_delivered(o->channel);
}

void client_object_destroy(struct sensor_client *client, struct client_object *object)
{
	struct client_object **at = &client->objects;
	uint64_t delivered, lost;

	enabled_sensors_stop_all(&object->sensors);
	pthread_mutex_lock(&client->lock);
	count_events(object, &delivered, &lost);
	client->past_delivered += delivered;
	client->past_lost += lost;
	while (*at != object)
		at = &(*at)->next;
	*at = object->next;
	pthread_mutex_unlock(&client->lock);
	if (object->kind == OBJECT_QUEUE && object->queue)
		queue_sink_destroy(object->queue);
	if (object->kind == OBJECT_CHANNEL && object->channel)
		channel_sink_destroy(object->channel);
	discharge_object(client, object->bytes);
	free(object);
}

int sensor_client_make_queue(struct sensor_client *client, struct queue_sink **queue,
			     int *memory_fd, int *event_fd)
{
	const int ret = client->waker ? 0 : waker_get(client->peer.payer, &client->waker);

	return ret ? ret : queue_sink_create(queue, client->waker, memory_fd, event_fd);
}

/* Whether the client may enable one more sensor. Those that have ended are no longer its. */
static bool may_enable(struct sensor_client *client)
{
	uint32_t count = 0;

	for (struct client_object *o = client->objects; o; o = o->next)
		enabled_sensors_sweep(&o->sensors);
	pthread_mutex_lock(&client->lock);
	for (const struct client_object *o = client->objects; o; o = o->next)
		count += enabled_sensors_count(&o->sensors);
	pthread_mutex_unlock(&client->lock);
	return count < client->config->limits.sensors;
}

enum nnsensors_result client_object_enable(struct sensor_client *client, struct client_object *o,
					   struct enabled_sensor *entry, struct sensor *sensor,
					   int32_t token, int64_t period_ns, int64_t latency_ns)
{
	struct sink *sink = o->kind == OBJECT_QUEUE ? queue_sink(o->queue)
						    : channel_sink(o->channel);

	if (entry) {
		/* it has a reference of its own */
		device_put(sensor->device);
		return nnsensors_result_of(
			enabled_sensors_change(&o->sensors, entry, period_ns, latency_ns));
	}
	if (!may_enable(client)) {
		device_put(sensor->device);
		return NNSENSORS_NO_MEMORY;
	}
	return nnsensors_result_of(
		enabled_sensors_start(&o->sensors, sensor, sink, token, period_ns, latency_ns));
}

/* What GET_CLIENTS says of a client. */
static void client_describe(struct sensor_client *client, struct nnsensors_client *d)
{
	*d = (struct nnsensors_client){
		.size = sizeof(*d),
		.pid = client->peer.pid,
		.uid = client->peer.user,
	};
	memcpy(d->comm, client->comm, sizeof(d->comm));
	pthread_mutex_lock(&client->lock);
	d->delivered = client->past_delivered;
	d->lost = client->past_lost;
	for (const struct client_object *o = client->objects; o; o = o->next) {
		uint64_t delivered, lost;

		count_events(o, &delivered, &lost);
		d->delivered += delivered;
		d->lost += lost;
		d->queues += o->kind == OBJECT_QUEUE;
		d->channels += o->kind == OBJECT_CHANNEL;
		d->sensors += enabled_sensors_count(&o->sensors);
	}
	pthread_mutex_unlock(&client->lock);
}

/* ---- the client ---- */

/* The name that the process gives itself: nothing that a terminal would obey. */
static void read_comm(struct sensor_client *client)
{
	char path[64];
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)client->peer.pid);
	if (nnutil_read_file(path, 4096, &text, NULL))
		return;
	text[strcspn(text, "\n")] = '\0';
	nnutil_text_clean(text);
	snprintf(client->comm, sizeof(client->comm), "%s", text);
	free(text);
}

int sensor_client_init(struct sensor_client *client, const struct sensord_config *config,
		       struct nnipc_budget *budget, const struct nnipc_peer *peer)
{
	int ret;

	*client = (struct sensor_client){ .config = config, .budget = budget, .peer = *peer };
	ret = person_identify(&client->person, peer->sock, peer->user, peer->group);
	if (ret)
		return ret;
	read_comm(client);
	pthread_mutex_init(&client->lock, NULL);
	return 0;
}

void sensor_client_clear(struct sensor_client *client)
{
	while (client->objects)
		client_object_destroy(client, client->objects);
}

void sensor_client_fini(struct sensor_client *client)
{
	if (client->waker)
		waker_put(client->waker);
	person_fini(&client->person);
	pthread_mutex_destroy(&client->lock);
}

/* ---- all clients ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the two below */
static struct sensor_client *clients;
static uint32_t num_clients;

void client_registry_add(struct sensor_client *client)
{
	pthread_mutex_lock(&lock);
	client->next = clients;
	clients = client;
	num_clients++;
	pthread_mutex_unlock(&lock);
}

void client_registry_remove(struct sensor_client *client)
{
	struct sensor_client **at = &clients;

	pthread_mutex_lock(&lock);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	num_clients--;
	pthread_mutex_unlock(&lock);
}

int client_registry_list(uint32_t user, uint32_t max, struct nnsensors_client **list,
			 uint32_t *count)
{
	int ret = 0;

	*count = 0;
	pthread_mutex_lock(&lock);
	*list = calloc(num_clients + 1, sizeof(**list));
	if (!*list)
		ret = -ENOMEM;
	for (struct sensor_client *c = clients; !ret && c && *count < max; c = c->next)
		if (!user || c->peer.user == user)
			client_describe(c, &(*list)[(*count)++]);
	pthread_mutex_unlock(&lock);
	return ret;
}

/* ---- what they may have ---- */

/* Objects in all, for each of a user: bytes and descriptors bound them. */
#define USERS 8u
#define MIB (1ull << 20)

void client_budget_init(struct nnipc_budget *budget, const struct sensord_limits *limits)
{
	const struct nnipc_budget_limit kinds[BUDGET_KINDS] = {
		[BUDGET_OBJECTS] = { (uint64_t)USERS * limits->objects_per_user,
				     limits->objects_per_user },
		[BUDGET_BYTES] = { limits->memory * MIB, limits->memory_per_user * MIB },
		[BUDGET_EVENTS] = { limits->events, limits->events_per_user },
	};

	nnipc_budget_init(budget, kinds, BUDGET_KINDS);
}
