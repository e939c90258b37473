// SPDX-License-Identifier: Apache-2.0
#include "serve/sensord_serve.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

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
			sensor_client_describe(c, &(*list)[(*count)++]);
	pthread_mutex_unlock(&lock);
	return ret;
}
