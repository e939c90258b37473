// SPDX-License-Identifier: Apache-2.0
/* A connection to the sensor service: its opening, its lifetime, its end. */
#include "client/nnsensors_client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "nnutil_text.h"

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

/* ---- opening ---- */

/* The service may wait for hardware. */
#define CALL_MS 30000u
/* a day: more is no limit that anybody waits for */
#define MAX_MS 86400000u

static int connection_open_init(struct sensor_connection *c)
{
	struct epoll_event wake = { .events = EPOLLIN, .data.ptr = NULL };
	/* replies are read by the caller: only the end is of interest */
	struct epoll_event end = { .events = EPOLLRDHUP | EPOLLET, .data.ptr = c };

	c->epoll = nnutil_fd_keep(epoll_create1(EPOLL_CLOEXEC));
	if (c->epoll < 0)
		return -errno;
	c->wake = nnutil_fd_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	if (c->wake < 0 || epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->wake, &wake) ||
	    epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->lane.sock, &end))
		return -errno;
	return sensor_dispatch_start(c);
}

int sensor_connection_open(const char *path, struct sensor_connection **connection, char *message,
			   size_t size)
{
	struct sensor_connection *c;
	int ret;

	/* before the first descriptor: children close it */
	nnutil_process_watch(NULL);
	c = calloc(1, sizeof(*c));
	if (!c)
		return nnutil_refuse(message, size, -ENOMEM, "no memory for a connection");
	c->process = nnutil_process_number();
	c->call_ns =
		(int64_t)nnutil_env_number("NNSENSORS_CALL_MS", MAX_MS, CALL_MS) * NNUTIL_NS_PER_MS;
	c->epoll = c->wake = -1;
	atomic_init(&c->refs, 1);
	pthread_mutex_init(&c->call, NULL);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->idle, NULL);
	c->lane.sock = sensor_service_connect(path, message, size);
	ret = c->lane.sock < 0 ? c->lane.sock : 0;
	if (!ret) {
		ret = connection_open_init(c);
		if (ret)
			nnutil_refuse(message, size, ret,
				      "no thread or descriptors for a connection: %s",
				      strerror(-ret));
	}
	if (ret)
		sensor_connection_free(c);
	else
		*connection = c;
	return ret;
}
