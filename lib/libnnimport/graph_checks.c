// SPDX-License-Identifier: Apache-2.0
#include "importer.h"

#include <math.h>
#include <stdlib.h>

#define MAX_BYTES (1u << 30)

bool tflite_check_type(struct fb *fb, size_t pos, const struct tflite_tensor *tensor)
{
	if (tensor->type < 0 || tensor->type >= NNIMPORT_TYPE_COUNT)
		return fb_fail(fb, pos, "tensor %s has type %d", tensor->name, tensor->type);
	return true;
}

bool tflite_check_shape(struct fb *fb, size_t pos, bool has_rank, struct tflite_tensor *tensor)
{
	size_t element = nnimport_type_size(tensor->type), bytes = element ? element : 1;

	if (tensor->rank > NNIMPORT_MAX_RANK)
		return fb_fail(fb, pos, "tensor %s has %u dimensions", tensor->name, tensor->rank);
	for (uint32_t i = 0; i < tensor->rank; i++) {
		int32_t dim = tensor->dims[i];

		if (dim < 0)
			return fb_fail(fb, pos + 4 * (size_t)i, "dimension %u of tensor %s is %d",
				       i, tensor->name, dim);
		if (__builtin_mul_overflow(bytes, (size_t)dim, &bytes) || bytes > MAX_BYTES)
			return fb_fail(fb, pos, "tensor %s is larger than 1 GiB", tensor->name);
	}
	tensor->size = element ? bytes : 0;
	tensor->ranked = tensor->rank || has_rank;
	return true;
}

static bool check_zero_points(struct tflite_model *model, const struct tflite_tensor *tensor)
{
	int64_t low = tensor->type == NNIMPORT_INT8 ? INT8_MIN : 0;
	int64_t high = tensor->type == NNIMPORT_INT8 ? INT8_MAX : UINT8_MAX;

	if (tensor->type != NNIMPORT_INT8 && tensor->type != NNIMPORT_UINT8)
		return true;
	for (uint32_t i = 0; i < tensor->zero_point.count; i++) {
		int64_t zero_point = tflite_zero_point(model, tensor, i);

		if (zero_point < low || zero_point > high)
			return fb_fail(&model->fb, tensor->zero_point.pos + 8 * (size_t)i,
				       "zero point %u of tensor %s is %lld, outside %s", i,
				       tensor->name, (long long)zero_point,
				       nnimport_type_name(tensor->type));
	}
	return true;
}

bool tflite_check_quantization(struct tflite_model *model, struct tflite_tensor *tensor)
{
	uint32_t count = tensor->scale.count;

	if (tensor->zero_point.count && tensor->zero_point.count != count)
		return fb_fail(&model->fb, tensor->zero_point.pos,
			       "tensor %s has %u scales and %u zero points", tensor->name, count,
			       tensor->zero_point.count);
	if (count > 1 && (tensor->quantized_dimension < 0 ||
			  (uint32_t)tensor->quantized_dimension >= tensor->rank ||
			  (uint32_t)tensor->dims[tensor->quantized_dimension] != count))
		return fb_fail(&model->fb, tensor->scale.pos,
			       "the scales of tensor %s do not fit dimension %d of its shape",
			       tensor->name, tensor->quantized_dimension);
	if (!check_zero_points(model, tensor))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		float scale = tflite_scale(model, tensor, i);

		if (!isfinite(scale) || scale < 0)
			return fb_fail(&model->fb, tensor->scale.pos + 4 * (size_t)i,
				       "scale %u of tensor %s is %g", i, tensor->name, scale);
	}
	tensor->num_scales = count;
	return true;
}

/* Two values of 4 bits in a byte, the lower first, become INT8. */
static bool unpack_int4(struct tflite_model *model, size_t pos, const uint8_t *bytes, size_t size,
			struct tflite_tensor *tensor)
{
	size_t n = tflite_elements(tensor);
	int8_t *values;

	if (!tflite_may_make(model, n))
		return fb_fail(&model->fb, pos,
			       "tensor %s: its constants are too large for a file of %zu bytes",
			       tensor->name, model->fb.size);
	if (size != (n + 1) / 2)
		return fb_fail(&model->fb, pos, "tensor %s needs %zu bytes but its buffer has %zu",
			       tensor->name, (n + 1) / 2, size);
	values = malloc(n + 1);
	if (!values)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint8_t nibble = (bytes[i / 2] >> (i % 2 * 4)) & 15;

		values[i] = (int8_t)((nibble ^ 8) - 8);
	}
	tensor->type = NNIMPORT_INT8;
	tensor->size = n;
	tflite_set_constant(tensor, values);
	return true;
}

bool tflite_set_contents(struct tflite_model *model, size_t pos, const uint8_t *bytes, size_t size,
			 struct tflite_tensor *tensor)
{
	if (tensor->type == NNIMPORT_INT4)
		return unpack_int4(model, pos, bytes, size, tensor);
	if (nnimport_type_size(tensor->type) && size != tensor->size)
		return fb_fail(&model->fb, pos, "tensor %s needs %zu bytes but its buffer has %zu",
			       tensor->name, tensor->size, size);
	tensor->data = bytes;
	tensor->size = size;
	tensor->ranked = true;
	return true;
}

bool tflite_check_list(struct fb *fb, size_t pos, const int32_t *list, uint32_t count,
		       uint32_t num_tensors, bool optional, const char *what)
{
	for (uint32_t i = 0; i < count; i++)
		if (list[i] < (optional ? -1 : 0) ||
		    (list[i] >= 0 && (uint32_t)list[i] >= num_tensors))
			return fb_fail(fb, pos, "%s %u names tensor %d of %u", what, i, list[i],
				       num_tensors);
	return true;
}
