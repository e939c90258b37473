// SPDX-License-Identifier: Apache-2.0
/* Sized structs of nnhal.h: what this library knows of each, and the checks of their sizes. */
#include "values/nnhal_values.h"

#include <stdlib.h>

static const struct nnhal_execution_config no_config = NNHAL_EXECUTION_CONFIG_INIT;
static const struct nnhal_prepare_config no_prepare_config = NNHAL_PREPARE_CONFIG_INIT;
static const struct nnhal_execution_result no_result = NNHAL_EXECUTION_RESULT_INIT;

static const struct nnmodel_sized sized_request = NNMODEL_SIZED(nnhal_request, pools, NULL);
static const struct nnmodel_sized sized_config =
	NNMODEL_SIZED(nnhal_execution_config, measure_timing, &no_config);
static const struct nnmodel_sized sized_prepare_config =
	NNMODEL_SIZED(nnhal_prepare_config, priority, &no_prepare_config);
const struct nnmodel_sized nnhal_sized_result =
	NNMODEL_SIZED(nnhal_execution_result, timing, &no_result);
const struct nnmodel_sized nnhal_sized_capabilities =
	NNMODEL_SIZED(nnhal_capabilities, operand, NULL);
const struct nnmodel_sized nnhal_sized_buffer_desc = NNMODEL_SIZED(nnhal_buffer_desc, dims, NULL);
const struct nnmodel_sized nnhal_sized_info = NNMODEL_SIZED(nnhal_device_info, node, NULL);
const struct nnmodel_sized nnhal_sized_counters = NNMODEL_SIZED(nnhal_counters, executions, NULL);
const struct nnmodel_sized nnhal_sized_report =
	NNMODEL_SIZED(nnhal_calibration_report, programs, NULL);
const struct nnmodel_sized nnhal_sized_error = NNMODEL_SIZED(nnmodel_error, operand, NULL);
const struct nnmodel_sized nnhal_sized_model = NNMODEL_SIZED(nnmodel, extensions, NULL);

/* An argument that may be missing. */
static const void *argument(const struct nnmodel_sized *type, const void *given, void *older,
			    char *message)
{
	const void *known = NULL;

	if (!given) {
		nnhal_message(message, "struct %s is NULL", type->name);
	} else {
		known = nnmodel_sized_get(type, given, older);
		if (!known)
			nnmodel_sized_explain(type, given, message, NNHAL_MESSAGE);
	}
	return known;
}

const struct nnhal_execution_config *
nnhal_execution_config_upgrade(const struct nnhal_execution_config *config,
			       struct nnhal_execution_config *older, char *message)
{
	return argument(&sized_config, config, older, message);
}

const struct nnhal_prepare_config *
nnhal_prepare_config_upgrade(const struct nnhal_prepare_config *config,
			     struct nnhal_prepare_config *older, char *message)
{
	return argument(&sized_prepare_config, config, older, message);
}

const struct nnhal_request *nnhal_request_upgrade(const struct nnhal_request *request,
						  struct nnhal_request *older, char *message)
{
	return argument(&sized_request, request, older, message);
}

struct nnhal_execution_result *nnhal_result_known(struct nnhal_execution_result *result,
						  struct nnhal_execution_result *older)
{
	struct nnhal_execution_result *known =
		nnmodel_sized_out(&nnhal_sized_result, result, older);

	if (known)
		nnhal_result_reset(known);
	return known;
}

void nnhal_result_put(struct nnhal_execution_result *result,
		      const struct nnhal_execution_result *known)
{
	nnmodel_sized_put(&nnhal_sized_result, result, known);
}

const struct nnhal_execution_result *nnhal_result_seen(const struct nnhal_execution_result *result,
						       struct nnhal_execution_result *older)
{
	return nnmodel_sized_get(&nnhal_sized_result, result, older);
}

void nnhal_result_reset(struct nnhal_execution_result *result)
{
	result->num_shapes = 0;
	result->shapes = NULL;
	result->timing = (struct nnhal_timing){ NNHAL_NO_TIME, NNHAL_NO_TIME };
	result->message[0] = '\0';
}

void nnhal_result_init(struct nnhal_execution_result *result)
{
	result->size = sizeof(*result);
	nnhal_result_reset(result);
}

/* Of a client, so of any size. */
NNHAL_EXPORT void nnhal_execution_result_clear(struct nnhal_execution_result *result)
{
	struct nnhal_execution_result older, *known;

	known = nnmodel_sized_out(&nnhal_sized_result, result, &older);
	if (!known)
		return; /* no call has filled it */
	for (uint32_t i = 0; i < result->num_shapes; i++)
		free(result->shapes[i].dims);
	free(result->shapes);
	nnhal_result_reset(known);
	nnhal_result_put(result, known);
}
