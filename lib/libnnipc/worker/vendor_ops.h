/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the operations tables of a vendor library's objects are complete. NULL is not. */
#ifndef NNIPC_VENDOR_OPS_H
#define NNIPC_VENDOR_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include "nnhal.h"

/** All operations of IDevice, up to allocate(). */
bool nnipc_device_complete(const struct nnhal_device *dev);
bool nnipc_prepared_model_complete(const struct nnhal_prepared_model *model);
bool nnipc_fenced_callback_complete(const struct nnhal_fenced_callback *callback);
bool nnipc_burst_complete(const struct nnhal_burst *burst);
bool nnipc_execution_complete(const struct nnhal_execution *execution);
bool nnipc_buffer_complete(const struct nnhal_buffer *buffer);

/** Whether the table @ops of type struct @type reaches to @op, and has it. */
#define NNIPC_HAS(type, ops, op) \
	((ops)->size >= offsetof(struct type, op) + sizeof(((struct type *)0)->op) && (ops)->op)

/** Destroy an object whose table may be incomplete. */
#define NNIPC_DESTROY(type, object)                                                       \
	do {                                                                              \
		if ((object) && (object)->ops && NNIPC_HAS(type, (object)->ops, destroy)) \
			(object)->ops->destroy(object);                                   \
	} while (0)

#endif
