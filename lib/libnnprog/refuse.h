/* SPDX-License-Identifier: Apache-2.0 */
/* How libnnprog refuses: the reason in the caller's struct nnprog_error. Private to libnnprog. */
#ifndef NNPROG_REFUSE_H
#define NNPROG_REFUSE_H

#include <errno.h>

#include "nnprog_desc.h"

/** No operation or subgraph, in struct nnprog_error. */
#define NNPROG_NONE UINT32_MAX

/** Fill @err (may be NULL) and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int nnprog_refuse(struct nnprog_error *err, const char *fmt,
							...);
/** The same for a shape over the limits: -EOVERFLOW. */
int nnprog_too_large(struct nnprog_error *err);

/** Fill @err (may be NULL); returns -EINVAL. */
int nnprog_refuse_at(struct nnprog_error *err, uint64_t offset, uint32_t subgraph,
		     uint32_t operation, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
