// SPDX-License-Identifier: Apache-2.0
/*
 * IBurst. The burst's thread waits in the ring of requests; a packet there is a call without a
 * system call. A host that breaks the protocol in a ring gets no answer: the worker ends.
 */
#include "worker/nnipc_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "values/nnhal_values.h"
#include "wire/nnipc_wire.h"
#include "nnutil_clock.h"

/* The memories of a burst that the host names by slot. */

/* The host sends a memory just before, or just after, the packet that needs it. */
#define PATIENCE_NS (10 * NNUTIL_NS_PER_S)

struct burst_slots {
	struct nnhal_memory memories[NNIPC_BURST_SLOTS]; /* fd -1: none */
	bool used[NNIPC_BURST_SLOTS]; /* a client's memory may lack its descriptor */
	struct nnipc_frame frame;
};

static void empty(struct nnhal_memory *memory)
{
	if (memory->fd >= 0)
		close(memory->fd);
	*memory = (struct nnhal_memory){ .fd = -1 };
}

static void burst_slots_init(struct burst_slots *s)
{
	for (uint32_t i = 0; i < NNIPC_BURST_SLOTS; i++) {
		s->memories[i] = (struct nnhal_memory){ .fd = -1 };
		s->used[i] = false;
	}
	s->frame = (struct nnipc_frame){ 0 };
}

/* Closes all memories. */
static void burst_slots_fini(struct burst_slots *s)
{
	for (uint32_t i = 0; i < NNIPC_BURST_SLOTS; i++)
		empty(&s->memories[i]);
	nnipc_frame_fini(&s->frame);
}

static int burst_slots_take(struct burst_slots *s, struct nnipc_reader *in)
{
	struct nnipc_burst_memory m;
	int ret;

	nnipc_get_burst_memory(in, &m);
	ret = nnipc_reader_end(in);
	if (!ret && (!m.memory || m.slot >= NNIPC_BURST_SLOTS))
		ret = -EBADMSG;
	if (ret) {
		nnipc_burst_memory_free(&m);
		return ret;
	}
	empty(&s->memories[m.slot]);
	s->memories[m.slot] = *m.memory;
	s->used[m.slot] = true;
	return 0;
}

/*
 * Receive @count memories from @sock, all of them even if there is no room for one. 0; -EPIPE: the
 * host has closed the burst; -EMFILE: no room for one; another error: the host breaks the protocol.
 */
static int burst_slots_receive(struct burst_slots *s, int sock, uint32_t count)
{
	int lost = 0, ret;

	if (count > NNIPC_BURST_SLOTS)
		return -EBADMSG;
	for (uint32_t i = 0; i < count; i++) {
		ret = nnipc_frame_receive(sock, &s->frame, PATIENCE_NS);
		if (ret && ret != -EMFILE)
			return ret;
		if (s->frame.header.kind != NNIPC_ONEWAY ||
		    s->frame.header.method != NNIPC_BURST_MEMORY)
			return -EPROTO;
		/* those behind it are not for the next request */
		if (ret) {
			lost = ret;
			continue;
		}
		ret = burst_slots_take(s, &s->frame.reader);
		if (ret)
			return ret;
	}
	return lost;
}

/* Empty a slot; false: there is no such slot. */
static bool burst_slots_drop(struct burst_slots *s, uint32_t slot)
{
	if (slot >= NNIPC_BURST_SLOTS)
		return false;
	empty(&s->memories[slot]);
	s->used[slot] = false;
	return true;
}

/* Put the memories of slots into the pools of @request; false: a slot is empty, or none. */
static bool burst_slots_fill(const struct burst_slots *s, struct nnipc_request *request)
{
	/* a list without elements is the vendor library's to refuse */
	for (uint32_t i = 0; request->slots && i < request->request.num_pools; i++) {
		uint32_t slot = request->slots[i];

		if (slot == UINT32_MAX)
			continue;
		if (slot >= NNIPC_BURST_SLOTS || !s->used[slot])
			return false;
		request->pools[i].memory = s->memories[slot];
	}
	return true;
}

struct burst {
	struct nnhal_burst *vendor;
	int sock;
	struct nnipc_ring *requests, *results;
	pthread_t thread;
	/* of the thread */
	struct burst_slots slots;
	struct nnipc_writer out;
};

static atomic_uint num_bursts;

static void burst_put_executed(struct nnipc_writer *out, enum nnhal_status status,
			       struct nnhal_execution_result *result)
{
	const struct nnipc_executed executed = { status, result };

	nnipc_put_executed(out, &executed);
	nnhal_execution_result_clear(result);
}

static enum nnhal_status burst_servant_run(struct nnhal_burst *vendor,
					   const struct nnipc_burst_execute *args,
					   struct nnhal_execution_result *result)
{
	nnipc_fault_point("during-execution");
	return vendor->ops->execute_synchronously(vendor, args->request, args->tokens,
						  args->num_tokens, args->config, args->deadline_ns,
						  result);
}

/* ---- calls in the ring ---- */

/* 0; -EBADMSG: malformed; -EPIPE: the host has closed the burst meanwhile. */
static int execute_packet(struct burst *b, struct nnipc_reader *in)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status;
	struct nnipc_burst_execute a;
	int ret;

	nnipc_get_burst_execute(in, &a);
	ret = nnipc_arguments_end(in, &status);
	/* also without memory for the request: what was sent must not stay in the socket */
	if (!ret)
		ret = burst_slots_receive(&b->slots, b->sock, a.num_memories);
	if (ret == -EMFILE) {
		status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
		ret = 0;
	} else if (!ret && !status && !burst_slots_fill(&b->slots, &a.own_request)) {
		ret = -EBADMSG;
	}
	if (!ret && !status)
		status = burst_servant_run(b->vendor, &a, &result);
	if (!ret)
		burst_put_executed(&b->out, status, &result);
	nnipc_burst_execute_free(&a);
	return ret;
}

static int release_memory_packet(struct burst *b, struct nnipc_reader *in)
{
	struct nnipc_burst_release_memory a;
	int ret;

	nnipc_get_burst_release_memory(in, &a);
	ret = nnipc_reader_end(in);
	if (ret)
		return ret;
	nnipc_put_status(&b->out, b->vendor->ops->release_memory_resource(b->vendor, a.token));
	return a.slot == UINT32_MAX || burst_slots_drop(&b->slots, a.slot) ? 0 : -EBADMSG;
}

static int send_results(struct burst *b, uint32_t method, uint64_t serial)
{
	struct nnhal_execution_result none = NNHAL_EXECUTION_RESULT_INIT;
	int ret = b->out.error;

	if (!ret)
		ret = b->out.size > UINT32_MAX
			      ? -E2BIG
			      : nnipc_ring_put(b->results, b->out.data, (uint32_t)b->out.size);
	if (ret != -E2BIG && ret != -ENOMEM)
		return ret;
	nnhal_message(none.message, "the shapes of the outputs do not fit into the burst's ring");
	nnipc_writer_reset(&b->out);
	nnipc_put_u32(&b->out, method);
	nnipc_put_u64(&b->out, serial);
	burst_put_executed(&b->out, NNHAL_GENERAL_FAILURE, &none);
	return b->out.error ? b->out.error
			    : nnipc_ring_put(b->results, b->out.data, (uint32_t)b->out.size);
}

static int serve_packet(struct burst *b, const uint8_t *packet, uint32_t size)
{
	struct nnipc_reader in;
	uint32_t method;
	uint64_t serial;
	int ret;

	nnipc_reader_init(&in, packet, size, NULL, 0);
	method = nnipc_get_u32(&in);
	serial = nnipc_get_u64(&in);
	nnipc_writer_reset(&b->out);
	nnipc_put_u32(&b->out, method);
	nnipc_put_u64(&b->out, serial);
	if (method == NNIPC_BURST_EXECUTE)
		ret = execute_packet(b, &in);
	else if (method == NNIPC_BURST_RELEASE_MEMORY)
		ret = release_memory_packet(b, &in);
	else
		ret = -EOPNOTSUPP;
	if (ret)
		return ret;
	nnipc_fault_point("burst-before-reply");
	return send_results(b, method, serial);
}

static void *burst_servant_serve(void *cookie)
{
	struct burst *b = cookie;
	const uint8_t *packet;
	uint32_t size;
	int ret;

	do {
		ret = nnipc_ring_get(b->requests, &packet, &size, -1);
		if (!ret)
			ret = serve_packet(b, packet, size);
	} while (!ret);
	/* closed: by the host, or by burst_servant_destroy(), which waits for this thread */
	if (ret != -EPIPE)
		nnipc_worker_die("the client broke the protocol of a burst: %s", strerror(-ret));
	return NULL;
}

/* ---- life ---- */

static void burst_free(struct burst *b)
{
	nnipc_ring_free(b->requests);
	nnipc_ring_free(b->results);
	burst_slots_fini(&b->slots);
	nnipc_writer_fini(&b->out);
	if (b->sock >= 0)
		close(b->sock);
	NNIPC_DESTROY(nnhal_burst_ops, b->vendor);
	free(b);
	atomic_fetch_sub(&num_bursts, 1);
}

static void burst_servant_destroy(void *object)
{
	struct burst *b = object;

	nnipc_ring_close(b->requests);
	nnipc_ring_close(b->results);
	shutdown(b->sock, SHUT_RDWR);
	pthread_join(b->thread, NULL);
	burst_free(b);
}

/* NULL: too many, or no memory. */
static struct burst *burst_new(void)
{
	struct burst *b = NULL;

	if (atomic_fetch_add(&num_bursts, 1) < NNIPC_MAX_BURSTS)
		b = calloc(1, sizeof(*b));
	if (!b) {
		atomic_fetch_sub(&num_bursts, 1);
		return NULL;
	}
	b->sock = -1;
	burst_slots_init(&b->slots);
	return b;
}

/* Give it a number and a thread. */
static enum nnhal_status burst_servant_start(struct burst *b, uint64_t *oid)
{
	if (pthread_create(&b->thread, NULL, burst_servant_serve, b))
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	*oid = nnipc_object_add(NNIPC_KIND_BURST, b, burst_servant_destroy);
	if (*oid)
		return NNHAL_NONE;
	nnipc_ring_close(b->requests);
	pthread_join(b->thread, NULL);
	return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
}

int nnipc_serve_prepared_configure_burst(void *object, struct nnipc_prepared_configure_burst *args,
					 struct nnipc_created *results)
{
	struct nnhal_prepared_model *model = object;
	struct burst *b;
	int ret;

	if (!nnipc_is_packet_socket(args->sock))
		return -EBADMSG;
	results->status = NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	b = burst_new();
	if (!b)
		return 0;
	ret = nnipc_ring_attach(args->requests, &b->requests);
	if (!ret)
		ret = nnipc_ring_attach(args->results, &b->results);
	if (!ret)
		results->status = model->ops->configure_burst(model, &b->vendor);
	if (!ret && !results->status && !nnipc_burst_complete(b->vendor))
		results->status = NNHAL_GENERAL_FAILURE;
	if (!ret && !results->status) {
		b->sock = args->sock;
		args->sock = -1;
		results->status = burst_servant_start(b, &results->oid);
	}
	if (!results->oid)
		burst_free(b);
	return ret == -EINVAL ? -EBADMSG : 0;
}

/* ---- calls on a lane ---- */

int nnipc_serve_burst_execute(void *object, struct nnipc_reader *in, struct nnipc_writer *out)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	struct nnipc_burst_execute a;
	struct burst *b = object;
	enum nnhal_status status;
	int ret;

	nnipc_get_burst_execute(in, &a);
	ret = nnipc_arguments_end(in, &status);
	if (!ret && a.num_memories)
		ret = -EBADMSG;
	for (uint32_t i = 0; a.slots && i < a.request->num_pools && !ret; i++)
		if (!status && a.slots[i] != UINT32_MAX)
			ret = -EBADMSG;
	if (!ret && !status) {
		status = burst_servant_run(b->vendor, &a, &result);
		nnipc_fault_point("before-sync-reply");
	}
	if (!ret)
		burst_put_executed(out, status, &result);
	nnipc_burst_execute_free(&a);
	return ret;
}
