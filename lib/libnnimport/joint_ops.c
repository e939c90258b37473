// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All inputs beside each other along an axis. */
struct joint {
	bool pack; /* a new axis */
	int32_t axis; /* in the file */
	bool merged; /* what lies before and behind the axis is one dimension each */
	int32_t view[3]; /* extents of the result: before, along and behind the axis */
};

/* Input @i; for a PACK in the quantization of the result. */
static int joint_input(struct import *im, uint32_t i, const struct joint *j,
		       const struct import_form *form)
{
	int operand = j->pack ? import_input_in(im, i, form->scale, form->zero_point)
			      : import_input(im, i);
	int32_t own[3] = { j->view[0], j->view[2], j->view[2] };

	if (!j->merged)
		return operand;
	if (!j->pack)
		own[1] = import_input_tensor(im, i)->dims[j->axis];
	return import_reshaped(im, operand, own, j->pack ? 2 : 3);
}

static int emit_joint(struct import *im, const struct joint *j, struct import_form *form)
{
	uint32_t n = 0, count = im->op->num_inputs;
	int *in = calloc((size_t)count + 2, sizeof(*in)), out, ret;
	int axis = nnmodel_add_int32(im->nn, j->merged ? 1 : j->axis);

	if (!in)
		return import_failed(im, -ENOMEM, "out of memory");
	if (j->merged) {
		form->rank = 3;
		memcpy(form->dims, j->view, sizeof(j->view));
	}
	if (j->pack)
		in[n++] = axis;
	for (uint32_t i = 0; i < count; i++)
		in[n++] = joint_input(im, i, j, form);
	if (!j->pack)
		in[n++] = axis;
	out = import_output_as(im, 0, form);
	ret = import_emit(im, j->pack ? NNMODEL_PACK : NNMODEL_CONCATENATION, in, n, &out, 1);
	free(in);
	return ret;
}

static bool same_shapes(const struct import *im)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0), *t;

	for (uint32_t i = 1; i < im->op->num_inputs; i++) {
		t = import_input_tensor(im, i);
		if (t->rank != x->rank || memcmp(t->dims, x->dims, x->rank * sizeof(*t->dims)))
			return false;
	}
	return true;
}

enum { PACK_COUNT, PACK_AXIS };

int import_pack(struct import *im, const struct import_row *row)
{
	int ret = import_check_list(im);
	const struct tflite_tensor *x;
	struct joint j = { .pack = true };
	struct import_form form;
	uint32_t rank;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	/* scalars are of shape [1], which gives a dimension more */
	rank = x->rank ? x->rank : 1;
	j.axis = import_axis(import_option_int(im, PACK_AXIS, 0), x->rank + 1);
	if (j.axis < 0 || (uint32_t)j.axis > x->rank || rank >= NNIMPORT_MAX_RANK)
		return import_failed(im, -EINVAL, "axis %d is not one for tensor %s", j.axis,
				     x->name);
	if (!same_shapes(im))
		return import_failed(im, -EINVAL, "its inputs differ in shape");
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	merged_around(x, j.axis, j.view);
	j.view[2] *= j.view[1];
	j.view[1] = (int32_t)im->op->num_inputs;
	form.rank = rank + 1;
	for (uint32_t d = 0, k = 0; d <= rank; d++)
		form.dims[d] = d == (uint32_t)j.axis ? j.view[1] : x->rank ? x->dims[k++] : 1;
	if (!import_output_tensor(im, 0)->ranked)
		ret = import_set_shape(im, import_output_tensor(im, 0), form.dims, form.rank);
	j.merged = form.rank > MERGED_RANK;
	return ret ? ret : emit_joint(im, &j, &form);
}

/* The inputs of a CONCATENATION have one shape but for the axis. */
static int joined_dims(struct import *im, int32_t axis, int32_t *dims)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0), *t;

	memcpy(dims, x->dims, sizeof(x->dims));
	for (uint32_t i = 1; i < im->op->num_inputs; i++) {
		t = import_input_tensor(im, i);
		for (uint32_t d = 0; d < x->rank; d++)
			if (t->rank != x->rank || (d != (uint32_t)axis && t->dims[d] != dims[d]))
				return import_failed(im, -EINVAL,
						     "tensors %s and %s differ in shape", x->name,
						     t->name);
		if (__builtin_add_overflow(dims[axis], t->dims[axis], &dims[axis]))
			return import_failed(im, -EINVAL, "its output is too large");
	}
	return 0;
}

enum { CONCATENATION_AXIS };

/* NNAPI's CONCATENATION has no INT32; PACK and RESHAPE do the same for inputs of one shape. */
int import_concatenation(struct import *im, const struct import_row *row)
{
	int32_t dims[NNIMPORT_MAX_RANK];
	int ret = import_check_list(im);
	const struct tflite_tensor *x;
	struct import_form form;
	struct joint j = { 0 };

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	j.axis = import_axis(import_option_int(im, CONCATENATION_AXIS, 0), x->rank);
	if (j.axis < 0 || (uint32_t)j.axis >= x->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", j.axis,
				     x->name);
	ret = joined_dims(im, j.axis, dims);
	if (!ret && !import_output_tensor(im, 0)->ranked)
		ret = import_set_shape(im, import_output_tensor(im, 0), dims, x->rank);
	if (!ret)
		ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	merged_around(x, j.axis, j.view);
	if (x->type == NNIMPORT_INT32 && !same_shapes(im)) {
		j.view[1] = dims[j.axis];
		return import_join(im, j.view, j.axis);
	}
	j.pack = x->type == NNIMPORT_INT32;
	j.merged = j.pack || x->rank > MERGED_RANK;
	j.view[1] = dims[j.axis];
	if (j.pack) {
		j.view[1] = (int32_t)im->op->num_inputs;
		j.view[2] *= x->dims[j.axis];
	}
	return emit_joint(im, &j, &form);
}
