/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the proxies share. A proxy implements one interface of nnhal.h where the caller is, belongs
 * to one generation, and owns one reference to an object of the worker.
 */
#ifndef NNIPC_PROXY_H
#define NNIPC_PROXY_H

#include "host/connection.h"
#include "nnhal.h"

/** The head of every proxy but the device's. */
struct nnipc_proxy {
	struct nnipc_connection *c; /* a reference */
	uint64_t oid;
};
/** Takes a reference to @c. */
void nnipc_proxy_init(struct nnipc_proxy *p, struct nnipc_connection *c, uint64_t oid);
/** Sends the release, drops the reference. Not of inherited proxies. */
void nnipc_proxy_fini(struct nnipc_proxy *p);

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

/* Each makes a proxy of the object @oid; NULL: no memory, and the object is released. */
struct nnhal_prepared_model *nnipc_prepared_model_proxy(struct nnipc_connection *c, uint64_t oid);
struct nnhal_fenced_callback *nnipc_fenced_callback_proxy(struct nnipc_connection *c, uint64_t oid);
struct nnhal_execution *nnipc_execution_proxy(struct nnipc_connection *c, uint64_t oid);
struct nnhal_buffer *nnipc_buffer_proxy(struct nnipc_connection *c, uint64_t oid);
/** Configures the burst itself: it makes the rings. */
enum nnhal_status nnipc_burst_proxy(struct nnipc_connection *c, uint64_t prepared_oid,
				    struct nnhal_burst **burst);

/** The number of a prepared model of the generation @c; 0: foreign, NULL, or of another one. */
uint64_t nnipc_prepared_model_oid(const struct nnhal_prepared_model *model,
				  const struct nnipc_connection *c);

/**
 * The common end of executeFenced: reads status, fence and oid of the reply. A fence is checked: it
 * is a sync_file or a fence of nnutil_fence.h, else the worker is blamed.
 */
enum nnhal_status nnipc_fenced_reply(struct nnipc_connection *c, struct nnipc_lane *lane,
				     int *sync_fence, struct nnhal_fenced_callback **callback);

#endif
