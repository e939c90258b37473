// SPDX-License-Identifier: Apache-2.0
/* Opening a connection to the sensor service. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "client/nnsensors_client.h"
#include "nnutil_clock.h"
#include "nnutil_text.h"
#include "nnutil_process.h"
#include "nnutil_log.h"

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
