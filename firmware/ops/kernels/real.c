// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "half/half.h"
#include "kernels/kernel.h"
#include "kernels/requant.h"
#include "nnprog_shape.h"

void nnfw_real_load(float *dst, const struct nnfw_tensor *t, size_t from, size_t n)
{
#define LOAD(type)                                                         \
	do {                                                               \
		const type *s = (const type *)t->data + from;              \
		for (size_t i = 0; i < n; i++)                             \
			dst[i] = (float)(s[i] - t->zero_point) * t->scale; \
	} while (0)
	/* nothing may have no address */
	if (!n)
		return;
	switch (t->dtype) {
	case NNPROG_FLOAT32:
		memcpy(dst, (const float *)t->data + from, n * sizeof(*dst));
		break;
	case NNPROG_FLOAT16:
		nnfw_half_load(dst, (const uint16_t *)t->data + from, n);
		break;
	case NNPROG_INT8:
		LOAD(int8_t);
		break;
	case NNPROG_INT16:
		LOAD(int16_t);
		break;
	case NNPROG_UINT16:
		LOAD(uint16_t);
		break;
	default:
		LOAD(uint8_t);
		break;
	}
#undef LOAD
}

void nnfw_real_store(const struct nnfw_tensor *t, size_t to, const float *src, size_t n)
{
	int32_t lo, hi;

	if (!n)
		return;
	nnfw_type_range(t->dtype, &lo, &hi);
#define STORE(type)                                                                          \
	do {                                                                                 \
		type *d = (type *)t->data + to;                                              \
		for (size_t i = 0; i < n; i++)                                               \
			d[i] = (type)nnfw_quantize(src[i], t->scale, t->zero_point, lo, hi); \
	} while (0)
	switch (t->dtype) {
	case NNPROG_FLOAT32:
		memcpy((float *)t->data + to, src, n * sizeof(*src));
		break;
	case NNPROG_FLOAT16:
		nnfw_half_store((uint16_t *)t->data + to, src, n);
		break;
	case NNPROG_INT8:
		STORE(int8_t);
		break;
	case NNPROG_INT16:
		STORE(int16_t);
		break;
	case NNPROG_UINT16:
		STORE(uint16_t);
		break;
	default:
		STORE(uint8_t);
		break;
	}
#undef STORE
}

int nnfw_real_load_long(struct nnfw_work *work, float *dst, const struct nnfw_tensor *t,
			size_t from, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_real_load(dst + i, t, from + i, end - i);
	}
	return 0;
}

int nnfw_real_store_long(struct nnfw_work *work, const struct nnfw_tensor *t, size_t to,
			 const float *src, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_real_store(t, to + i, src + i, end - i);
	}
	return 0;
}

int nnfw_real_view(struct nnfw_progress *progress, const struct nnfw_tensor *t, uint8_t **next,
		   const float **view)
{
	struct nnfw_work work = { .progress = progress };
	float *copy;

	*view = t->omitted ? NULL : t->data;
	if (t->omitted || t->dtype == NNPROG_FLOAT32)
		return 0;
	copy = nnfw_take(next, t->elements * sizeof(float));
	*view = copy;
	return nnfw_real_load_long(&work, copy, t, 0, t->elements);
}
