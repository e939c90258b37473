// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "half/half.h"
#include "kernels/kernel.h"
#include "nnprog_shape.h"

uint32_t nnfw_zero_value(const struct nnfw_tensor *t)
{
	if (nnfw_is_quant8(t->dtype))
		return (uint8_t)t->zero_point * 0x01010101u;
	if (t->dtype == NNPROG_INT16 || t->dtype == NNPROG_UINT16)
		return (uint16_t)t->zero_point * 0x10001u;
	return 0;
}

void nnfw_fill(void *to, size_t n, size_t size, const void *value)
{
	if (size == 1) {
		memset(to, *(const uint8_t *)value, n);
	} else if (size == 2) {
		uint16_t v;

		memcpy(&v, value, 2);
		for (size_t i = 0; i < n; i++)
			((uint16_t *)to)[i] = v;
	} else {
		uint32_t v;

		memcpy(&v, value, 4);
		for (size_t i = 0; i < n; i++)
			((uint32_t *)to)[i] = v;
	}
}

/* Bytes that are moved between two ticks. */
#define SLICE 262144u

int nnfw_fill_long(struct nnfw_work *work, void *to, size_t n, size_t size, const void *value)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = nnfw_slice(work, i, n);
		if (!end)
			return -ECANCELED;
		nnfw_fill((uint8_t *)to + i * size, end - i, size, value);
	}
	return 0;
}

int nnfw_copy_long(struct nnfw_work *work, void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += SLICE) {
		size_t count = bytes - i < SLICE ? bytes - i : SLICE;
		int ret = nnfw_work(work, count / 4 + 1);

		if (ret)
			return ret;
		memcpy((uint8_t *)to + i, (const uint8_t *)from + i, count);
	}
	return 0;
}

int nnfw_line_load(struct nnfw_work *work, float *line, const struct nnfw_tensor *t, size_t from,
		   size_t n, size_t inner)
{
	const uint16_t *half = (const uint16_t *)t->data + from;
	const float *single = (const float *)t->data + from;

	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		if (inner == 1) {
			if (t->dtype == NNPROG_FLOAT16)
				nnfw_half_load(line + i, half + i, end - i);
			else
				memcpy(line + i, single + i, (end - i) * sizeof(*line));
			i = end;
		} else if (t->dtype == NNPROG_FLOAT16) {
			for (; i < end; i++)
				line[i] = nnfw_half_to_float(half[i * inner]);
		} else {
			for (; i < end; i++)
				line[i] = single[i * inner];
		}
	}
	return 0;
}

int nnfw_line_store(struct nnfw_work *work, const float *line, const struct nnfw_tensor *t,
		    size_t to, size_t n, size_t inner)
{
	uint16_t *half = (uint16_t *)t->data + to;
	float *single = (float *)t->data + to;

	for (size_t i = 0; i < n;) {
		size_t end = nnfw_slice(work, i, n);

		if (!end)
			return -ECANCELED;
		if (inner == 1) {
			if (t->dtype == NNPROG_FLOAT16)
				nnfw_half_store(half + i, line + i, end - i);
			else
				memcpy(single + i, line + i, (end - i) * sizeof(*line));
			i = end;
		} else if (t->dtype == NNPROG_FLOAT16) {
			for (; i < end; i++)
				half[i * inner] = nnfw_float_to_half(line[i]);
		} else {
			for (; i < end; i++)
				single[i * inner] = line[i];
		}
	}
	return 0;
}

/* Drop dimensions of extent 1 and merge neighbours that are walked as one. */
static struct nnfw_strided merged(const struct nnfw_strided *s)
{
	struct nnfw_strided m = { .rank = 0 };

	for (uint32_t i = 0; i < s->rank; i++) {
		uint32_t last = m.rank - 1;

		if (s->extent[i] == 1)
			continue;
		if (m.rank && m.stride[last] == s->stride[i] * (ptrdiff_t)s->extent[i]) {
			m.extent[last] *= s->extent[i];
			m.stride[last] = s->stride[i];
			continue;
		}
		nnfw_strided_add(&m, s->extent[i], s->stride[i]);
	}
	if (!m.rank)
		nnfw_strided_add(&m, 1, 1);
	return m;
}

int nnfw_strided_copy(struct nnfw_progress *progress, const struct nnfw_strided *strided, void *dst,
		      const void *src, size_t size)
{
	struct nnfw_strided s = merged(strided);
	size_t index[NNPROG_MAX_RANK + 2] = { 0 }, row = s.extent[s.rank - 1];
	ptrdiff_t stride = s.stride[s.rank - 1], bytes = (ptrdiff_t)size;
	struct nnfw_work work = { .progress = progress };
	const uint8_t *from = src;
	uint8_t *to = dst;

	for (;;) {
		uint32_t d;

		for (size_t i = 0, end; i < row; i = end) {
			end = nnfw_slice(&work, i, row);
			if (!end)
				return -ECANCELED;
			nnfw_copy_row(to, from + (ptrdiff_t)i * stride * bytes, end - i, stride,
				      size);
			to += (end - i) * size;
		}
		for (d = s.rank - 1; d-- > 0;) {
			if (++index[d] < s.extent[d]) {
				from += s.stride[d] * bytes;
				break;
			}
			from -= s.stride[d] * bytes * (ptrdiff_t)(s.extent[d] - 1);
			index[d] = 0;
		}
		if (d == UINT32_MAX)
			return 0;
	}
}
