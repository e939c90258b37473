/* SPDX-License-Identifier: Apache-2.0 */
/* How far the same tensor of two sessions differs. */
#ifndef NNCTL_DIFFERENCE_H
#define NNCTL_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "session/session.h"

/** What counts as equal. */
struct difference_bounds {
	double steps; /* of integers, as they are stored */
	double part; /* of floats: part of the largest magnitude in the tensor */
};

struct difference {
	size_t elements, unequal; /* unequal: not the same number */
	bool beyond; /* the bounds, somewhere */
	bool floats; /* max is real, else in steps */
	double max; /* INFINITY: of a NaN, or an infinity, and another number */
	size_t at; /* where max is */
};

/** Tensors of the same type and shape. */
struct difference difference_of(const struct session_tensor *a, const struct session_tensor *b,
				const struct difference_bounds *bounds);

/** The place of element @i as "[0, 3, 17]". */
const char *difference_place(const struct session_tensor *t, size_t i, char *text, size_t size);

#endif
