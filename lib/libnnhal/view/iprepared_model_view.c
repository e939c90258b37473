// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel and IBurst behind an older interface. */
#include <stdlib.h>

#include "values/nnhal_values.h"
#include "view/view.h"

#define NO_METHOD "this HAL version lacks this method"

struct view_pm {
	struct nnhal_prepared_model base;
	struct nnhal_prepared_model *inner;
	enum nnhal_version version;
	bool *outputs; /* fully specified by the model; NULL: the version allows unknown outputs */
	uint32_t num_outputs;
};

struct view_burst {
	struct nnhal_burst base;
	struct nnhal_burst *inner;
	enum nnhal_version version;
};

static struct view_pm *pm_of(struct nnhal_prepared_model *base)
{
	return (struct view_pm *)base;
}

static bool is_hidl(enum nnhal_version version)
{
	return version <= NNHAL_HIDL_1_3;
}

/* ---- features that the version lacks ---- */

static bool config_fits(enum nnhal_version version, const struct nnhal_execution_config *config,
			int64_t deadline_ns, char *message)
{
	struct nnhal_execution_config older;
	const struct nnhal_execution_config *c =
		nnhal_execution_config_upgrade(config, &older, message);

	if (!c)
		return false;
	if (version < NNHAL_HIDL_1_2 && c->measure_timing)
		return false;
	if (version < NNHAL_HIDL_1_3 &&
	    (c->loop_timeout_ns != NNHAL_NO_TIME || deadline_ns != NNHAL_NO_TIME))
		return false;
	return version >= NNHAL_AIDL_V4 || (!c->num_hints && !c->num_extensions);
}

static bool arguments_fit(enum nnhal_version version, const struct nnhal_request_argument *args,
			  uint32_t count)
{
	for (uint32_t i = 0; args && i < count; i++)
		if (is_hidl(version) && args[i].padding)
			return false;
	return true;
}

static bool has_full_shape(const struct nnhal_request_argument *arg)
{
	for (uint32_t i = 0; i < arg->rank; i++)
		if (!arg->dims || !arg->dims[i])
			return false;
	return arg->rank > 0;
}

/* The device finds all other errors. */
static bool request_fits(enum nnhal_version version, const bool *outputs, uint32_t num_outputs,
			 const struct nnhal_request *request, char *message)
{
	struct nnhal_request older;
	const struct nnhal_request *r = nnhal_request_upgrade(request, &older, message);

	if (!r)
		return false;
	for (uint32_t i = 0; r->pools && i < r->num_pools; i++)
		if (version < NNHAL_HIDL_1_3 && r->pools[i].is_token)
			return false;
	for (uint32_t i = 0; outputs && r->outputs && i < r->num_outputs && i < num_outputs; i++)
		if (!outputs[i] && !has_full_shape(&r->outputs[i]))
			return false;
	return arguments_fit(version, r->inputs, r->num_inputs) &&
	       arguments_fit(version, r->outputs, r->num_outputs);
}

/* What the version has: INVALID_ARGUMENT with @message. @message is empty before. */
static enum nnhal_status model_view_check(enum nnhal_version version, const bool *outputs,
					  uint32_t num_outputs, const struct nnhal_request *request,
					  const struct nnhal_execution_config *config,
					  int64_t deadline_ns, char *message)
{
	message[0] = '\0';
	if (config_fits(version, config, deadline_ns, message) &&
	    request_fits(version, outputs, num_outputs, request, message))
		return NNHAL_NONE;
	if (!message[0])
		nnhal_message(
			message,
			"the request or configuration has fields that this HAL version lacks");
	return NNHAL_INVALID_ARGUMENT;
}

static enum nnhal_status model_view_refuse(struct nnhal_execution_result *result,
					   enum nnhal_status status, const char *message)
{
	struct nnhal_execution_result older, *known = nnhal_result_known(result, &older);

	if (!known)
		return NNHAL_INVALID_ARGUMENT;
	nnhal_message(known->message, "%s", message);
	nnhal_result_put(result, known);
	return status;
}

/* ---- IPreparedModel ---- */

struct answer {
	enum nnhal_version version;
	nnhal_execution_cb callback;
	void *cookie;
};

static void model_view_executed(void *cookie, enum nnhal_status status,
				const struct nnhal_execution_result *result)
{
	struct answer a = *(struct answer *)cookie;
	struct nnhal_execution_result older = NNHAL_EXECUTION_RESULT_INIT, seen = older;

	free(cookie);
	result = nnhal_result_seen(result, &older);
	if (result) {
		seen = *result;
		seen.size = sizeof(seen);
	} else {
		status = NNHAL_GENERAL_FAILURE;
		nnhal_message(seen.message, "the device's result is of an unknown size");
	}
	if (a.version < NNHAL_HIDL_1_2) {
		seen.shapes = NULL;
		seen.num_shapes = 0;
	}
	a.callback(a.cookie, nnhal_view_status(a.version, status), &seen);
}

static enum nnhal_status pm_execute(struct nnhal_prepared_model *base,
				    const struct nnhal_request *request,
				    const struct nnhal_execution_config *config,
				    int64_t deadline_ns, nnhal_execution_cb callback, void *cookie)
{
	struct view_pm *pm = pm_of(base);
	struct nnhal_execution_result result;
	enum nnhal_status status = NNHAL_GENERAL_FAILURE;
	struct answer *a = NULL;

	if (!callback)
		return NNHAL_INVALID_ARGUMENT;
	nnhal_result_init(&result);
	if (!is_hidl(pm->version) && pm->version != NNHAL_NATIVE)
		nnhal_message(result.message, NO_METHOD);
	else
		status = model_view_check(pm->version, pm->outputs, pm->num_outputs, request,
					  config, deadline_ns, result.message);
	if (!status) {
		a = malloc(sizeof(*a));
		if (!a) {
			nnhal_message(result.message, "out of memory");
			status = NNHAL_GENERAL_FAILURE;
		}
	}
	if (status) {
		callback(cookie, status, &result);
		return status;
	}
	*a = (struct answer){ pm->version, callback, cookie };
	return nnhal_view_status(pm->version,
				 pm->inner->ops->execute(pm->inner, request, config, deadline_ns,
							 model_view_executed, a));
}

static enum nnhal_status pm_sync(struct nnhal_prepared_model *base,
				 const struct nnhal_request *request,
				 const struct nnhal_execution_config *config, int64_t deadline_ns,
				 struct nnhal_execution_result *result)
{
	struct view_pm *pm = pm_of(base);
	char message[NNHAL_MESSAGE];

	if (pm->version < NNHAL_HIDL_1_2)
		return model_view_refuse(result, NNHAL_GENERAL_FAILURE, NO_METHOD);
	if (model_view_check(pm->version, NULL, 0, request, config, deadline_ns, message))
		return model_view_refuse(result, NNHAL_INVALID_ARGUMENT, message);
	return nnhal_view_status(pm->version,
				 pm->inner->ops->execute_synchronously(pm->inner, request, config,
								       deadline_ns, result));
}

static enum nnhal_status pm_fenced(struct nnhal_prepared_model *base,
				   const struct nnhal_request *request, const int *wait_for,
				   uint32_t num_wait_for,
				   const struct nnhal_execution_config *config, int64_t deadline_ns,
				   int64_t duration_ns, int *sync_fence,
				   struct nnhal_fenced_callback **callback)
{
	struct view_pm *pm = pm_of(base);
	char message[NNHAL_MESSAGE];

	*sync_fence = -1;
	*callback = NULL;
	if (pm->version < NNHAL_HIDL_1_3)
		return NNHAL_GENERAL_FAILURE;
	if (model_view_check(pm->version, NULL, 0, request, config, deadline_ns, message))
		return NNHAL_INVALID_ARGUMENT;
	return nnhal_view_status(pm->version,
				 pm->inner->ops->execute_fenced(pm->inner, request, wait_for,
								num_wait_for, config, deadline_ns,
								duration_ns, sync_fence, callback));
}

static enum nnhal_status pm_reusable(struct nnhal_prepared_model *base,
				     const struct nnhal_request *request,
				     const struct nnhal_execution_config *config,
				     struct nnhal_execution **execution)
{
	struct view_pm *pm = pm_of(base);

	*execution = NULL;
	if (pm->version < NNHAL_AIDL_V4)
		return NNHAL_GENERAL_FAILURE;
	return pm->inner->ops->create_reusable_execution(pm->inner, request, config, execution);
}

static void pm_destroy(struct nnhal_prepared_model *base)
{
	struct view_pm *pm = pm_of(base);

	pm->inner->ops->destroy(pm->inner);
	free(pm->outputs);
	free(pm);
}

/* ---- IBurst ---- */

static void burst_destroy(struct nnhal_burst *base)
{
	struct view_burst *b = (struct view_burst *)base;

	b->inner->ops->destroy(b->inner);
	free(b);
}

static enum nnhal_status burst_sync(struct nnhal_burst *base, const struct nnhal_request *request,
				    const int64_t *tokens, uint32_t num_tokens,
				    const struct nnhal_execution_config *config,
				    int64_t deadline_ns, struct nnhal_execution_result *result)
{
	struct view_burst *b = (struct view_burst *)base;
	char message[NNHAL_MESSAGE];

	if (model_view_check(b->version, NULL, 0, request, config, deadline_ns, message))
		return model_view_refuse(result, NNHAL_INVALID_ARGUMENT, message);
	return nnhal_view_status(b->version, b->inner->ops->execute_synchronously(
						     b->inner, request, tokens, num_tokens, config,
						     deadline_ns, result));
}

static enum nnhal_status burst_release(struct nnhal_burst *base, int64_t token)
{
	struct view_burst *b = (struct view_burst *)base;

	return nnhal_view_status(b->version,
				 b->inner->ops->release_memory_resource(b->inner, token));
}

static const struct nnhal_burst_ops burst_ops = {
	.size = sizeof(burst_ops),
	.destroy = burst_destroy,
	.execute_synchronously = burst_sync,
	.release_memory_resource = burst_release,
};

static enum nnhal_status pm_burst(struct nnhal_prepared_model *base, struct nnhal_burst **burst)
{
	struct view_pm *pm = pm_of(base);
	enum nnhal_status status;
	struct view_burst *b;

	*burst = NULL;
	if (pm->version < NNHAL_HIDL_1_2)
		return NNHAL_GENERAL_FAILURE;
	b = calloc(1, sizeof(*b));
	if (!b)
		return nnhal_view_status(pm->version, NNHAL_RESOURCE_EXHAUSTED_TRANSIENT);
	status = pm->inner->ops->configure_burst(pm->inner, &b->inner);
	if (status) {
		free(b);
		return nnhal_view_status(pm->version, status);
	}
	b->base.ops = &burst_ops;
	b->version = pm->version;
	*burst = &b->base;
	return NNHAL_NONE;
}

static const struct nnhal_prepared_model_ops pm_ops = {
	.size = sizeof(pm_ops),
	.destroy = pm_destroy,
	.execute = pm_execute,
	.execute_synchronously = pm_sync,
	.execute_fenced = pm_fenced,
	.configure_burst = pm_burst,
	.create_reusable_execution = pm_reusable,
};

struct nnhal_prepared_model *nnhal_view_inner(struct nnhal_prepared_model *model)
{
	return model->ops == &pm_ops ? pm_of(model)->inner : NULL;
}

struct nnhal_prepared_model *nnhal_view_model_new(enum nnhal_version version, bool *outputs,
						  uint32_t num_outputs,
						  struct nnhal_prepared_model *inner)
{
	struct view_pm *pm = calloc(1, sizeof(*pm));

	if (!pm) {
		inner->ops->destroy(inner);
		free(outputs);
		return NULL;
	}
	*pm = (struct view_pm){
		.base.ops = &pm_ops,
		.inner = inner,
		.version = version,
		.outputs = outputs,
		.num_outputs = num_outputs,
	};
	return &pm->base;
}
