// SPDX-License-Identifier: Apache-2.0
/* Prepared models of test devices, their bursts and reusable executions. */
#include <stdlib.h>

#include "nnutil_fence.h"
#include "testdev.h"

struct prepared {
	struct nnhal_prepared_model base;
	struct nnhal_prepared_model *inner;
	struct testdev_link *link;
};

struct burst {
	struct nnhal_burst base;
	struct nnhal_burst *inner;
	struct testdev_link *link;
};

struct execution {
	struct nnhal_execution base;
	struct nnhal_execution *inner;
	struct testdev_link *link;
};

/* An execution that waits for its callback. */
struct waiting {
	nnhal_execution_cb callback;
	void *cookie;
	struct testdev_link *link;
	enum nnhal_status status; /* the requested end of the execution, if it succeeds */
};

static const struct nnhal_prepared_model_ops prepared_ops;

static void count_request(struct testdev_link *link, const char *method,
			  const struct nnhal_request *r, const struct nnhal_execution_config *c,
			  int64_t deadline_ns, uint32_t num_tokens)
{
	uint32_t device_pools = 0;

	if (!link->config->count_file)
		return;
	for (uint32_t i = 0; i < r->num_pools; i++)
		device_pools += r->pools[i].is_token;
	testdev_count(
		link->config,
		"%s inputs=%u outputs=%u pools=%u device_pools=%u memory_tokens=%u measure=%d "
		"deadline=%d loop_ms=%lld hints=%u",
		method, r->num_inputs, r->num_outputs, r->num_pools, device_pools, num_tokens,
		c->measure_timing, deadline_ns != NNHAL_NO_TIME,
		(long long)(c->loop_timeout_ns / 1000000), c->num_hints);
}

/*
 * True: *@status is the end of it. OUTPUT_INSUFFICIENT_SIZE needs the shapes, so the execution runs
 * first.
 */
static bool fails_before(struct testdev_link *link, enum testdev_method method,
			 enum nnhal_status *status)
{
	*status = NNHAL_NONE;
	if (testdev_lost(link)) {
		*status = NNHAL_DEVICE_UNAVAILABLE;
		return true;
	}
	testdev_sleep(link->config->delay_ms);
	if (testdev_lost(link)) {
		*status = NNHAL_DEVICE_UNAVAILABLE;
		return true;
	}
	return testdev_fails(link->config, method, status) &&
	       *status != NNHAL_OUTPUT_INSUFFICIENT_SIZE;
}

static enum nnhal_status make_insufficient(struct nnhal_execution_result *result)
{
	for (uint32_t i = 0; i < result->num_shapes; i++)
		result->shapes[i].sufficient = false;
	result->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	return NNHAL_OUTPUT_INSUFFICIENT_SIZE;
}

static void clear(struct nnhal_execution_result *result)
{
	*result = (struct nnhal_execution_result)NNHAL_EXECUTION_RESULT_INIT;
}

static void pm_destroy(struct nnhal_prepared_model *base)
{
	struct prepared *pm = (struct prepared *)base;

	pm->inner->ops->destroy(pm->inner);
	testdev_link_put(pm->link);
	free(pm);
}

static void executed(void *cookie, enum nnhal_status status,
		     const struct nnhal_execution_result *result)
{
	struct nnhal_execution_result copy = *result;
	struct waiting *w = cookie;

	if (status == NNHAL_NONE && w->status == NNHAL_OUTPUT_INSUFFICIENT_SIZE)
		status = make_insufficient(&copy);
	w->callback(w->cookie, status, &copy);
	testdev_link_put(w->link);
	free(w);
}

static enum nnhal_status pm_execute(struct nnhal_prepared_model *base,
				    const struct nnhal_request *request,
				    const struct nnhal_execution_config *config,
				    int64_t deadline_ns, nnhal_execution_cb callback, void *cookie)
{
	struct prepared *pm = (struct prepared *)base;
	struct nnhal_execution_result empty = NNHAL_EXECUTION_RESULT_INIT;
	struct waiting *w = NULL;
	enum nnhal_status status;

	count_request(pm->link, "execute", request, config, deadline_ns, 0);
	if (!fails_before(pm->link, TESTDEV_EXECUTE, &status)) {
		w = malloc(sizeof(*w));
		if (!w)
			status = NNHAL_GENERAL_FAILURE;
	}
	if (!w) {
		clear(&empty);
		callback(cookie, status, &empty);
		return NNHAL_NONE;
	}
	*w = (struct waiting){ callback, cookie, testdev_link_get(pm->link), status };
	return pm->inner->ops->execute(pm->inner, request, config, deadline_ns, executed, w);
}

static enum nnhal_status pm_execute_synchronously(struct nnhal_prepared_model *base,
						  const struct nnhal_request *request,
						  const struct nnhal_execution_config *config,
						  int64_t deadline_ns,
						  struct nnhal_execution_result *result)
{
	struct prepared *pm = (struct prepared *)base;
	enum nnhal_status forced, status;

	count_request(pm->link, "execute_synchronously", request, config, deadline_ns, 0);
	clear(result);
	if (fails_before(pm->link, TESTDEV_EXECUTE, &forced))
		return forced;
	status = pm->inner->ops->execute_synchronously(pm->inner, request, config, deadline_ns,
						       result);
	return status == NNHAL_NONE && forced ? make_insufficient(result) : status;
}

static enum nnhal_status pm_execute_fenced(struct nnhal_prepared_model *base,
					   const struct nnhal_request *request, const int *wait_for,
					   uint32_t num_wait_for,
					   const struct nnhal_execution_config *config,
					   int64_t deadline_ns, int64_t duration_ns,
					   int *sync_fence, struct nnhal_fenced_callback **callback)
{
	struct prepared *pm = (struct prepared *)base;
	enum nnhal_status status;

	count_request(pm->link, "execute_fenced", request, config, deadline_ns, 0);
	*sync_fence = -1;
	*callback = NULL;
	for (uint32_t i = 0; i < num_wait_for && pm->link->config->kernel_fences; i++)
		if (!nnutil_fence_is_sync_file(wait_for[i]))
			return NNHAL_INVALID_ARGUMENT;
	if (pm->link->config->fence && !testdev_lost(pm->link) &&
	    !testdev_fails(pm->link->config, TESTDEV_FENCED, &status))
		return testdev_fenced(pm->link, pm->inner, request, wait_for, num_wait_for, config,
				      deadline_ns, sync_fence, callback);
	if (fails_before(pm->link, TESTDEV_FENCED, &status) || status)
		return status;
	return pm->inner->ops->execute_fenced(pm->inner, request, wait_for, num_wait_for, config,
					      deadline_ns, duration_ns, sync_fence, callback);
}

/* ---- bursts ---- */

static void burst_destroy(struct nnhal_burst *base)
{
	struct burst *b = (struct burst *)base;

	b->inner->ops->destroy(b->inner);
	testdev_link_put(b->link);
	free(b);
}

static enum nnhal_status burst_execute(struct nnhal_burst *base,
				       const struct nnhal_request *request,
				       const int64_t *memory_tokens, uint32_t num_memory_tokens,
				       const struct nnhal_execution_config *config,
				       int64_t deadline_ns, struct nnhal_execution_result *result)
{
	struct burst *b = (struct burst *)base;
	enum nnhal_status forced, status;

	count_request(b->link, "burst_execute", request, config, deadline_ns, num_memory_tokens);
	clear(result);
	if (fails_before(b->link, TESTDEV_EXECUTE, &forced))
		return forced;
	status = b->inner->ops->execute_synchronously(
		b->inner, request, memory_tokens, num_memory_tokens, config, deadline_ns, result);
	return status == NNHAL_NONE && forced ? make_insufficient(result) : status;
}

static enum nnhal_status burst_release(struct nnhal_burst *base, int64_t memory_token)
{
	struct burst *b = (struct burst *)base;

	testdev_count(b->link->config, "release_memory_resource");
	return b->inner->ops->release_memory_resource(b->inner, memory_token);
}

static const struct nnhal_burst_ops burst_ops = {
	.size = sizeof(burst_ops),
	.destroy = burst_destroy,
	.execute_synchronously = burst_execute,
	.release_memory_resource = burst_release,
};

static enum nnhal_status pm_configure_burst(struct nnhal_prepared_model *base,
					    struct nnhal_burst **out)
{
	struct prepared *pm = (struct prepared *)base;
	struct nnhal_burst *inner;
	enum nnhal_status status;
	struct burst *b;

	*out = NULL;
	testdev_count(pm->link->config, "configure_burst");
	if (testdev_lost(pm->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(pm->link->config, TESTDEV_BURST, &status))
		return status;
	status = pm->inner->ops->configure_burst(pm->inner, &inner);
	if (status != NNHAL_NONE)
		return status;
	b = malloc(sizeof(*b));
	if (!b) {
		inner->ops->destroy(inner);
		return NNHAL_GENERAL_FAILURE;
	}
	*b = (struct burst){ { &burst_ops }, inner, testdev_link_get(pm->link) };
	*out = &b->base;
	return NNHAL_NONE;
}

/* ---- reusable executions ---- */

static void execution_destroy(struct nnhal_execution *base)
{
	struct execution *e = (struct execution *)base;

	e->inner->ops->destroy(e->inner);
	testdev_link_put(e->link);
	free(e);
}

static enum nnhal_status execution_execute(struct nnhal_execution *base, int64_t deadline_ns,
					   struct nnhal_execution_result *result)
{
	struct execution *e = (struct execution *)base;
	enum nnhal_status forced, status;

	testdev_count(e->link->config, "reusable_execute deadline=%d",
		      deadline_ns != NNHAL_NO_TIME);
	clear(result);
	if (fails_before(e->link, TESTDEV_EXECUTE, &forced))
		return forced;
	status = e->inner->ops->execute_synchronously(e->inner, deadline_ns, result);
	return status == NNHAL_NONE && forced ? make_insufficient(result) : status;
}

static enum nnhal_status execution_fenced(struct nnhal_execution *base, const int *wait_for,
					  uint32_t num_wait_for, int64_t deadline_ns,
					  int64_t duration_ns, int *sync_fence,
					  struct nnhal_fenced_callback **callback)
{
	struct execution *e = (struct execution *)base;
	enum nnhal_status status;

	testdev_count(e->link->config, "reusable_fenced");
	*sync_fence = -1;
	*callback = NULL;
	if (fails_before(e->link, TESTDEV_FENCED, &status) || status)
		return status;
	return e->inner->ops->execute_fenced(e->inner, wait_for, num_wait_for, deadline_ns,
					     duration_ns, sync_fence, callback);
}

static const struct nnhal_execution_ops execution_ops = {
	.size = sizeof(execution_ops),
	.destroy = execution_destroy,
	.execute_synchronously = execution_execute,
	.execute_fenced = execution_fenced,
};

static enum nnhal_status pm_create_reusable(struct nnhal_prepared_model *base,
					    const struct nnhal_request *request,
					    const struct nnhal_execution_config *config,
					    struct nnhal_execution **out)
{
	struct prepared *pm = (struct prepared *)base;
	struct nnhal_execution *inner;
	enum nnhal_status status;
	struct execution *e;

	*out = NULL;
	count_request(pm->link, "create_reusable_execution", request, config, NNHAL_NO_TIME, 0);
	if (testdev_lost(pm->link))
		return NNHAL_DEVICE_UNAVAILABLE;
	if (testdev_fails(pm->link->config, TESTDEV_REUSABLE, &status))
		return status;
	status = pm->inner->ops->create_reusable_execution(pm->inner, request, config, &inner);
	if (status != NNHAL_NONE)
		return status;
	e = malloc(sizeof(*e));
	if (!e) {
		inner->ops->destroy(inner);
		return NNHAL_GENERAL_FAILURE;
	}
	*e = (struct execution){ { &execution_ops }, inner, testdev_link_get(pm->link) };
	*out = &e->base;
	return NNHAL_NONE;
}

static const struct nnhal_prepared_model_ops prepared_ops = {
	.size = sizeof(prepared_ops),
	.destroy = pm_destroy,
	.execute = pm_execute,
	.execute_synchronously = pm_execute_synchronously,
	.execute_fenced = pm_execute_fenced,
	.configure_burst = pm_configure_burst,
	.create_reusable_execution = pm_create_reusable,
};

struct nnhal_prepared_model *testdev_prepared_create(struct nnhal_prepared_model *inner,
						     struct testdev_link *link)
{
	struct prepared *pm = malloc(sizeof(*pm));

	if (!pm)
		return NULL;
	*pm = (struct prepared){ { &prepared_ops }, inner, testdev_link_get(link) };
	return &pm->base;
}

struct nnhal_prepared_model *testdev_prepared_inner(struct nnhal_prepared_model *model)
{
	return model->ops == &prepared_ops ? ((struct prepared *)model)->inner : NULL;
}
