/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a device behind an older interface. Private to libnnhal. */
#ifndef NNHAL_VIEW_H
#define NNHAL_VIEW_H

#include <stdbool.h>

#include "nnhal.h"

/**
 * A status as the version has it. HIDL does not know that a process died: its word is that the
 * device cannot be reached.
 */
static inline enum nnhal_status nnhal_view_status(enum nnhal_version version,
						  enum nnhal_status status)
{
	if (version < NNHAL_HIDL_1_3 && status >= NNHAL_MISSED_DEADLINE_TRANSIENT &&
	    status <= NNHAL_RESOURCE_EXHAUSTED_PERSISTENT)
		return NNHAL_GENERAL_FAILURE;
	if (version <= NNHAL_HIDL_1_3 && status == NNHAL_DEAD_OBJECT)
		return NNHAL_DEVICE_UNAVAILABLE;
	return status;
}

/** The prepared model behind that of a view; NULL: it is not a view's. */
struct nnhal_prepared_model *nnhal_view_inner(struct nnhal_prepared_model *model);
/** Which outputs of a model are fully specified: malloc'ed, one each. */
bool *nnhal_view_outputs(const struct nnmodel *model);
/**
 * A view of @inner; takes both over, on failure as well. @outputs: nnhal_view_outputs(), or NULL
 * when the version lets outputs be unknown. NULL: out of memory.
 */
struct nnhal_prepared_model *nnhal_view_model_new(enum nnhal_version version, bool *outputs,
						  uint32_t num_outputs,
						  struct nnhal_prepared_model *inner);

#endif
