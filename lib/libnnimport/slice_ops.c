// SPDX-License-Identifier: Apache-2.0
/* Parts of a tensor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"

enum { MASK_BEGIN, MASK_END, MASK_ELLIPSIS, MASK_NEW_AXIS, MASK_SHRINK, ENDS_ARE_SIZES };

/* A range per dimension of a tensor. */
struct ranges {
	uint32_t rank;
	int32_t begin[NNIMPORT_MAX_RANK], end[NNIMPORT_MAX_RANK], stride[NNIMPORT_MAX_RANK];
	int32_t count[NNIMPORT_MAX_RANK];
};

/* A dimension that is taken whole goes into the one in front of it, and any into one of 1. */
static void merge_ranges(const struct tflite_tensor *x, struct ranges *r, int32_t *dims)
{
	uint32_t n = 0;

	for (uint32_t d = 0; d < r->rank; d++) {
		int32_t extent = x->rank ? x->dims[d] : 1;

		if (n && r->stride[n - 1] == 1 && r->count[d] == extent && r->stride[d] == 1) {
			dims[n - 1] *= extent;
			r->begin[n - 1] *= extent;
			r->end[n - 1] *= extent;
			r->count[n - 1] *= extent;
			continue;
		}
		n -= n && dims[n - 1] == 1;
		dims[n] = extent;
		r->begin[n] = r->begin[d];
		r->end[n] = r->end[d];
		r->stride[n] = r->stride[d];
		r->count[n++] = r->count[d];
	}
	r->rank = n;
}

/* The elements one by one, of any type and number of dimensions. */
static int emit_mapped(struct import *im, int in, const struct ranges *r, const int32_t *dims)
{
	int64_t count = 1;
	int32_t *map;

	for (uint32_t d = 0; d < r->rank; d++)
		count *= r->count[d];
	map = import_new_map(im, count);
	for (int64_t i = 0; map && i < count; i++) {
		int64_t rest = i, stride = 1, at = 0;

		for (uint32_t d = r->rank; d-- > 0; stride *= dims[d]) {
			at += stride * (r->begin[d] + rest % r->count[d] * r->stride[d]);
			rest /= r->count[d];
		}
		map[i] = (int32_t)at;
	}
	return import_emit_map(im, &(struct import_map){ in, -1, (int32_t)count, 1, map });
}

/* The part of input @i of the operation that @parts says, as output @o. */
static int emit_slice(struct import *im, uint32_t i, uint32_t o, const struct ranges *parts)
{
	const struct tflite_tensor *x = import_input_tensor(im, i);
	int32_t end_mask = 0, dims[NNIMPORT_MAX_RANK];
	struct ranges merged = *parts, *r = &merged;
	struct import_form form;
	bool steps = false;
	int ret = import_output_form(im, o, &form), in, out;

	if (ret)
		return ret;
	in = import_input(im, i);
	if (in < 0)
		return in;
	memcpy(dims, x->dims, sizeof(dims));
	if (r->rank > MERGED_RANK)
		merge_ranges(x, r, dims);
	if (import_form_of(im, in).type == form.type) {
		form.scale = import_form_of(im, in).scale;
		form.zero_point = import_form_of(im, in).zero_point;
	}
	form.rank = r->rank;
	for (uint32_t d = 0; d < r->rank; d++) {
		steps |= r->stride[d] != 1;
		/* "in front of 0" is no number: it is the end of the mask */
		if (r->end[d] < 0)
			end_mask |= 1 << d;
		form.dims[d] = r->count[d];
		if (r->count[d] < 1)
			return import_lacks(
				im,
				"its result has no elements (dimension %u): NNAPI has no empty tensors",
				d);
	}
	if ((steps && form.type == NNMODEL_TENSOR_INT32) || r->rank > MERGED_RANK)
		return o ? merged_refuse(im, r->rank) : emit_mapped(im, in, r, dims);
	if (parts->rank > MERGED_RANK)
		in = import_reshaped(im, in, dims, r->rank);
	out = import_output_as(im, o, &form);
	if (!steps)
		return IMPORT_EMIT(im, NNMODEL_SLICE, out, in,
				   import_int32_tensor(im, r->begin, r->rank),
				   import_int32_tensor(im, r->count, r->rank));
	return IMPORT_EMIT(im, NNMODEL_STRIDED_SLICE, out, in,
			   import_int32_tensor(im, r->begin, r->rank),
			   import_int32_tensor(im, r->end, r->rank),
			   import_int32_tensor(im, r->stride, r->rank),
			   nnmodel_add_int32(im->nn, 0), nnmodel_add_int32(im->nn, end_mask),
			   nnmodel_add_int32(im->nn, 0));
}

/* All of a tensor. */
static void all_ranges(const struct tflite_tensor *x, struct ranges *r)
{
	*r = (struct ranges){ .rank = x->rank ? x->rank : 1, .end = { 1 }, .count = { 1 } };
	for (uint32_t d = 0; d < r->rank; d++) {
		r->stride[d] = 1;
		if (x->rank)
			r->end[d] = r->count[d] = x->dims[d];
	}
}

int import_slice(struct import *im, const struct import_row *row)
{
	int32_t begin[NNIMPORT_MAX_RANK], size[NNIMPORT_MAX_RANK];
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 3, 3, 1);
	struct ranges r;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	if (x->rank > MERGED_RANK &&
	    (!import_input_tensor(im, 1)->data || !import_input_tensor(im, 2)->data))
		return import_lacks(im, "tensor %s has rank %u: NNAPI has up to %d dimensions",
				    x->name, x->rank, MERGED_RANK);
	if (!import_input_tensor(im, 1)->data || !import_input_tensor(im, 2)->data)
		return IMPORT_EMIT(im, row->nn_opcode, import_output(im, 0), import_input(im, 0),
				   import_input(im, 1), import_input(im, 2));
	ret = import_constant_ints(im, 1, begin, NNIMPORT_MAX_RANK);
	if (ret >= 0 && (uint32_t)ret == x->rank)
		ret = import_constant_ints(im, 2, size, NNIMPORT_MAX_RANK);
	if (ret < 0)
		return ret;
	if ((uint32_t)ret != x->rank)
		return import_failed(im, -EINVAL, "its parameters have %d values for rank %u", ret,
				     x->rank);
	all_ranges(x, &r);
	for (uint32_t d = 0; d < x->rank; d++) {
		if (size[d] == -1)
			size[d] = begin[d] >= 0 && begin[d] <= x->dims[d] ? x->dims[d] - begin[d]
									  : -1;
		if (begin[d] < 0 || size[d] < 0 || size[d] > x->dims[d] - begin[d])
			return import_failed(
				im, -EINVAL,
				"%d elements from %d on are outside dimension %u of %d", size[d],
				begin[d], d, x->dims[d]);
		r.begin[d] = begin[d];
		r.count[d] = size[d];
		r.end[d] = begin[d] + size[d];
	}
	return emit_slice(im, 0, 0, &r);
}

/* The parameters of STRIDED_SLICE, each with an entry per dimension of its own. */
struct strided {
	int32_t begin[32], end[32], stride[32];
	int32_t count;
};

static int64_t slice_ops_clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* Entry @k of the parameters for dimension @d. */
static int strided_range(struct import *im, const struct strided *s, uint32_t k, uint32_t d,
			 const struct tflite_tensor *x, struct ranges *r)
{
	int64_t dim = x->dims[d], stride = s->stride[k], begin = s->begin[k], end = s->end[k];
	int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;

	if (!stride)
		return import_failed(im, -EINVAL, "stride %u is 0", k);
	if (import_option_byte(im, ENDS_ARE_SIZES, 0))
		end += begin;
	if (begin < 0)
		begin += dim;
	if (import_option_int(im, MASK_SHRINK, 0) >> k & 1) {
		if (begin < 0 || begin >= dim)
			return import_failed(im, -EINVAL, "index %d is outside dimension %u of %d",
					     s->begin[k], d, x->dims[d]);
		end = begin + 1;
		stride = 1;
	} else {
		if (end < 0 && !import_option_byte(im, ENDS_ARE_SIZES, 0))
			end += dim;
		begin = import_option_int(im, MASK_BEGIN, 0) >> k & 1
				? (stride > 0 ? 0 : dim - 1)
				: slice_ops_clamp(begin, low, high);
		end = import_option_int(im, MASK_END, 0) >> k & 1 ? (stride > 0 ? dim : -1)
								  : slice_ops_clamp(end, low, high);
	}
	r->begin[d] = (int32_t)begin;
	r->end[d] = (int32_t)end;
	r->stride[d] = (int32_t)stride;
	r->count[d] = (int32_t)slice_ops_clamp(stride > 0 ? (end - begin + stride - 1) / stride
							  : (begin - end - stride - 1) / -stride,
					       0, dim);
	return 0;
}

int import_strided_slice(struct import *im, const struct import_row *row)
{
	const int32_t new_axes = import_option_int(im, MASK_NEW_AXIS, 0),
		      ellipsis = import_option_int(im, MASK_ELLIPSIS, 0);
	struct strided s;
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 4, 4, 1), used = 0;
	struct ranges r;
	uint32_t d = 0;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	s.count = import_constant_ints(im, 1, s.begin, 32);
	if (s.count < 0)
		return s.count;
	for (uint32_t i = 2; i < 4; i++) {
		ret = import_constant_ints(im, i, i == 2 ? s.end : s.stride, 32);
		if (ret < 0)
			return ret;
		if (ret != s.count)
			return import_failed(im, -EINVAL, "input %u has %d values, input 1 %d", i,
					     ret, s.count);
	}
	for (int32_t k = 0; k < s.count; k++)
		used += !(new_axes >> k & 1) && !(ellipsis >> k & 1);
	all_ranges(x, &r);
	for (int32_t k = 0; k < s.count; k++) {
		if (ellipsis >> k & 1) {
			/* as many dimensions as the other entries leave */
			d += (uint32_t)used < x->rank ? x->rank - (uint32_t)used : 0;
			used = (int)x->rank;
			continue;
		}
		if (new_axes >> k & 1)
			continue;
		if (d >= x->rank)
			return import_failed(im, -EINVAL,
					     "it has more ranges than tensor %s dimensions",
					     x->name);
		ret = strided_range(im, &s, (uint32_t)k, d++, x, &r);
		if (ret)
			return ret;
	}
	/* new and dropped dimensions of 1 are a matter of the shape */
	return emit_slice(im, 0, 0, &r);
}

int import_split(struct import *im, const struct import_row *row)
{
	uint32_t n = im->op->num_outputs;
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 2, 2, n);
	struct ranges r;
	int32_t axis;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 1);
	ret = import_constant_ints(im, 0, &axis, 1);
	if (ret < 0)
		return ret;
	axis = import_axis(axis, x->rank);
	if (ret != 1 || axis < 0 || (uint32_t)axis >= x->rank || !n || (uint32_t)x->dims[axis] % n)
		return import_failed(im, -EINVAL, "tensor %s does not split into %u along %d",
				     x->name, n, axis);
	all_ranges(x, &r);
	r.count[axis] /= (int32_t)n;
	for (uint32_t i = 0; i < n && ret >= 0; i++) {
		r.begin[axis] = (int32_t)i * r.count[axis];
		r.end[axis] = r.begin[axis] + r.count[axis];
		ret = emit_slice(im, 1, i, &r);
	}
	return ret < 0 ? ret : 0;
}

int import_split_v(struct import *im, const struct import_row *row)
{
	uint32_t n = im->op->num_outputs;
	int ret = import_check_counts(im, 3, 3, n);
	const struct tflite_tensor *x, *y;
	struct ranges r;
	int32_t axis, at = 0;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	ret = import_constant_ints(im, 2, &axis, 1);
	if (ret < 0)
		return ret;
	axis = import_axis(axis, x->rank);
	if (ret != 1 || axis < 0 || (uint32_t)axis >= x->rank)
		return import_failed(im, -EINVAL, "axis %d is not one of tensor %s", axis, x->name);
	all_ranges(x, &r);
	/* the shapes of the outputs have the sizes, -1 resolved */
	for (uint32_t i = 0; i < n && ret >= 0; i++) {
		y = import_output_tensor(im, i);
		if (y->rank != x->rank || y->dims[axis] > x->dims[axis] - at)
			return import_failed(im, -EINVAL,
					     "output %u (tensor %s) does not fit tensor %s", i,
					     y->name, x->name);
		r.begin[axis] = at;
		r.count[axis] = y->dims[axis];
		r.end[axis] = at += y->dims[axis];
		ret = emit_slice(im, 0, i, &r);
	}
	return ret < 0 ? ret : 0;
}

enum { UNPACK_NUM, UNPACK_AXIS };

int import_unpack(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	uint32_t n = im->op->num_outputs;
	int ret = import_check_counts(im, 1, 1, n);
	struct ranges r;
	int32_t axis;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	axis = import_axis(import_option_int(im, UNPACK_AXIS, 0), x->rank);
	if (axis < 0 || (uint32_t)axis >= x->rank || (uint32_t)x->dims[axis] != n)
		return import_failed(im, -EINVAL, "tensor %s does not unpack into %u along %d",
				     x->name, n, axis);
	all_ranges(x, &r);
	r.count[axis] = 1;
	for (uint32_t i = 0; i < n && !ret; i++) {
		r.begin[axis] = (int32_t)i;
		r.end[axis] = (int32_t)i + 1;
		ret = emit_slice(im, 0, i, &r);
	}
	return ret;
}
