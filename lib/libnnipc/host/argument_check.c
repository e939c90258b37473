// SPDX-License-Identifier: Apache-2.0
#include "host/nnipc_host.h"

#include "values/nnhal_values.h"

#define MAX_ARGUMENTS 65536u /* inputs, outputs, pools */
#define MAX_ENTRIES 4096u /* hints, extension names */

/* A list that is NULL has nothing to be read: its length is the vendor library's to refuse. */
static enum nnhal_status check_list(const char *what, const void *list, uint32_t count,
				    uint32_t max, char *message)
{
	if (list && count > max)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "%u %s, at most %u are allowed", count, what, max);
	return NNHAL_NONE;
}

static enum nnhal_status check_dims(const char *kind, const struct nnhal_request_argument *list,
				    uint32_t count, char *message)
{
	for (uint32_t i = 0; i < count && list; i++)
		if (list[i].dims && list[i].rank > NNIPC_MAX_RANK)
			return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					    "%s %u: %u dimensions, more than any device supports",
					    kind, i, list[i].rank);
	return NNHAL_NONE;
}

enum nnhal_status nnipc_check_request(const struct nnhal_request **request,
				      struct nnhal_request *older, char *message)
{
	const struct nnhal_request *r = nnhal_request_upgrade(*request, older, message);
	enum nnhal_status status;

	if (!r)
		return NNHAL_INVALID_ARGUMENT;
	*request = r;
	status = check_list("inputs", r->inputs, r->num_inputs, MAX_ARGUMENTS, message);
	if (!status)
		status = check_list("outputs", r->outputs, r->num_outputs, MAX_ARGUMENTS, message);
	if (!status)
		status = check_list("pools", r->pools, r->num_pools, MAX_ARGUMENTS, message);
	if (!status)
		status = check_dims("input", r->inputs, r->num_inputs, message);
	if (!status)
		status = check_dims("output", r->outputs, r->num_outputs, message);
	return status;
}

enum nnhal_status nnipc_check_hints(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message)
{
	enum nnhal_status status = check_list("hints", hints, num_hints, MAX_ENTRIES, message);

	if (!status)
		status = check_list("extension names", extensions, num_extensions, MAX_ENTRIES,
				    message);
	return status;
}

enum nnhal_status nnipc_check_execution_config(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older, char *message)
{
	const struct nnhal_execution_config *c =
		nnhal_execution_config_upgrade(*config, older, message);

	if (!c)
		return NNHAL_INVALID_ARGUMENT;
	*config = c;
	return nnipc_check_hints(c->hints, c->num_hints, c->extensions, c->num_extensions, message);
}

enum nnhal_status nnipc_check_tokens(const struct nnhal_request *request, const int64_t *tokens,
				     uint32_t num_tokens, char *message)
{
	if (num_tokens != request->num_pools || (num_tokens && !tokens))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "%u memory numbers for %u pools: one for each is needed",
				    num_tokens, request->num_pools);
	if (num_tokens && !request->pools)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "%u pools, but the list is NULL", num_tokens);
	for (uint32_t i = 0; i < num_tokens; i++)
		if (tokens[i] < -1)
			return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					    "pool %u: negative memory number %lld", i,
					    (long long)tokens[i]);
	return NNHAL_NONE;
}
