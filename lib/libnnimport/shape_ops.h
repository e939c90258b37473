/* SPDX-License-Identifier: Apache-2.0 */
/* Translation of operations that move elements, choose some of them, or reduce them. */
#ifndef NNIMPORT_SHAPE_OPS_H
#define NNIMPORT_SHAPE_OPS_H

#include "importer.h"

/** RESHAPE, SQUEEZE, EXPAND_DIMS: the shape is that of the output. */
int import_reshape_op(struct import *im, const struct import_row *row);
int import_unpack(struct import *im, const struct import_row *row);
/** A tensor and an INT32 tensor of parameters. */
int import_with_ints(struct import *im, const struct import_row *row);
int import_tile(struct import *im, const struct import_row *row);
int import_pad_with(struct import *im, const struct import_row *row);
int import_mirror_pad(struct import *im, const struct import_row *row);
/** MEAN takes its flag as INT32, the others as BOOL. */
int import_mean(struct import *im, const struct import_row *row);
int import_reduce(struct import *im, const struct import_row *row);
int import_arg_minmax(struct import *im, const struct import_row *row);
int import_topk(struct import *im, const struct import_row *row);
/** The options of RESIZE_BILINEAR begin with two unused fields. */
int import_resize_bilinear(struct import *im, const struct import_row *row);
int import_resize_nearest(struct import *im, const struct import_row *row);
int import_gather(struct import *im, const struct import_row *row);
int import_embedding(struct import *im, const struct import_row *row);
int import_hashtable(struct import *im, const struct import_row *row);
int import_slice(struct import *im, const struct import_row *row);
int import_strided_slice(struct import *im, const struct import_row *row);
int import_split(struct import *im, const struct import_row *row);
int import_split_v(struct import *im, const struct import_row *row);
int import_depth(struct import *im, const struct import_row *row);
int import_space_to_batch(struct import *im, const struct import_row *row);
int import_batch_to_space(struct import *im, const struct import_row *row);
int import_reverse(struct import *im, const struct import_row *row);
int import_zeros(struct import *im, const struct import_row *row);

#endif
