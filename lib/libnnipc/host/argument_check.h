/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of arguments that only the client's side can make: sizes of structs, and lengths of lists
 * that are to be read. The vendor library makes all other checks. The statuses are those of
 * libnnhal: a proxy behaves as a device in process. Every error is INVALID_ARGUMENT, with a message
 * of NNHAL_MESSAGE bytes.
 */
#ifndef NNIPC_ARGUMENT_CHECK_H
#define NNIPC_ARGUMENT_CHECK_H

#include "nnhal.h"

/** Most dimensions of an argument: more than any device has, and few enough to be read. */
#define NNIPC_MAX_RANK 64u

/** *@request becomes @older if the client's struct is older, hence smaller. */
enum nnhal_status nnipc_check_request(const struct nnhal_request **request,
				      struct nnhal_request *older, char *message);
enum nnhal_status nnipc_check_execution_config(const struct nnhal_execution_config **config,
					       struct nnhal_execution_config *older, char *message);
/** Lists of hints, and the names of their extensions, of any configuration. */
enum nnhal_status nnipc_check_hints(const struct nnhal_token_value *hints, uint32_t num_hints,
				    const struct nnmodel_extension *extensions,
				    uint32_t num_extensions, char *message);
/** One number per pool of @request, each -1 or more; and the pools are there. */
enum nnhal_status nnipc_check_tokens(const struct nnhal_request *request, const int64_t *tokens,
				     uint32_t num_tokens, char *message);

#endif
