// SPDX-License-Identifier: Apache-2.0
/* IPreparedModel. Bursts and reusable executions would save nothing: there is nothing to keep. */
#include <stdlib.h>

#include "conv8.h"

struct prepared {
	struct nnhal_prepared_model base;
	struct conv8_program *program;
};

static struct conv8_program *prepared_program(struct nnhal_prepared_model *base)
{
	return ((struct prepared *)base)->program;
}

static void prepared_destroy(struct nnhal_prepared_model *base)
{
	conv8_program_free(prepared_program(base));
	free(base);
}

static enum nnhal_status prepared_execute_synchronously(struct nnhal_prepared_model *base,
							const struct nnhal_request *request,
							const struct nnhal_execution_config *config,
							int64_t deadline_ns,
							struct nnhal_execution_result *result)
{
	return conv8_execute(prepared_program(base), request, config, deadline_ns, result);
}

/* In the call, as nnhal.h allows. A board with a queue calls back from the thread that reads it. */
static enum nnhal_status prepared_execute(struct nnhal_prepared_model *base,
					  const struct nnhal_request *request,
					  const struct nnhal_execution_config *config,
					  int64_t deadline_ns, nnhal_execution_cb callback,
					  void *cookie)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status =
		conv8_execute(prepared_program(base), request, config, deadline_ns, &result);

	callback(cookie, status, &result);
	nnhal_execution_result_clear(&result);
	return status == NNHAL_INVALID_ARGUMENT ? status : NNHAL_NONE;
}

static enum nnhal_status prepared_execute_fenced(
	struct nnhal_prepared_model *base, const struct nnhal_request *request, const int *wait_for,
	uint32_t num_wait_for, const struct nnhal_execution_config *config, int64_t deadline_ns,
	int64_t duration_ns, int *sync_fence, struct nnhal_fenced_callback **callback)
{
	return conv8_execute_fenced(prepared_program(base), request, wait_for, num_wait_for, config,
				    deadline_ns, duration_ns, sync_fence, callback);
}

static enum nnhal_status prepared_burst(struct nnhal_prepared_model *base,
					struct nnhal_burst **burst)
{
	(void)base;
	*burst = NULL;
	return NNHAL_GENERAL_FAILURE;
}

static enum nnhal_status prepared_reusable(struct nnhal_prepared_model *base,
					   const struct nnhal_request *request,
					   const struct nnhal_execution_config *config,
					   struct nnhal_execution **execution)
{
	(void)base;
	(void)request;
	(void)config;
	*execution = NULL;
	return NNHAL_GENERAL_FAILURE;
}

static const struct nnhal_prepared_model_ops prepared_ops = {
	.size = sizeof(prepared_ops),
	.destroy = prepared_destroy,
	.execute = prepared_execute,
	.execute_synchronously = prepared_execute_synchronously,
	.execute_fenced = prepared_execute_fenced,
	.configure_burst = prepared_burst,
	.create_reusable_execution = prepared_reusable,
};

struct nnhal_prepared_model *conv8_prepared_create(struct conv8_program *program)
{
	struct prepared *prepared = malloc(sizeof(*prepared));

	if (!prepared)
		return NULL;
	*prepared = (struct prepared){ { &prepared_ops }, program };
	return &prepared->base;
}
