// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Rows that a map may have: a number of 4 bytes for each is in the model. */
#define MAX_ROWS (4u << 20)

int32_t *import_new_map(struct import *im, int64_t count)
{
	int32_t *map = NULL;

	if (count < 0 || count > MAX_ROWS)
		import_lacks(im, "its result has %lld rows, may have %u", (long long)count,
			     MAX_ROWS);
	else if (!(map = calloc((size_t)count + 1, sizeof(*map))))
		import_failed(im, -ENOMEM, "out of memory");
	return map;
}

/* Where the rows are those of the map, as a constant. */
static int map_ops_mask(struct import *im, const struct import_map *m,
			const struct import_form *form)
{
	size_t inner = (size_t)m->inner, rows = (size_t)m->rows;
	struct import_form bits = { .type = NNMODEL_TENSOR_BOOL8, .rank = form->rank };
	uint8_t *values = malloc(rows * inner + 1);
	int ret;

	if (!values)
		return import_failed(im, -ENOMEM, "out of memory");
	memcpy(bits.dims, form->dims, sizeof(bits.dims));
	for (size_t i = 0; i < rows; i++)
		memset(values + i * inner, m->map[i] >= 0, inner);
	ret = import_constant(im, &bits, values, rows * inner);
	free(values);
	return ret;
}

static int emit_map(struct import *im, const struct import_map *m)
{
	struct import_form form = import_form_of(im, m->from), data;
	int32_t table[2] = { 0, m->inner }, *index;
	int ret, out, gathered, indices, other;

	if (m->from < 0 || m->other < -1)
		return -EINVAL;
	table[0] = 1;
	for (uint32_t d = 0; d < form.rank; d++)
		table[0] *= form.dims[d];
	table[0] /= m->inner;
	index = import_new_map(im, m->rows);
	if (!index)
		return -EOPNOTSUPP;
	for (int32_t i = 0; i < m->rows; i++)
		index[i] = m->map[i] < 0 ? 0 : m->map[i];
	indices = import_int32_tensor(im, index, (uint32_t)m->rows);
	free(index);
	data = form;
	data.rank = 2;
	data.dims[0] = m->rows;
	data.dims[1] = m->inner;
	ret = import_output_form(im, 0, &form);
	if (ret)
		return ret;
	form.rank = 2;
	memcpy(form.dims, data.dims, sizeof(form.dims));
	if (m->other < 0) {
		form.scale = data.scale;
		form.zero_point = data.zero_point;
	}
	out = import_output_as(im, 0, &form);
	gathered = m->other < 0 ? out : import_temporary(im, &data);
	ret = IMPORT_EMIT(im, NNMODEL_GATHER, gathered, import_reshaped(im, m->from, table, 2),
			  nnmodel_add_int32(im->nn, 0), indices);
	if (ret || m->other < 0)
		return ret;
	other = import_form_of(im, m->other).rank == 1 && import_form_of(im, m->other).dims[0] == 1
			? import_repeated(im, m->other, &form)
			: import_reshaped(im, m->other, form.dims, 2);
	return IMPORT_EMIT(im, NNMODEL_SELECT, out, map_ops_mask(im, m, &form), gathered, other);
}

int import_emit_map(struct import *im, struct import_map *m)
{
	int ret = m->map ? emit_map(im, m) : -EOPNOTSUPP;

	free(m->map);
	return ret;
}

/*
 * CONCATENATION of INT32, which NNAPI lacks: each input is repeated at its ends along the whole
 * axis, and a SELECT takes its part of it.
 */
int import_join(struct import *im, const int32_t view[3], int32_t axis)
{
	struct import_form form = { .type = NNMODEL_TENSOR_INT32, .rank = 3 };
	int32_t from = 0, *index = import_new_map(im, view[1]);
	struct import_map m = { .rows = view[0] * view[1], .inner = view[2] };
	int all = -1, ret = 0;
	int32_t *where = index ? import_new_map(im, m.rows) : NULL;

	memcpy(form.dims, view, 3 * sizeof(*view));
	for (uint32_t i = 0; where && i < im->op->num_inputs && !ret; i++) {
		const struct tflite_tensor *t = import_input_tensor(im, i);
		const int32_t own[3] = { view[0], t->dims[axis], view[2] };
		bool last = i + 1 == im->op->num_inputs;
		int part, bits, to;

		for (int32_t k = 0; k < view[1]; k++)
			index[k] = k < from ? 0 : k - from < own[1] ? k - from : own[1] - 1;
		for (int32_t k = 0; k < m.rows; k++)
			where[k] = k % view[1] < from ? -1 : 0;
		part = last && !i ? import_output_as(im, 0, &form) : import_temporary(im, &form);
		ret = IMPORT_EMIT(im, NNMODEL_GATHER, part,
				  import_reshaped(im, import_input(im, i), own, 3),
				  nnmodel_add_int32(im->nn, 1),
				  import_int32_tensor(im, index, (uint32_t)view[1]));
		if (!ret && i) {
			m.map = where;
			bits = map_ops_mask(im, &m, &form);
			to = last ? import_output_as(im, 0, &form) : import_temporary(im, &form);
			ret = IMPORT_EMIT(im, NNMODEL_SELECT, to, bits, part, all);
			part = to;
		}
		all = part;
		from += own[1];
	}
	if (!where)
		ret = -EOPNOTSUPP;
	free(where);
	free(index);
	return ret;
}

/* The map of a transposition, by counting up in the output. */
static void transposed_map(const struct import_form *x, const int32_t *order, int32_t *map,
			   int32_t count)
{
	int32_t stride[NNIMPORT_MAX_RANK], at[NNIMPORT_MAX_RANK] = { 0 }, from = 0;

	stride[x->rank - 1] = 1;
	for (uint32_t d = x->rank - 1; d-- > 0;)
		stride[d] = stride[d + 1] * x->dims[d + 1];
	for (int32_t i = 0; i < count; i++) {
		map[i] = from;
		for (uint32_t d = x->rank; d-- > 0;) {
			from += stride[order[d]];
			if (++at[d] < x->dims[order[d]])
				break;
			from -= stride[order[d]] * at[d];
			at[d] = 0;
		}
	}
}

static int read_order(struct import *im, uint32_t rank, int32_t *order)
{
	uint32_t seen = 0;
	int n = import_constant_ints(im, 1, order, NNIMPORT_MAX_RANK);

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++) {
		order[i] = import_axis(order[i], rank);
		if (order[i] >= 0 && (uint32_t)order[i] < rank)
			seen |= 1u << order[i];
	}
	return (uint32_t)n == rank && seen == (1u << rank) - 1
		       ? 0
		       : import_failed(im, -EINVAL, "its order names %d of %u dimensions", n, rank);
}

/*
 * Dimensions that stay beside each other are one, and those of 1 go. The rank that is left; @from
 * is the input by these dimensions, and @merged their order.
 */
static uint32_t merge_order(const struct tflite_tensor *x, const int32_t *order,
			    struct import_form *from, int32_t *merged)
{
	int32_t first[NNIMPORT_MAX_RANK], extent[NNIMPORT_MAX_RANK], next = -1;
	uint32_t n = 0;

	for (uint32_t k = 0; k < x->rank; k++) {
		if (x->dims[order[k]] == 1)
			continue;
		/* in the input, behind the one before but for dimensions of 1 */
		if (n && order[k] == next) {
			extent[n - 1] *= x->dims[order[k]];
		} else {
			first[n] = order[k];
			extent[n++] = x->dims[order[k]];
		}
		for (next = order[k] + 1; next < (int32_t)x->rank && x->dims[next] == 1; next++)
			;
	}
	if (!n) {
		first[n] = 0;
		extent[n++] = 1;
	}
	from->rank = n;
	for (uint32_t k = 0; k < n; k++) {
		merged[k] = 0;
		for (uint32_t i = 0; i < n; i++)
			merged[k] += first[i] < first[k];
		from->dims[merged[k]] = extent[k];
	}
	return n;
}

static int emit_order(struct import *im, const struct import_row *row,
		      const struct import_form *from, const int32_t *order)
{
	struct import_form form;
	int ret = import_output_form(im, 0, &form);

	if (ret)
		return ret;
	form.rank = from->rank;
	for (uint32_t k = 0; k < from->rank; k++)
		form.dims[k] = from->dims[order[k]];
	return IMPORT_EMIT(im, row->nn_opcode, import_output_as(im, 0, &form),
			   import_reshaped(im, import_input(im, 0), from->dims, from->rank),
			   import_int32_tensor(im, order, from->rank));
}

/* NNAPI's TRANSPOSE has no INT32. */
int import_transpose(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x;
	int32_t order[NNIMPORT_MAX_RANK], merged[NNIMPORT_MAX_RANK], *map;
	int ret = import_check_counts(im, 2, 2, 1);
	struct import_form form, from;
	size_t n;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	if ((x->type != NNIMPORT_INT32 && x->rank <= MERGED_RANK) || !x->rank)
		return import_with_ints(im, row);
	ret = read_order(im, x->rank, order);
	if (ret)
		return ret;
	if (x->type != NNIMPORT_INT32 && merge_order(x, order, &from, merged) <= MERGED_RANK)
		return emit_order(im, row, &from, merged);
	n = tflite_elements(x);
	form.rank = x->rank;
	memcpy(form.dims, x->dims, sizeof(form.dims));
	map = import_new_map(im, (int64_t)n);
	if (map)
		transposed_map(&form, order, map, (int32_t)n);
	return import_emit_map(im,
			       &(struct import_map){ import_input(im, 0), -1, (int32_t)n, 1, map });
}

/* Where a box of @box elements lies in one of @dims at @at: its elements; elsewhere -1. */
static void box_map(const int32_t *dims, const int32_t *box, const int32_t *at, uint32_t rank,
		    int32_t *map, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		int64_t rest = i, place = 0, stride = 1;

		for (uint32_t d = rank; d-- > 0 && place >= 0;) {
			int64_t k = rest % dims[d] - at[d];

			rest /= dims[d];
			place = k < 0 || k >= box[d] ? -1 : place + k * stride;
			stride *= box[d];
		}
		map[i] = (int32_t)place;
	}
}

/* One element with the form of operand @like whose first byte is @byte and the others 0. */
static int scalar_like(struct import *im, int like, uint8_t byte)
{
	struct import_form form = import_form_of(im, like);
	const uint8_t bytes[4] = { byte };

	if (like < 0)
		return like;
	form.rank = 1;
	form.dims[0] = 1;
	return import_constant(im, &form, bytes, nnmodel_type_size(form.type));
}

static int real_zero(struct import *im, int like)
{
	return scalar_like(im, like, (uint8_t)import_form_of(im, like).zero_point);
}

/* NNAPI's PAD has no INT32. */
int import_pad(struct import *im, const struct import_row *row)
{
	int32_t pads[2 * NNIMPORT_MAX_RANK], dims[NNIMPORT_MAX_RANK], at[NNIMPORT_MAX_RANK], *map;
	const bool has_value = im->op->num_inputs == 3;
	const struct tflite_tensor *x, *value;
	int ret = import_check_counts(im, 2, 3, 1), from;
	int64_t count = 1;

	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	value = import_input_tensor(im, 2);
	if (x->type != NNIMPORT_INT32 && x->rank <= MERGED_RANK)
		return has_value ? import_pad_with(im, row) : import_with_ints(im, row);
	ret = import_constant_ints(im, 1, pads, 2 * NNIMPORT_MAX_RANK);
	if (ret < 0)
		return ret;
	if ((uint32_t)ret != 2 * x->rank || (value && tflite_elements(value) != 1))
		return import_failed(im, -EINVAL, "it has %d paddings for rank %u", ret, x->rank);
	for (uint32_t d = 0; d < x->rank; d++) {
		int64_t extent = (int64_t)x->dims[d] + pads[2 * d] + pads[2 * d + 1];

		if (pads[2 * d] < 0 || pads[2 * d + 1] < 0 || extent > MAX_ROWS)
			return import_failed(im, -EINVAL, "paddings %d and %d of dimension %u",
					     pads[2 * d], pads[2 * d + 1], d);
		dims[d] = (int32_t)extent;
		at[d] = pads[2 * d];
		count *= extent;
		if (count > MAX_ROWS)
			break;
	}
	map = import_new_map(im, count);
	if (map)
		box_map(dims, x->dims, at, x->rank, map, count);
	from = import_input(im, 0);
	return import_emit_map(
		im, &(struct import_map){ from, value ? import_input(im, 2) : real_zero(im, from),
					  (int32_t)count, 1, map });
}

/* TFLite fills with the byte 0, whatever it means. */
static int stored_zero(struct import *im, int like)
{
	int32_t zero_point = import_form_of(im, like).zero_point;

	if (zero_point)
		return import_lacks(im, "its input has zero point %d, must be 0", zero_point);
	return scalar_like(im, like, 0);
}

enum { SCATTER_INDICES, SCATTER_UPDATES, SCATTER_SHAPE };

/* The row of the updates for each row of the result. */
static int scatter_map(struct import *im, const int32_t *indices, const int32_t *dims,
		       int32_t columns, int32_t updates, int32_t *map, int64_t rows)
{
	for (int64_t i = 0; i < rows; i++)
		map[i] = -1;
	for (int32_t i = 0; i < updates; i++) {
		int64_t at = 0;

		for (int32_t k = 0; k < columns; k++) {
			int32_t index = indices[i * columns + k];

			if (index < 0 || index >= dims[k])
				return import_failed(im, -EINVAL,
						     "index %d is outside dimension %d of %d",
						     index, k, dims[k]);
			at = at * dims[k] + index;
		}
		if (map[at] >= 0)
			return import_lacks(
				im,
				"rows %d and %d of its indices are equal: NNAPI does not add them up",
				map[at], i);
		map[at] = i;
	}
	return 0;
}

int import_scatter_nd(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *t, *x;
	int32_t dims[NNIMPORT_MAX_RANK], *map = NULL, *indices = NULL, columns, inner = 1;
	int ret = import_check_counts(im, 3, 3, 1), rank, from, zero;
	int64_t rows = 1;
	size_t n;

	(void)row;
	if (ret)
		return ret;
	t = import_input_tensor(im, SCATTER_INDICES);
	x = import_input_tensor(im, SCATTER_UPDATES);
	rank = import_constant_ints(im, SCATTER_SHAPE, dims, NNIMPORT_MAX_RANK);
	if (rank < 0)
		return rank;
	if (!t->data)
		return import_lacks(im, "its indices (tensor %s) must be constants", t->name);
	n = tflite_elements(t);
	columns = t->rank ? t->dims[t->rank - 1] : 0;
	for (int d = 0; d < rank && rows <= MAX_ROWS; d++) {
		if (dims[d] < 1)
			return import_failed(im, -EINVAL, "extent %d of its shape is %d", d,
					     dims[d]);
		if (d < columns)
			rows *= dims[d];
		else if (__builtin_mul_overflow(inner, dims[d], &inner))
			return import_failed(im, -EINVAL, "its result is too large");
	}
	if (columns < 1 || columns > rank ||
	    tflite_elements(x) != n / (size_t)columns * (size_t)inner)
		return import_failed(im, -EINVAL, "tensors %s and %s do not fit its shape", t->name,
				     x->name);
	map = import_new_map(im, rows);
	indices = map ? import_new_map(im, (int64_t)n) : NULL;
	ret = indices ? import_constant_ints(im, SCATTER_INDICES, indices, (uint32_t)n)
		      : -EOPNOTSUPP;
	if (ret >= 0)
		ret = scatter_map(im, indices, dims, columns, (int32_t)(n / (size_t)columns), map,
				  rows);
	free(indices);
	from = import_input(im, SCATTER_UPDATES);
	zero = ret ? ret : stored_zero(im, from);
	if (zero >= 0)
		return import_emit_map(im, &(struct import_map){ from, zero, (int32_t)rows, inner,
								 map });
	free(map);
	return zero;
}

enum { UPDATE_OPERAND, UPDATE_UPDATE, UPDATE_START };

/* DYNAMIC_UPDATE_SLICE at a constant place, which is moved inside as TFLite does. */
int import_update_slice(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *u;
	int32_t start[NNIMPORT_MAX_RANK], *map;
	int ret = import_check_counts(im, 3, 3, 1);
	size_t n;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, UPDATE_OPERAND);
	u = import_input_tensor(im, UPDATE_UPDATE);
	ret = import_constant_ints(im, UPDATE_START, start, NNIMPORT_MAX_RANK);
	if (ret < 0)
		return ret;
	if ((uint32_t)ret != x->rank || u->rank != x->rank || u->type != x->type)
		return import_failed(im, -EINVAL, "tensor %s does not fit tensor %s", u->name,
				     x->name);
	for (uint32_t d = 0; d < x->rank; d++) {
		if (u->dims[d] > x->dims[d])
			return import_failed(im, -EINVAL, "tensor %s does not fit tensor %s",
					     u->name, x->name);
		if (start[d] > x->dims[d] - u->dims[d])
			start[d] = x->dims[d] - u->dims[d];
		if (start[d] < 0)
			start[d] = 0;
	}
	n = tflite_elements(x);
	map = import_new_map(im, (int64_t)n);
	if (map)
		box_map(x->dims, u->dims, start, x->rank, map, (int64_t)n);
	return import_emit_map(im, &(struct import_map){ import_input(im, UPDATE_UPDATE),
							 import_input(im, UPDATE_OPERAND),
							 (int32_t)n, 1, map });
}

enum { REVERSE_SEQ_DIM, REVERSE_BATCH_DIM };

/* REVERSE_SEQUENCE of constant lengths. */
int import_reverse_sequence(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *t;
	int32_t along, batch, *lengths = NULL, *map, last, inner = 1, seq_stride = 1, count;
	int ret = import_check_counts(im, 2, 2, 1);
	int64_t rows = 1;

	(void)row;
	if (ret)
		return ret;
	x = import_input_tensor(im, 0);
	t = import_input_tensor(im, 1);
	along = import_axis(import_option_int(im, REVERSE_SEQ_DIM, 0), x->rank);
	batch = import_axis(import_option_int(im, REVERSE_BATCH_DIM, 0), x->rank);
	if (along < 0 || batch < 0 || (uint32_t)along >= x->rank || (uint32_t)batch >= x->rank ||
	    along == batch || tflite_elements(t) != (size_t)x->dims[batch])
		return import_failed(im, -EINVAL,
				     "dimensions %d and %d do not fit tensors %s and %s", along,
				     batch, x->name, t->name);
	last = along > batch ? along : batch;
	for (int32_t d = 0; d < (int32_t)x->rank; d++) {
		if (d <= last)
			rows *= x->dims[d];
		else
			inner *= x->dims[d];
		if (d > along && d <= last)
			seq_stride *= x->dims[d];
	}
	map = import_new_map(im, rows);
	lengths = map ? import_new_map(im, x->dims[batch]) : NULL;
	count = lengths ? import_constant_ints(im, 1, lengths, (uint32_t)x->dims[batch])
			: -EOPNOTSUPP;
	ret = count < 0 ? count : 0;
	for (int64_t i = 0; i < rows && !ret; i++) {
		int64_t rest = i, at[NNIMPORT_MAX_RANK] = { 0 };
		int32_t length;

		for (int32_t d = last; d >= 0; d--) {
			at[d] = rest % x->dims[d];
			rest /= x->dims[d];
		}
		length = lengths[at[batch]];
		if (length < 0 || length > x->dims[along])
			ret = import_failed(im, -EINVAL, "length %d of dimension %d", length,
					    along);
		map[i] = (int32_t)(at[along] < length
					   ? i + (length - 1 - 2 * at[along]) * seq_stride
					   : i);
	}
	free(lengths);
	if (!ret)
		return import_emit_map(im, &(struct import_map){ import_input(im, 0), -1,
								 (int32_t)rows, inner, map });
	free(map);
	return ret;
}

/* MATRIX_DIAG, or with a second input MATRIX_SET_DIAG. */
int import_matrix_diag(struct import *im, const struct import_row *row)
{
	const struct tflite_tensor *x, *d;
	uint32_t diagonal = row->data;
	int ret = import_check_counts(im, diagonal + 1, diagonal + 1, 1), from, other;
	int32_t rows, columns, length, *map;
	size_t n;

	if (ret)
		return ret;
	d = import_input_tensor(im, diagonal);
	x = diagonal ? import_input_tensor(im, 0) : import_output_tensor(im, 0);
	if (x->rank < 2 || d->rank != x->rank - 1)
		return import_failed(im, -EINVAL, "tensors %s and %s do not fit", d->name, x->name);
	rows = x->dims[x->rank - 2];
	columns = x->dims[x->rank - 1];
	length = rows < columns ? rows : columns;
	n = tflite_elements(x);
	if (tflite_elements(d) != n / (size_t)rows / (size_t)columns * (size_t)length)
		return import_failed(im, -EINVAL, "tensors %s and %s do not fit", d->name, x->name);
	map = import_new_map(im, (int64_t)n);
	for (int32_t i = 0; map && i < (int32_t)n; i++) {
		int32_t column = i % columns;

		map[i] = column == i / columns % rows ? i / columns / rows * length + column : -1;
	}
	from = import_input(im, diagonal);
	other = diagonal ? import_input(im, 0) : stored_zero(im, from);
	if (other >= 0)
		return import_emit_map(im, &(struct import_map){ from, other, (int32_t)n, 1, map });
	free(map);
	return other;
}
