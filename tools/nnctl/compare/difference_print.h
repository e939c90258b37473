/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNCTL_DIFFERENCE_PRINT_H
#define NNCTL_DIFFERENCE_PRINT_H

#include <cjson/cJSON.h>

#include "compare/difference.h"

/** Add the difference of two tensors to an object. */
void difference_json(cJSON *entry, const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d);
/** Print it, and a newline. */
void difference_text(const struct session_tensor *a, const struct session_tensor *b,
		     const struct difference *d);

#endif
