/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the proxies share. A proxy implements one interface of nnhal.h where the caller is, belongs
 * to one generation, and owns one reference to an object of the worker.
 */
#ifndef NNIPC_PROXY_H
#define NNIPC_PROXY_H

#include <stdatomic.h>

#include "host/connection.h"
#include "nnhal.h"

/**
 * What every proxy but the device's has behind its operations. A call holds a reference while it
 * runs, so that the release reaches the worker after the call, also if the client destroys the
 * proxy meanwhile.
 */
struct nnipc_proxy {
	struct nnipc_connection *c; /* a reference */
	uint64_t oid;
	atomic_uint refs; /* the client's, one per call in progress */
};
/** Takes a reference to @c. The proxy has one reference. */
void nnipc_proxy_init(struct nnipc_proxy *p, struct nnipc_connection *c, uint64_t oid);
void nnipc_proxy_get(struct nnipc_proxy *p);
/** Drop a reference. True: it was the last, nnipc_proxy_fini() has run, and the caller frees. */
bool nnipc_proxy_put(struct nnipc_proxy *p);
/** Sends the release, drops the reference to the connection. Not of inherited proxies. */
void nnipc_proxy_fini(struct nnipc_proxy *p);
/** nnipc_proxy_put() for those with something to do before nnipc_proxy_fini(), which is theirs. */
bool nnipc_proxy_last(struct nnipc_proxy *p);
static inline bool nnipc_proxy_inherited(const struct nnipc_proxy *p)
{
	return nnipc_connection_inherited(p->c);
}

/**
 * The status of a call that did not get through. @error: of nnipc_call(), nnipc_connection_lane()
 * or nnipc_reader_end(); @message may be NULL, else NNHAL_MESSAGE bytes.
 *
 *	-EPIPE, dead or inherited			DEAD_OBJECT
 *	-ENOMEM, -EMFILE, -ENFILE, -ETOOMANYREFS	RESOURCE_EXHAUSTED_TRANSIENT
 *	-E2BIG						RESOURCE_EXHAUSTED_PERSISTENT
 *	all others					GENERAL_FAILURE
 */
enum nnhal_status nnipc_proxy_failed(struct nnipc_connection *c, int error, char *message);

/**
 * The end of a reply from the worker. A reply that is malformed, or not @plausible, is a protocol
 * error. @message as above.
 */
enum nnhal_status nnipc_proxy_reply_end(struct nnipc_connection *c, const struct nnipc_reader *in,
					bool plausible, uint32_t method, char *message);
/** The whole reply is a status. @message as above; it is written if the call failed. */
enum nnhal_status nnipc_proxy_reply_status(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, char *message);
/**
 * The whole rest is a status and the result of an execution with @num_outputs outputs. @result:
 * initialised, of this library's size; on a failure it has a message and nothing else.
 */
enum nnhal_status nnipc_proxy_reply_result(struct nnipc_connection *c, struct nnipc_reader *in,
					   uint32_t method, uint32_t num_outputs,
					   struct nnhal_execution_result *result);
/** No time is negative but NNHAL_NO_TIME. */
bool nnipc_proxy_plausible_timing(const struct nnhal_timing *t);

/**
 * A call: nnipc_proxy_begin(), arguments, and one of the ends, which send them, wait, read the
 * whole reply and give the lane back. Where none of them fits: nnipc_proxy_send(), and
 * nnipc_proxy_end() whatever came of it.
 */
struct nnipc_proxy_call {
	struct nnipc_connection *c;
	struct nnipc_lane *lane; /* the arguments go into @out; the reply comes into @in */
	uint32_t method;
	uint64_t oid;
	char *message; /* as above */
};
/**
 * NONE; else there is no lane, and nothing to end. @oid 0: the device. @deadline_ns: of
 * nnipc_connection_lane().
 */
enum nnhal_status nnipc_proxy_begin(struct nnipc_proxy_call *call, struct nnipc_connection *c,
				    uint32_t method, uint64_t oid, int64_t deadline_ns,
				    char *message);
/** NONE: the reply is there. The limit: of nnipc_call(). */
enum nnhal_status nnipc_proxy_send(struct nnipc_proxy_call *call, enum nnipc_limit limit,
				   int64_t deadline_ns);
void nnipc_proxy_end(struct nnipc_proxy_call *call);

/** Of all that make an object, without work: status, and its oid if and only if that is NONE. */
enum nnhal_status nnipc_proxy_end_object(struct nnipc_proxy_call *call, uint64_t *oid);
/** Of all executeSynchronously: as nnipc_proxy_reply_result(). The call's message is @result's. */
enum nnhal_status nnipc_proxy_end_result(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 uint32_t num_outputs,
					 struct nnhal_execution_result *result);
/**
 * Of all executeFenced: status, fence and oid. A fence is checked: it is a sync_file or a fence of
 * nnutil_fence.h, else it is a protocol error.
 */
enum nnhal_status nnipc_proxy_end_fenced(struct nnipc_proxy_call *call, int64_t deadline_ns,
					 int *sync_fence, struct nnhal_fenced_callback **callback);

/* Each makes a proxy of the object @oid; NULL: no memory, and the object is released. */
struct nnhal_prepared_model *nnipc_prepared_model_proxy(struct nnipc_connection *c, uint64_t oid);
/** @fence stays the caller's; -1: the execution has ended. */
struct nnhal_fenced_callback *nnipc_fenced_callback_proxy(struct nnipc_connection *c, uint64_t oid,
							  int fence);
/** @num_outputs: of its request. */
struct nnhal_execution *nnipc_execution_proxy(struct nnipc_connection *c, uint64_t oid,
					      uint32_t num_outputs);
struct nnhal_buffer *nnipc_buffer_proxy(struct nnipc_connection *c, uint64_t oid);
/** Configures the burst itself: it makes the rings. */
enum nnhal_status nnipc_burst_proxy(struct nnipc_connection *c, uint64_t prepared_oid,
				    struct nnhal_burst **burst);

/** The number of a prepared model of the generation @c; 0: foreign, NULL, or of another one. */
uint64_t nnipc_prepared_model_oid(const struct nnhal_prepared_model *model,
				  const struct nnipc_connection *c);

#endif
