/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Servants: what receives the calls of one interface and makes them on the vendor's object. A call
 * reads all of its arguments before it does anything.
 */
#ifndef NNIPC_SERVANT_H
#define NNIPC_SERVANT_H

#include "messages/hal_codec.h"

/**
 * typedef nnipc_servant_call - one method
 * @object: the servant's object; it stays during the call
 * @in: arguments
 * @out: results
 *
 * Return: as nnipc_handler().
 */
typedef int (*nnipc_servant_call)(void *object, struct nnipc_reader *in, struct nnipc_writer *out);

/** The methods of an interface, in the order of their numbers, from 1. */
struct nnipc_servant {
	const nnipc_servant_call *calls;
	uint32_t num_calls;
};

extern const struct nnipc_servant nnipc_device_servant, nnipc_prepared_model_servant,
	nnipc_fenced_callback_servant, nnipc_burst_servant, nnipc_execution_servant,
	nnipc_buffer_servant;

/**
 * The end of the arguments. -EBADMSG: malformed. 0: *@status is NONE, or why the vendor cannot be
 * called: there was no memory for the arguments.
 */
int nnipc_arguments_end(const struct nnipc_reader *in, enum nnhal_status *status);
/** The end of a synchronous execution; clears @result. */
void nnipc_put_executed(struct nnipc_writer *out, enum nnhal_status status,
			struct nnhal_execution_result *result);

#endif
