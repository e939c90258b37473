// SPDX-License-Identifier: Apache-2.0
/*
 * IBurst of another process. An execution is a packet in a ring of shared memory and an answer in
 * another: no system call but the wake-ups. Memory travels once, on a socket of the burst, and has
 * a slot in the worker from then on. An execution that does not fit is a call on a lane.
 *
 * The client may release a memory while an execution runs, and must not wait for it: the release
 * goes to a list then, and the thread that has the ring sends the list.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "host/nnipc_host.h"
#include "messages/nnipc_messages.h"
#include "nntrace.h"
#include "nnutil_process.h"
#include "values/nnhal_values.h"

/* A packet of this size always fits into an empty ring, wherever it begins. */
#define MAX_PACKET (NNIPC_BURST_RING / 2)
/* As many messages fit into the buffer of the socket, so that sending them never waits. */
#define MAX_FRESH 64u

struct burst_proxy_release {
	struct burst_proxy_release *next;
	int64_t token;
};

struct burst {
	struct nnhal_burst base;
	struct nnipc_proxy p;
	atomic_bool busy; /* an execution is in flight */

	pthread_mutex_t lock; /* of the rings and of all up to @watched; taken before the next */
	struct nnipc_slot_map slots;
	struct nnipc_writer packet, message;
	uint64_t serial; /* of the last packet */
	int sock; /* for memory */
	uint32_t unannounced; /* memories that were sent, but not counted in a packet */
	struct nnipc_watched_rings watched; /* requests, results */

	pthread_mutex_t releases_lock; /* of the next */
	struct burst_proxy_release *releases;
};

/* ---- packets ---- */

static void begin_packet(struct burst *b, uint32_t method)
{
	nnipc_writer_reset(&b->packet);
	nnipc_put_u32(&b->packet, method);
	nnipc_put_u64(&b->packet, ++b->serial);
}

/* Send the packet and wait for its answer. @reader: behind method and serial. */
static int exchange(struct burst *b, uint32_t method, int64_t limit_ns, struct nnipc_reader *reader)
{
	struct nnipc_connection *c = b->p.c;
	const uint8_t *answer;
	uint32_t size;
	int error;

	if (b->packet.error)
		return b->packet.error;
	error = nnipc_ring_put(b->watched.rings[0], b->packet.data, (uint32_t)b->packet.size);
	if (error == -EPIPE)
		return error;
	if (error) /* it was empty */
		return nnipc_connection_protocol_error(
			c, "the ring of a burst has impossible indices");
	b->unannounced = 0;
	error = nnipc_ring_get(b->watched.rings[1], &answer, &size, limit_ns);
	if (error == -EPIPE)
		return error;
	if (error == -ETIME)
		return nnipc_connection_protocol_error(c, "a burst did not answer in time");
	/* the answer stays in the ring, so nothing can follow it */
	if (error == -ENOMEM)
		return nnipc_connection_protocol_error(c, "no memory for the answer of a burst");
	if (error)
		return nnipc_connection_protocol_error(
			c, "the ring of a burst has impossible indices");
	nnipc_reader_init(reader, answer, size, NULL, 0);
	if (nnipc_get_u32(reader) != method || nnipc_get_u64(reader) != b->serial)
		return nnipc_connection_protocol_error(c, "burst reply with an unknown serial");
	return 0;
}

/* ---- releases ---- */

/* Under the lock. */
static enum nnhal_status send_release(struct burst *b, int64_t token)
{
	const struct nnipc_burst_release_memory release = {
		.token = token,
		.slot = nnipc_slot_map_release(&b->slots, token),
	};
	struct nnipc_reader reader;
	int error;

	begin_packet(b, NNIPC_BURST_RELEASE_MEMORY);
	nnipc_put_burst_release_memory(&b->packet, &release);
	error = exchange(b, NNIPC_BURST_RELEASE_MEMORY,
			 nnipc_limit_ns(NNIPC_LIMIT_CALL, NNHAL_NO_TIME), &reader);
	if (error)
		return nnipc_proxy_failed(b->p.c, error, NULL);
	return nnipc_proxy_reply_status(b->p.c, &reader, NNIPC_BURST_RELEASE_MEMORY, NULL);
}

/* Under the lock: the client has got its answer to them. */
static void send_releases(struct burst *b)
{
	struct burst_proxy_release *list, *r;

	pthread_mutex_lock(&b->releases_lock);
	list = b->releases;
	b->releases = NULL;
	pthread_mutex_unlock(&b->releases_lock);
	while ((r = list)) {
		list = r->next;
		send_release(b, r->token);
		free(r);
	}
}

static bool has_releases(struct burst *b)
{
	bool has;

	pthread_mutex_lock(&b->releases_lock);
	has = b->releases;
	pthread_mutex_unlock(&b->releases_lock);
	return has;
}

/* Give the lock back. No other thread sends a release that came while it was held. */
static void unlock(struct burst *b)
{
	do {
		send_releases(b);
		pthread_mutex_unlock(&b->lock);
	} while (has_releases(b) && !pthread_mutex_trylock(&b->lock));
}

static enum nnhal_status burst_proxy_release(struct burst *b, int64_t token)
{
	enum nnhal_status status;
	struct burst_proxy_release *r;

	if (pthread_mutex_trylock(&b->lock)) {
		if (nnipc_connection_is_dead(b->p.c))
			return NNHAL_DEAD_OBJECT;
		r = malloc(sizeof(*r));
		if (!r)
			return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
		r->token = token;
		pthread_mutex_lock(&b->releases_lock);
		r->next = b->releases;
		b->releases = r;
		pthread_mutex_unlock(&b->releases_lock);
		if (!pthread_mutex_trylock(&b->lock))
			unlock(b);
		return NNHAL_NONE;
	}
	status = send_release(b, token);
	unlock(b);
	return status;
}

/* ---- executions ---- */

static enum nnhal_status run_on_lane(struct burst *b, struct nnipc_burst_execute *e,
				     struct nnhal_execution_result *result)
{
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, b->p.c, NNIPC_BURST_EXECUTE, b->p.oid, e->deadline_ns,
				   result->message);
	if (status)
		return status;
	e->num_memories = 0;
	e->slots = NULL;
	nnipc_put_burst_execute(&call.lane->out, e);
	return nnipc_proxy_end_result(&call, e->deadline_ns, e->request->num_outputs, result);
}

/* Whether the worker has read what it had to: else a message could wait for ever to be sent. */
static bool drained(const struct burst *b)
{
	int bytes = 0;

	return b->unannounced || (!ioctl(b->sock, SIOCOUTQ, &bytes) && bytes == 0);
}

/* -E2BIG: a descriptor is not open. Without one there is no slot, and the vendor library judges. */
static int send_memories(struct burst *b, const struct nnhal_request *request)
{
	const struct nnipc_header header = { .kind = NNIPC_ONEWAY, .method = NNIPC_BURST_MEMORY };
	struct nnipc_burst_memory message;
	int error = 0;

	if (!drained(b))
		return nnipc_connection_protocol_error(b->p.c, "a burst does not take its memory");
	for (uint32_t i = 0; i < request->num_pools && !error; i++) {
		if (!b->slots.fresh[i])
			continue;
		nnipc_writer_reset(&b->message);
		message.slot = b->slots.numbers[i];
		message.memory = &request->pools[i].memory;
		nnipc_put_burst_memory(&b->message, &message);
		if (!b->message.error && !b->message.num_fds)
			return -E2BIG;
		error = nnipc_frame_send(b->sock, &header, &b->message);
		if (!error)
			b->unannounced++;
	}
	return error;
}

/* Slots are assigned. -E2BIG: the request does not fit, and no packet was sent. */
static int run_in_ring(struct burst *b, struct nnipc_burst_execute *e, uint32_t num_fresh,
		       struct nnipc_reader *reader)
{
	int error;

	begin_packet(b, NNIPC_BURST_EXECUTE);
	e->num_memories = b->unannounced + num_fresh;
	e->slots = b->slots.numbers;
	nnipc_put_burst_execute(&b->packet, e);
	if (e->num_memories > MAX_FRESH || b->packet.size > MAX_PACKET)
		return -E2BIG;
	error = b->packet.error;
	if (!error && num_fresh)
		error = send_memories(b, e->request);
	return error ? error
		     : exchange(b, NNIPC_BURST_EXECUTE,
				nnipc_limit_ns(NNIPC_LIMIT_WORK, e->deadline_ns), reader);
}

/* Under the lock. */
static enum nnhal_status burst_proxy_run(struct burst *b, struct nnipc_burst_execute *e,
					 struct nnhal_execution_result *result)
{
	struct nnipc_reader reader;
	enum nnhal_status status;
	uint32_t num_fresh;
	int error;

	error = nnipc_slot_map_assign(&b->slots, e->request, e->tokens, &num_fresh);
	if (error == -ENOSPC)
		return run_on_lane(b, e, result);
	if (error)
		return nnipc_proxy_failed(b->p.c, error, result->message);
	error = run_in_ring(b, e, num_fresh, &reader);
	if (error == -E2BIG) {
		nnipc_slot_map_settle(&b->slots, false);
		return run_on_lane(b, e, result);
	}
	if (error)
		status = nnipc_proxy_failed(b->p.c, error, result->message);
	else
		status = nnipc_proxy_reply_result(b->p.c, &reader, NNIPC_BURST_EXECUTE,
						  e->request->num_outputs, result);
	nnipc_slot_map_settle(&b->slots, status == NNHAL_NONE);
	return status;
}

static enum nnhal_status burst_proxy_check(struct nnipc_burst_execute *e,
					   struct nnhal_request *older_request,
					   struct nnhal_execution_config *older_config,
					   char *message)
{
	enum nnhal_status status;

	status = nnipc_check_execution_config(&e->config, older_config, message);
	if (!status)
		status = nnipc_check_request(&e->request, older_request, message);
	if (!status)
		status = nnipc_check_tokens(e->request, e->tokens, e->num_tokens, message);
	return status;
}

static void burst_proxy_put(struct burst *b);

static enum nnhal_status burst_proxy_execute(struct burst *b, struct nnipc_burst_execute *e,
					     struct nnhal_execution_result *result)
{
	struct nnhal_execution_config older_config;
	struct nnhal_request older_request;
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&b->p))
		return nnhal_dead(result->message);
	status = burst_proxy_check(e, &older_request, &older_config, result->message);
	if (status)
		return status;
	if (atomic_exchange_explicit(&b->busy, true, memory_order_acquire))
		return nnhal_refuse(result->message, NNHAL_GENERAL_FAILURE,
				    "an execution is in flight on this burst: wait for its end, "
				    "or use another burst");
	nnipc_proxy_get(&b->p);
	pthread_mutex_lock(&b->lock);
	send_releases(b);
	status = burst_proxy_run(b, e, result);
	unlock(b);
	atomic_store_explicit(&b->busy, false, memory_order_release);
	burst_proxy_put(b);
	return status;
}

static enum nnhal_status execute_synchronously(struct nnhal_burst *base,
					       const struct nnhal_request *request,
					       const int64_t *tokens, uint32_t num_tokens,
					       const struct nnhal_execution_config *config,
					       int64_t deadline_ns,
					       struct nnhal_execution_result *given)
{
	NNTRACE_NAME_1("HIDL::IBurst::executeSynchronously::client");
	struct nnipc_burst_execute e = {
		.request = request,
		.tokens = tokens,
		.num_tokens = num_tokens,
		.config = config,
		.deadline_ns = deadline_ns,
	};
	struct nnhal_execution_result result;
	enum nnhal_status status;

	if (!nnhal_result_known(given, &result))
		return NNHAL_INVALID_ARGUMENT;
	nnhal_result_init(&result);
	status = burst_proxy_execute((struct burst *)base, &e, &result);
	nnhal_result_put(given, &result);
	return status;
}

static enum nnhal_status release_memory_resource(struct nnhal_burst *base, int64_t token)
{
	struct burst *b = (struct burst *)base;
	enum nnhal_status status;

	if (nnipc_proxy_inherited(&b->p))
		return NNHAL_DEAD_OBJECT;
	if (token < -1)
		return NNHAL_INVALID_ARGUMENT;
	if (token == -1)
		return NNHAL_NONE;
	nnipc_proxy_get(&b->p);
	status = burst_proxy_release(b, token);
	burst_proxy_put(b);
	return status;
}

/* ---- lifetime ---- */

/* All but the proxy's part. */
static void free_burst(struct burst *b)
{
	struct burst_proxy_release *r;

	while ((r = b->releases)) {
		b->releases = r->next;
		free(r);
	}
	for (int i = 0; i < 2; i++)
		nnipc_ring_free(b->watched.rings[i]);
	nnutil_fd_close(b->sock);
	nnipc_writer_fini(&b->packet);
	nnipc_writer_fini(&b->message);
	nnipc_slot_map_fini(&b->slots);
	pthread_mutex_destroy(&b->releases_lock);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

static void burst_proxy_put(struct burst *b)
{
	if (!nnipc_proxy_last(&b->p))
		return;
	nnipc_connection_unwatch(b->p.c, &b->watched);
	/* the worker's thread leaves */
	nnipc_ring_close(b->watched.rings[0]);
	nnipc_ring_close(b->watched.rings[1]);
	nnipc_proxy_fini(&b->p);
	free_burst(b);
}

static void burst_proxy_destroy(struct nnhal_burst *base)
{
	struct burst *b = (struct burst *)base;

	if (!nnipc_proxy_inherited(&b->p))
		burst_proxy_put(b);
}

static const struct nnhal_burst_ops burst_ops = {
	.size = sizeof(burst_ops),
	.destroy = burst_proxy_destroy,
	.execute_synchronously = execute_synchronously,
	.release_memory_resource = release_memory_resource,
};

/* @theirs: socket, rings. */
static struct burst *new_burst(int theirs[3], int *error)
{
	struct burst *b = calloc(1, sizeof(*b));
	int sockets[2];

	theirs[0] = theirs[1] = theirs[2] = -1;
	*error = -ENOMEM;
	if (!b)
		return NULL;
	b->base.ops = &burst_ops;
	atomic_init(&b->busy, false);
	pthread_mutex_init(&b->lock, NULL);
	pthread_mutex_init(&b->releases_lock, NULL);
	nnipc_slot_map_init(&b->slots);
	b->sock = -1;
	*error = nnipc_socket_pair(sockets);
	if (!*error) {
		b->sock = nnutil_fd_keep(sockets[0]);
		theirs[0] = nnutil_fd_keep(sockets[1]);
	}
	for (int i = 0; i < 2 && !*error; i++) {
		*error = nnipc_ring_create(NNIPC_BURST_RING, &theirs[i + 1], &b->watched.rings[i]);
		if (!*error)
			nnutil_fd_keep(theirs[i + 1]);
	}
	if (!*error)
		return b;
	for (int i = 0; i < 3; i++)
		nnutil_fd_close(theirs[i]);
	free_burst(b);
	return NULL;
}

static enum nnhal_status burst_proxy_configure(struct nnipc_connection *c, uint64_t prepared_oid,
					       const int theirs[3], uint64_t *oid)
{
	const struct nnipc_prepared_configure_burst ends = { theirs[0], theirs[1], theirs[2] };
	struct nnipc_proxy_call call;
	enum nnhal_status status;

	status = nnipc_proxy_begin(&call, c, NNIPC_PREPARED_CONFIGURE_BURST, prepared_oid,
				   NNHAL_NO_TIME, NULL);
	if (status)
		return status;
	nnipc_put_prepared_configure_burst(&call.lane->out, &ends);
	return nnipc_proxy_end_object(&call, oid);
}

enum nnhal_status nnipc_burst_proxy(struct nnipc_connection *c, uint64_t prepared_oid,
				    struct nnhal_burst **burst)
{
	enum nnhal_status status;
	int theirs[3], error;
	struct burst *b;
	uint64_t oid;

	*burst = NULL;
	b = new_burst(theirs, &error);
	if (!b)
		return nnipc_proxy_failed(c, error, NULL);
	status = burst_proxy_configure(c, prepared_oid, theirs, &oid);
	for (int i = 0; i < 3; i++)
		nnutil_fd_close(theirs[i]);
	if (!status) {
		error = nnipc_connection_watch(c, &b->watched);
		if (error) {
			nnipc_connection_release(c, oid);
			status = nnipc_proxy_failed(c, error, NULL);
		}
	}
	if (status) {
		free_burst(b);
		return status;
	}
	nnipc_proxy_init(&b->p, c, oid);
	*burst = &b->base;
	return NNHAL_NONE;
}
