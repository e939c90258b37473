/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse tensors made dense. */
#ifndef NNIMPORT_SPARSITY_H
#define NNIMPORT_SPARSITY_H

#include "tflite.h"

/**
 * Contents of a tensor whose buffer @data lists elements in the order of the table @sparsity
 * (SparsityParameters). False on failure: the reason is in @fb, or there is no memory.
 */
bool tflite_densify(struct fb *fb, const struct fb_table *sparsity, const struct fb_vector *data,
		    struct tflite_tensor *tensor);

#endif
