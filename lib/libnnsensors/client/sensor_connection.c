// SPDX-License-Identifier: Apache-2.0
/* Lifetime of a connection to the sensor service, and its end. */
#include "client/nnsensors_client.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "nnutil_log.h"
#include "nnutil_process.h"

void sensor_connection_free(struct sensor_connection *c)
{
	nnutil_fd_close(c->lane.sock);
	c->lane.sock = -1;
	nnipc_lane_fini(&c->lane);
	nnutil_fd_close(c->epoll);
	nnutil_fd_close(c->wake);
	pthread_cond_destroy(&c->idle);
	pthread_mutex_destroy(&c->lock);
	pthread_mutex_destroy(&c->call);
	free(c);
}

void sensor_connection_get(struct sensor_connection *c)
{
	atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
}

void sensor_connection_put(struct sensor_connection *c)
{
	if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) > 1)
		return;
	if (sensor_connection_inherited(c)) {
		/* descriptors are closed already; the lane's memory may be half changed */
		free(c);
		return;
	}
	if (pthread_equal(pthread_self(), c->dispatcher)) {
		/* it frees the connection when it comes back from the callback */
		pthread_detach(c->dispatcher);
		c->orphan = true;
		atomic_store(&c->stop, true);
		return;
	}
	atomic_store(&c->stop, true);
	eventfd_write(c->wake, 1);
	pthread_join(c->dispatcher, NULL);
	sensor_connection_free(c);
}

bool sensor_connection_inherited(const struct sensor_connection *c)
{
	return nnutil_process_inherited(c->process);
}

bool sensor_connection_is_dead(const struct sensor_connection *c)
{
	return sensor_connection_inherited(c) || atomic_load(&c->dead);
}

void sensor_connection_end(struct sensor_connection *c, const char *why)
{
	if (atomic_exchange(&c->dead, true))
		return;
	if (why)
		nnutil_log(NNUTIL_LOG_ERROR, "the connection to the sensor service ends: %s", why);
	/* a call that waits returns; the dispatcher tells the queues */
	shutdown(c->lane.sock, SHUT_RDWR);
	eventfd_write(c->wake, 1);
}
