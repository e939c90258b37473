// SPDX-License-Identifier: Apache-2.0
/*
 * ExecutionConfig, and the hints of PrepareModelConfig. Hints of extensions that this driver does
 * not support are ignored, but the list must be valid: each token once, each name with one prefix.
 */
#include "base/nnhal_base.h"

#include <string.h>

#include "values/nnhal_values.h"

#define MAX_PREFIX 0x7fffu
#define MAX_ENTRIES 4096u /* entries are compared pairwise */

static bool name_valid(const char *name)
{
	const char *p;

	if (!name || !strchr(name, '.'))
		return false;
	for (p = name; *p; p++)
		if (!((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') || *p == '_' ||
		      *p == '.'))
			return false;
	return true;
}

static enum nnhal_status check_extensions(const struct nnmodel_extension *list, uint32_t count,
					  char *message)
{
	if (count > MAX_ENTRIES || (count && !list))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    count && !list ? "%u extension names, but the list is NULL"
						   : "%u extension names, at most 4096 are allowed",
				    count);
	for (uint32_t i = 0; i < count; i++) {
		if (!name_valid(list[i].name) || list[i].prefix == 0 || list[i].prefix > MAX_PREFIX)
			return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					    "extension %u: invalid name or prefix %u", i,
					    list[i].prefix);
		for (uint32_t j = 0; j < i; j++)
			if (list[j].prefix == list[i].prefix || !strcmp(list[j].name, list[i].name))
				return nnhal_refuse(
					message, NNHAL_INVALID_ARGUMENT,
					"extension %u: same name or prefix as extension %u", i, j);
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_hints_check(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message)
{
	if (num_hints > MAX_ENTRIES || (num_hints && !hints))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    num_hints && !hints ? "%u hints, but the list is NULL"
							: "%u hints, at most 4096 are allowed",
				    num_hints);
	for (uint32_t i = 0; i < num_hints; i++) {
		if (hints[i].size && !hints[i].value)
			return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
					    "hint %u: %u bytes, but the value is NULL", i,
					    (unsigned int)hints[i].size);
		for (uint32_t j = 0; j < i; j++)
			if (hints[j].token == hints[i].token)
				return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
						    "hint %u: same token 0x%x as hint %u", i,
						    hints[i].token, j);
	}
	return check_extensions(extensions, num_extensions, message);
}

enum nnhal_status nnhal_deadline_check(int64_t deadline_ns, char *message)
{
	if (!nnhal_time_valid(deadline_ns))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT, "negative deadline %lld",
				    (long long)deadline_ns);
	return NNHAL_NONE;
}

enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config **given,
					       struct nnhal_execution_config *older,
					       int64_t deadline_ns, char *message)
{
	const struct nnhal_execution_config *config =
		nnhal_execution_config_upgrade(*given, older, message);
	enum nnhal_status status;

	if (!config)
		return NNHAL_INVALID_ARGUMENT;
	*given = config;
	status = nnhal_deadline_check(deadline_ns, message);
	if (status)
		return status;
	if (!nnhal_time_valid(config->loop_timeout_ns))
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT, "negative loop timeout %lld",
				    (long long)config->loop_timeout_ns);
	if (config->loop_timeout_ns > NNHAL_LOOP_TIMEOUT_MAXIMUM_NS)
		return nnhal_refuse(message, NNHAL_INVALID_ARGUMENT,
				    "loop timeout of %lld ns, at most %lld ns are allowed",
				    (long long)config->loop_timeout_ns,
				    NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
	return nnhal_hints_check(config->hints, config->num_hints, config->extensions,
				 config->num_extensions, message);
}
