/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a request. Private to libnnhal. */
#ifndef NNHAL_REQUEST_H
#define NNHAL_REQUEST_H

#include "device/prepared_model.h"
#include "execute/burst_memories.h"

/** A pool of a request, as validation and binding see it. */
struct nnhal_pool {
	bool read, write; /* used by inputs, by outputs */
	struct nnhal_identity id; /* of memory */
	struct nnhal_buf *buffer; /* held; NULL: memory */
	struct nnhal_import *import; /* held; NULL: not used, or a buffer */
};

/** A request while it is checked and bound. */
struct nnhal_request_state {
	const struct nnhal_pm *pm;
	const struct nnhal_request *request;
	struct nnhal_pool *pools; /* request->num_pools of them */
	struct nnhal_memories *memories; /* of a burst; NULL: none */
	const int64_t *tokens; /* with them: one per pool */
	bool complete; /* out: every output's shape is known */
};

/**
 * Check the request against the model and fill state->pools. NONE; INVALID_ARGUMENT with @message.
 * Buffers that were found are held in state->pools, on failure as well.
 */
enum nnhal_status nnhal_request_check(struct nnhal_request_state *state, char *message);
/**
 * The shape that model, request and buffer (NULL: memory) define together. Returns whether it is
 * complete.
 */
bool nnhal_io_shape(const struct nnhal_io *io, const struct nnhal_request_argument *arg,
		    const struct nnhal_buf *buffer, uint32_t *rank, uint32_t dims[NNPROG_MAX_RANK]);

#endif
