// SPDX-License-Identifier: Apache-2.0
/*
 * IBurst. A burst has the memories that its client numbered, and one binding whose arrays it fills
 * for each request: an execution on known memories is one SUBMIT and one wait, and allocates
 * nothing. A request is checked as any other.
 */
#include "execute/nnhal_execute.h"

#include <stdlib.h>

#include "base/nnhal_base.h"
#include "values/nnhal_values.h"

struct burst {
	struct nnhal_burst base;
	atomic_uint refs; /* user, an execution in flight */
	atomic_bool busy;
	struct nnhal_memories memories;
	struct nnhal_binding *binding; /* of the execution in flight */
};

static void burst_put(struct burst *b)
{
	if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnhal_memories_fini(&b->memories);
	nnhal_unbind(b->binding); /* last: it holds the device */
	free(b);
}

static void burst_destroy(struct nnhal_burst *base)
{
	struct burst *b = (struct burst *)base;

	if (!nnhal_inherited(b->binding->pm->dev))
		burst_put(b);
}

static enum nnhal_status check_tokens(const struct nnhal_request *request, const int64_t *tokens,
				      uint32_t count, char *message)
{
	if (count != request->num_pools || (count && !tokens))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "%u memory numbers for %u pools: one for each is needed", count,
				    request->num_pools);
	for (uint32_t i = 0; i < count; i++)
		if (tokens[i] < -1)
			return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					    "pool %u: negative memory number %lld", i,
					    (long long)tokens[i]);
	return NNHAL_NONE;
}

static enum nnhal_status iburst_execute(struct burst *b, struct nnhal_request_state *state,
					uint32_t num_tokens, struct nnhal_execution_result *result)
{
	enum nnhal_status status;

	if (nnhal_inherited(b->binding->pm->dev))
		return nnhal_dead(result->message);
	status = nnhal_request_begin(state, result->message);
	if (!status)
		status = check_tokens(state->request, state->tokens, num_tokens, result->message);
	if (status)
		return status;
	if (atomic_exchange_explicit(&b->busy, true, memory_order_acquire))
		return nnhal_refuse(result->message, NNHAL_GENERAL_FAILURE,
				    "an execution is in flight on this burst: wait for its end, "
				    "or use another burst");
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	status = nnhal_bind_fill(b->binding, state, result->message);
	if (!status) {
		status = nnhal_execute_and_time(b->binding, state->deadline_ns, result);
		nnhal_binding_empty(b->binding);
	}
	atomic_store_explicit(&b->busy, false, memory_order_release);
	burst_put(b);
	return status;
}

static enum nnhal_status burst_execute(struct nnhal_burst *base,
				       const struct nnhal_request *request, const int64_t *tokens,
				       uint32_t num_tokens,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, struct nnhal_execution_result *result)
{
	NNHAL_TRACE_EXECUTE();
	struct burst *b = (struct burst *)base;
	struct nnhal_request_state state = { .request = request,
					     .config = config,
					     .deadline_ns = deadline_ns,
					     .memories = &b->memories,
					     .tokens = tokens };
	struct nnhal_execution_result older, *known;
	enum nnhal_status status;

	known = nnhal_result_known(result, &older);
	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	status = iburst_execute(b, &state, num_tokens, known);
	nnhal_result_put(result, known);
	return status;
}

static enum nnhal_status burst_release(struct nnhal_burst *base, int64_t token)
{
	struct burst *b = (struct burst *)base;

	if (nnhal_inherited(b->binding->pm->dev))
		return NNHAL_DEAD_OBJECT;
	if (token < -1)
		return NNHAL_INVALID_ARGUMENT;
	if (token >= 0)
		nnhal_memories_forget(&b->memories, token);
	return NNHAL_NONE;
}

static const struct nnhal_burst_ops burst_ops = {
	.size = sizeof(burst_ops),
	.destroy = burst_destroy,
	.execute_synchronously = burst_execute,
	.release_memory_resource = burst_release,
};

enum nnhal_status nnhal_configure_burst(struct nnhal_prepared_model *model,
					struct nnhal_burst **burst)
{
	NNHAL_TRACE_CALL("IPreparedModel::configureExecutionBurst");
	struct nnhal_pm *pm = (struct nnhal_pm *)model;
	struct burst *b;

	*burst = NULL;
	if (nnhal_inherited(pm->dev))
		return NNHAL_DEAD_OBJECT;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	b->binding = nnhal_binding_new(pm);
	if (!b->binding) {
		free(b);
		return NNHAL_RESOURCE_EXHAUSTED_TRANSIENT;
	}
	b->base.ops = &burst_ops;
	atomic_init(&b->refs, 1);
	atomic_init(&b->busy, false);
	b->binding->lean = true;
	nnhal_memories_init(&b->memories, &pm->dev->imports);
	*burst = &b->base;
	return NNHAL_NONE;
}
