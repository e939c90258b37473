/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations whose output has elements of an input in an order that the file knows: a GATHER by a
 * constant list, and a SELECT where other values stand between them. Of any type and rank.
 */
#ifndef NNIMPORT_MAP_OPS_H
#define NNIMPORT_MAP_OPS_H

#include "importer.h"

/**
 * Rows of an operand in another order.
 * @from: the operand, read as rows of @inner elements
 * @rows: of the output
 * @map: of import_new_map(); the row of @from for each; -1: the row of @other, which is read in the
 * same way
 * @other: -1: there is no other row
 */
struct import_map {
	int from, other;
	int32_t rows, inner;
	int32_t *map;
};

/** Emit a map as output 0; the form is that of its row. Frees @m->map, also when it fails; if it is
 * NULL, -EOPNOTSUPP. */
int import_emit_map(struct import *im, struct import_map *m);
/** @count numbers for a map; NULL: import_failed() has the message. import_emit_map() or free() */
int32_t *import_new_map(struct import *im, int64_t count);

/** INT32 inputs behind each other along @axis; @view: the extents of the result before, along and
 * behind it. */
int import_join(struct import *im, const int32_t view[3], int32_t axis);

int import_transpose(struct import *im, const struct import_row *row);
int import_pad(struct import *im, const struct import_row *row);
int import_scatter_nd(struct import *im, const struct import_row *row);
int import_update_slice(struct import *im, const struct import_row *row);
int import_reverse_sequence(struct import *im, const struct import_row *row);
int import_matrix_diag(struct import *im, const struct import_row *row);

#endif
