// SPDX-License-Identifier: Apache-2.0
/*
 * IBurst. A burst keeps the memories that its client numbered, and one binding whose arrays it
 * fills again for each request: an execution on memories that it knows is one SUBMIT and one wait,
 * and allocates nothing. A request is checked as any other; what is not done again for a known
 * memory is looking at its file and importing it.
 *
 * A file that can shrink is looked at each time nevertheless (one fstat): whoever seals his memfd,
 * or takes memory of the device, does not pay for it.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "hal.h"
#include "trace.h"

#define BUCKETS 64u
#define MAX_KNOWN 4096u /* beyond, memory is imported for the execution only */

/* What a number means, until it is released. */
struct known {
	struct known *next;
	int64_t token;
	uint64_t offset, size;
	struct nnhal_identity id;
	bool fixed;
	struct nnhal_import *imports[2]; /* for reading, for writing; NULL: not used so yet */
};

struct nnhal_memories {
	struct nnhal_dev *dev;
	pthread_mutex_t lock; /* of what follows */
	struct known *buckets[BUCKETS];
	uint32_t count;
};

struct burst {
	struct nnhal_burst base;
	atomic_uint refs; /* user, an execution in flight */
	atomic_bool busy;
	struct nnhal_memories memories;
	struct nnhal_binding *binding; /* of whoever made it busy */
};

/* ---- memories ---- */

static struct known **find_known(struct nnhal_memories *ms, int64_t token)
{
	struct known **pos = &ms->buckets[(uint64_t)token % BUCKETS];

	while (*pos && (*pos)->token != token)
		pos = &(*pos)->next;
	return pos;
}

static void known_free(struct nnhal_dev *dev, struct known *k)
{
	for (int i = 0; i < 2; i++)
		if (k->imports[i])
			nnhal_import_drop(dev, k->imports[i]);
	free(k);
}

bool nnhal_memories_known(struct nnhal_memories *ms, int64_t token,
			  const struct nnhal_memory *memory, struct nnhal_identity *id,
			  bool *contradiction)
{
	const struct known *k = NULL;
	bool known = false;

	*contradiction = false;
	if (token < 0)
		return false;
	pthread_mutex_lock(&ms->lock);
	k = *find_known(ms, token);
	if (k) {
		*contradiction = k->offset != memory->offset || k->size != memory->size;
		known = k->fixed && !*contradiction;
		*id = k->id;
	}
	pthread_mutex_unlock(&ms->lock);
	return known;
}

/* Under the lock: room to remember it; NULL: none. */
static struct known *add_known(struct nnhal_memories *ms, int64_t token,
			       const struct nnhal_memory *memory, const struct nnhal_identity *id)
{
	struct known **pos = find_known(ms, token), *k = *pos;

	if (k || ms->count >= MAX_KNOWN)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	*k = (struct known){
		.token = token,
		.offset = memory->offset,
		.size = memory->size,
		.id = *id,
		.fixed = nnhal_memory_fixed(memory),
	};
	*pos = k;
	ms->count++;
	return k;
}

int nnhal_memories_get(struct nnhal_memories *ms, int64_t token, const struct nnhal_memory *memory,
		       const struct nnhal_identity *id, bool write, struct nnhal_import **import)
{
	struct known *k;
	int ret = 0;

	if (token < 0)
		return nnhal_import_get(ms->dev, memory, id, write, import);
	if (!(memory->prot & PROT_READ))
		return -EACCES;
	pthread_mutex_lock(&ms->lock);
	k = add_known(ms, token, memory, id);
	if (k && k->imports[write]) {
		*import = nnhal_import_ref(ms->dev, k->imports[write]);
	} else {
		ret = nnhal_import_get(ms->dev, memory, id, write, import);
		if (!ret && k)
			k->imports[write] = nnhal_import_ref(ms->dev, *import);
	}
	pthread_mutex_unlock(&ms->lock);
	return ret;
}

static void memories_fini(struct nnhal_memories *ms)
{
	struct known *k;

	for (uint32_t i = 0; i < BUCKETS; i++)
		while ((k = ms->buckets[i])) {
			ms->buckets[i] = k->next;
			known_free(ms->dev, k);
		}
	pthread_mutex_destroy(&ms->lock);
}

/* ---- the burst ---- */

static void burst_put(struct burst *b)
{
	if (atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1)
		return;
	memories_fini(&b->memories);
	nnhal_unbind(b->binding); /* the last: it holds the device */
	free(b);
}

static void burst_destroy(struct nnhal_burst *base)
{
	struct burst *b = (struct burst *)base;

	if (!nnhal_inherited(b->memories.dev))
		burst_put(b);
}

static enum nnhal_status check_tokens(const struct nnhal_request *request, const int64_t *tokens,
				      uint32_t count, char *message)
{
	if (count != request->num_pools || (count && !tokens)) {
		nnhal_message(message, "%u memory numbers, not one a pool", count);
		return NNHAL_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < count; i++)
		if (tokens[i] < -1) {
			nnhal_message(message, "pool %u: negative memory number %lld", i,
				      (long long)tokens[i]);
			return NNHAL_INVALID_ARGUMENT;
		}
	return NNHAL_NONE;
}

static enum nnhal_status burst_run(struct burst *b, const struct nnhal_request *request,
				   const int64_t *tokens,
				   const struct nnhal_execution_config *config, int64_t deadline_ns,
				   struct nnhal_execution_result *result)
{
	enum nnhal_status status;

	/* a clock may be a system call: it is read when somebody wants to know */
	b->binding->start_ns =
		config->measure_timing || deadline_ns != NNHAL_NO_TIME ? nnhal_monotonic_ns() : 0;
	status =
		nnhal_bind_fill(b->binding, request, config, &b->memories, tokens, result->message);
	if (status)
		return status;
	status = nnhal_execute_and_time(b->binding, deadline_ns, result);
	nnhal_binding_empty(b->binding);
	return status;
}

static enum nnhal_status execute(struct burst *b, const struct nnhal_request *request,
				 const int64_t *tokens, uint32_t num_tokens,
				 const struct nnhal_execution_config *config, int64_t deadline_ns,
				 struct nnhal_execution_result *result)
{
	struct nnhal_execution_config older_config;
	struct nnhal_request older;
	enum nnhal_status status;

	if (nnhal_inherited(b->memories.dev))
		return nnhal_dead(result->message);
	status = nnhal_execution_config_check(&config, &older_config, deadline_ns, result->message);
	if (status)
		return status;
	request = nnhal_request_known(request, &older, result->message);
	status = NNHAL_INVALID_ARGUMENT;
	if (request)
		status = check_tokens(request, tokens, num_tokens, result->message);
	if (status)
		return status;
	if (atomic_exchange_explicit(&b->busy, true, memory_order_acquire)) {
		nnhal_message(result->message, "an execution is in flight on this burst");
		return NNHAL_GENERAL_FAILURE;
	}
	atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
	status = burst_run(b, request, tokens, config, deadline_ns, result);
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
	struct nnhal_execution_result older, *known;
	enum nnhal_status status;

	known = nnhal_result_known(result, &older);
	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	status = execute((struct burst *)base, request, tokens, num_tokens, config, deadline_ns,
			 known);
	nnhal_result_put(result, known);
	return status;
}

static enum nnhal_status burst_release(struct nnhal_burst *base, int64_t token)
{
	struct nnhal_memories *ms = &((struct burst *)base)->memories;
	struct known **pos, *k;

	if (nnhal_inherited(ms->dev))
		return NNHAL_DEAD_OBJECT;
	if (token < -1)
		return NNHAL_INVALID_ARGUMENT;
	if (token < 0)
		return NNHAL_NONE;
	pthread_mutex_lock(&ms->lock);
	pos = find_known(ms, token);
	k = *pos;
	if (k) {
		*pos = k->next;
		ms->count--;
	}
	pthread_mutex_unlock(&ms->lock);
	if (k)
		known_free(ms->dev, k);
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
	b->memories.dev = pm->dev;
	pthread_mutex_init(&b->memories.lock, NULL);
	*burst = &b->base;
	return NNHAL_NONE;
}
