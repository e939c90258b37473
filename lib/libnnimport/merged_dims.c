// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <string.h>

void merged_form(struct import_form *form)
{
	uint32_t extra = form->rank > MERGED_RANK ? form->rank - MERGED_RANK : 0;

	if (!extra)
		return;
	for (uint32_t d = 1; d <= extra; d++)
		form->dims[0] *= form->dims[d];
	memmove(form->dims + 1, form->dims + 1 + extra, (MERGED_RANK - 1) * sizeof(*form->dims));
	form->rank = MERGED_RANK;
}

int merged_refuse(struct import *im, uint32_t count)
{
	return import_lacks(im, "it works along %u dimensions: NNAPI has up to %d", count,
			    MERGED_RANK);
}

static bool is_broadcast_input(const struct import *im, uint32_t i)
{
	return import_input_tensor(im, i) && !(i < 32 && im->row->unread >> i & 1);
}

/* Extent of a tensor along dimension @d of @rank, to which it broadcasts. */
static int32_t extent(const struct tflite_tensor *t, uint32_t rank, uint32_t d)
{
	return d + t->rank < rank ? 1 : t->dims[d + t->rank - rank];
}

/* Whether all inputs are repeated along both dimensions, or neither. */
static bool merged_dims_alike(const struct import *im, const int32_t *full, uint32_t rank,
			      uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < im->op->num_inputs; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);

		if (is_broadcast_input(im, i) &&
		    (extent(t, rank, a) == full[a]) != (extent(t, rank, b) == full[b]))
			return false;
	}
	return true;
}

int merged_choose_groups(struct import *im)
{
	const struct tflite_tensor *y = import_output_tensor(im, 0);
	int32_t full[NNIMPORT_MAX_RANK];
	uint32_t rank = y ? y->rank : 0, last = 0;

	im->num_groups = 0;
	for (uint32_t i = 0; i < im->op->num_inputs; i++)
		if (is_broadcast_input(im, i) && import_input_tensor(im, i)->rank > rank)
			rank = import_input_tensor(im, i)->rank;
	if (rank <= MERGED_RANK)
		return 0;
	for (uint32_t d = 0; d < rank; d++) {
		full[d] = y->ranked ? extent(y, rank, d) : 1;
		for (uint32_t i = 0; i < im->op->num_inputs; i++) {
			int32_t own = is_broadcast_input(im, i)
					      ? extent(import_input_tensor(im, i), rank, d)
					      : 1;

			if (own != 1 && full[d] != 1 && own != full[d])
				return import_failed(im, -EINVAL,
						     "extents %d and %d do not broadcast", full[d],
						     own);
			full[d] = own == 1 ? full[d] : own;
		}
		/* dimensions of 1 go with any */
		if (full[d] != 1) {
			if (!im->num_groups || !merged_dims_alike(im, full, rank, last, d))
				im->num_groups++;
			last = d;
		}
		im->groups[d] = im->num_groups ? im->num_groups - 1 : 0;
	}
	if (!im->num_groups)
		im->num_groups = 1;
	im->groups_rank = rank;
	return im->num_groups > MERGED_RANK ? merged_refuse(im, im->num_groups) : 0;
}

void merged_by_groups(const struct import *im, const struct tflite_tensor *t,
		      struct import_form *form)
{
	form->rank = im->num_groups;
	for (uint32_t g = 0; g < im->num_groups; g++)
		form->dims[g] = 1;
	for (uint32_t d = 0; d < im->groups_rank; d++)
		form->dims[im->groups[d]] *= extent(t, im->groups_rank, d);
}

void merged_around(const struct tflite_tensor *t, int32_t axis, int32_t view[3])
{
	view[0] = view[1] = view[2] = 1;
	for (int32_t d = 0; d < (int32_t)t->rank; d++)
		view[d < axis ? 0 : d == axis ? 1 : 2] *= t->dims[d];
}
