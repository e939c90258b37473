// SPDX-License-Identifier: Apache-2.0
/*
 * ExecutionConfig and the hints of PrepareModelConfig. A hint of an extension that this driver does
 * not have is ignored, but the list has to be one: no token twice, names and prefixes one to one.
 */
#include <string.h>

#include "hal.h"

#define MAX_PREFIX 0x7fffu
#define MAX_ENTRIES 4096u /* the lists are compared pairwise */

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
	if (count > MAX_ENTRIES || (count && !list)) {
		nnhal_message(message, "the list of %u extension names is missing or too long",
			      count);
		return NNHAL_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!name_valid(list[i].name) || list[i].prefix == 0 ||
		    list[i].prefix > MAX_PREFIX) {
			nnhal_message(message, "extension %u: name or prefix %u is invalid", i,
				      list[i].prefix);
			return NNHAL_INVALID_ARGUMENT;
		}
		for (uint32_t j = 0; j < i; j++)
			if (list[j].prefix == list[i].prefix ||
			    !strcmp(list[j].name, list[i].name)) {
				nnhal_message(message,
					      "extension %u: name or prefix is there twice", i);
				return NNHAL_INVALID_ARGUMENT;
			}
	}
	return NNHAL_NONE;
}

enum nnhal_status nnhal_hints_check(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message)
{
	if (num_hints > MAX_ENTRIES || (num_hints && !hints)) {
		nnhal_message(message, "the list of %u hints is missing or too long", num_hints);
		return NNHAL_INVALID_ARGUMENT;
	}
	for (uint32_t i = 0; i < num_hints; i++) {
		if (hints[i].size && !hints[i].value) {
			nnhal_message(message, "hint %u: the value is missing", i);
			return NNHAL_INVALID_ARGUMENT;
		}
		for (uint32_t j = 0; j < i; j++)
			if (hints[j].token == hints[i].token) {
				nnhal_message(message, "hint %u: token 0x%x is there twice", i,
					      hints[i].token);
				return NNHAL_INVALID_ARGUMENT;
			}
	}
	return check_extensions(extensions, num_extensions, message);
}

enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config **given,
					       struct nnhal_execution_config *older,
					       int64_t deadline_ns, char *message)
{
	const struct nnhal_execution_config *config =
		nnhal_execution_config_known(*given, older, message);

	if (!config)
		return NNHAL_INVALID_ARGUMENT;
	*given = config;
	if (!nnhal_time_valid(deadline_ns)) {
		nnhal_message(message, "negative deadline %lld", (long long)deadline_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (!nnhal_time_valid(config->loop_timeout_ns)) {
		nnhal_message(message, "negative loop timeout %lld",
			      (long long)config->loop_timeout_ns);
		return NNHAL_INVALID_ARGUMENT;
	}
	if (config->loop_timeout_ns > NNHAL_LOOP_TIMEOUT_MAXIMUM_NS) {
		nnhal_message(message, "loop timeout of %lld ns, at most %lld",
			      (long long)config->loop_timeout_ns, NNHAL_LOOP_TIMEOUT_MAXIMUM_NS);
		return NNHAL_INVALID_ARGUMENT;
	}
	return nnhal_hints_check(config->hints, config->num_hints, config->extensions,
				 config->num_extensions, message);
}
