/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of configurations. Private to libnnhal. */
#ifndef NNHAL_CONFIG_CHECK_H
#define NNHAL_CONFIG_CHECK_H

#include "nnhal.h"

/**
 * Hints and extension names of a configuration: NONE or INVALID_ARGUMENT. Hints of unknown
 * extensions are ignored.
 */
enum nnhal_status nnhal_hints_check(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message);
/** NNHAL_NO_TIME or >= 0: NONE; else INVALID_ARGUMENT. */
enum nnhal_status nnhal_deadline_check(int64_t deadline_ns, char *message);
/** *@config becomes @older if the client's struct is older, hence smaller. */
enum nnhal_status nnhal_execution_config_check(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older,
					       int64_t deadline_ns, char *message);

#endif
