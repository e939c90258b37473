// SPDX-License-Identifier: Apache-2.0
/* The threads that serve lanes, and descriptors that a client calls sockets. */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "messages/nnipc_messages.h"
#include "wire/nnipc_wire.h"
#include "nnutil_file.h"

bool nnipc_is_packet_socket(int fd)
{
	return nnutil_socket_is(fd, SO_DOMAIN, AF_UNIX) &&
	       nnutil_socket_is(fd, SO_TYPE, SOCK_SEQPACKET) &&
	       nnutil_socket_is(fd, SO_ACCEPTCONN, 0);
}

/* From the number of a method to the servant. */

/* A method's number is the kind of its object << 8 and its place in the interface. */
static const struct nnipc_servant *const servants[] = {
	[NNIPC_KIND_DEVICE] = &nnipc_device_servant,
	[NNIPC_KIND_PREPARED_MODEL] = &nnipc_prepared_model_servant,
	[NNIPC_KIND_FENCED_CALLBACK] = &nnipc_fenced_callback_servant,
	[NNIPC_KIND_BURST] = &nnipc_burst_servant,
	[NNIPC_KIND_EXECUTION] = &nnipc_execution_servant,
	[NNIPC_KIND_BUFFER] = &nnipc_buffer_servant,
};
#define NUM_SERVANTS (sizeof(servants) / sizeof(servants[0]))

/* nnipc_handler of the lanes. @device: the vendor's device. Any number of threads. */
static int nnipc_dispatch(void *device, const struct nnipc_header *header, struct nnipc_reader *in,
			  struct nnipc_writer *out)
{
	uint32_t kind = header->method >> 8, place = header->method & 0xff;
	const struct nnipc_servant *servant = kind < NUM_SERVANTS ? servants[kind] : NULL;
	struct nnipc_object *object;
	int ret;

	if (!servant || !place || place > servant->num_calls || !servant->calls[place - 1])
		return -EOPNOTSUPP;
	if (kind == NNIPC_KIND_DEVICE)
		return header->oid ? -ESTALE : servant->calls[place - 1](device, in, out);
	object = nnipc_object_get((enum nnipc_object_kind)kind, header->oid);
	if (!object)
		return -ESTALE;
	ret = servant->calls[place - 1](object->object, in, out);
	nnipc_object_put(object);
	return ret;
}

struct lane {
	int sock;
	struct nnhal_device *device;
	struct lane *prev, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
/* Under lock. */
static struct lane *lanes;
static unsigned int num_lanes;

static void lanes_leave(struct lane *lane)
{
	pthread_mutex_lock(&lock);
	if (lane->next)
		lane->next->prev = lane->prev;
	*(lane->prev ? &lane->prev->next : &lanes) = lane->next;
	close(lane->sock);
	num_lanes--;
	pthread_cond_broadcast(&left);
	pthread_mutex_unlock(&lock);
	free(lane);
}

/* For tests: the reply to a launch has been sent. */
static void replied(uint32_t method)
{
	if (method == NNIPC_DEVICE_PREPARE_MODEL || method == NNIPC_PREPARED_EXECUTE)
		nnipc_fault_point("after-launch-reply");
	else if (method == NNIPC_PREPARED_EXECUTE_FENCED)
		nnipc_fault_point("after-fenced-reply");
}

static void *lanes_serve(void *cookie)
{
	struct lane *lane = cookie;
	struct nnipc_frame in = { 0 };
	struct nnipc_writer out = { 0 };
	int ret;

	do {
		ret = nnipc_lane_answer(lane->sock, nnipc_dispatch, lane->device, &in, &out);
		if (!ret)
			replied(in.header.method);
	} while (!ret);
	if (ret == -EPROTO)
		nnipc_worker_die("the client broke the protocol of a lane");
	if (ret != -EPIPE)
		nnipc_worker_die("a call cannot be answered: %s", strerror(-ret));
	nnipc_frame_fini(&in);
	nnipc_writer_fini(&out);
	lanes_leave(lane);
	return NULL;
}

/* False: there are too many. */
static bool lanes_enter(struct lane *lane)
{
	bool room;

	pthread_mutex_lock(&lock);
	room = num_lanes < NNIPC_MAX_LANES;
	if (room) {
		num_lanes++;
		lane->next = lanes;
		if (lanes)
			lanes->prev = lane;
		lanes = lane;
	}
	pthread_mutex_unlock(&lock);
	return room;
}

void nnipc_lane_start(int sock, struct nnhal_device *device)
{
	struct lane *lane = calloc(1, sizeof(*lane));
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (!lane)
		nnipc_worker_die("no memory for a lane");
	if (!nnipc_is_packet_socket(sock))
		nnipc_worker_die("the client sent a lane that is no packet socket");
	*lane = (struct lane){ .sock = sock, .device = device };
	if (!lanes_enter(lane))
		nnipc_worker_die("the client opened more than %u lanes", NNIPC_MAX_LANES);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&thread, &attr, lanes_serve, lane);
	pthread_attr_destroy(&attr);
	/* the client sees the socket hang up */
	if (ret)
		lanes_leave(lane);
}

void nnipc_lanes_end(void)
{
	pthread_mutex_lock(&lock);
	for (struct lane *lane = lanes; lane; lane = lane->next)
		shutdown(lane->sock, SHUT_RDWR);
	while (num_lanes)
		pthread_cond_wait(&left, &lock);
	pthread_mutex_unlock(&lock);
}
