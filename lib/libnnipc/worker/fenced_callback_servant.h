/* SPDX-License-Identifier: Apache-2.0 */
/* IFencedExecutionCallback. */
#ifndef NNIPC_FENCED_CALLBACK_SERVANT_H
#define NNIPC_FENCED_CALLBACK_SERVANT_H

#include "nnhal.h"
#include "wire/marshal.h"

/**
 * The end of executeFenced: the results of the call. @sync_fence is closed after sending; @callback
 * is the vendor's, with NONE.
 */
void nnipc_put_fenced(struct nnipc_writer *out, enum nnhal_status status, int sync_fence,
		      struct nnhal_fenced_callback *callback);

#endif
