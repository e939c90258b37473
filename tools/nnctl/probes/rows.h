/* SPDX-License-Identifier: Apache-2.0 */
/* The models of all operations but control flow, as text. */
#ifndef NNCTL_PROBE_ROWS_H
#define NNCTL_PROBE_ROWS_H

#include <stddef.h>

#include "nnmodel.h"

/** All combinations of types that one text does for. */
struct probe_row {
	uint32_t opcode;
	const char *types; /* lists of columns, separated by spaces */
	const char *in, *out; /* probes/spec.h */
};

struct probe_table {
	const struct probe_row *rows;
	size_t num;
};

extern const struct probe_table probe_rows;

#endif
