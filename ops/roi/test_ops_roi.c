// SPDX-License-Identifier: Apache-2.0
/*
 * ROI_ALIGN, ROI_POOLING and HEATMAP_MAX_KEYPOINT, an element at a time; positions in float32 as
 * stated.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8 };

/* Boxes in eighths, within @width and @height. */
static struct nnfw_tensor regions(uint32_t type, uint32_t n, uint32_t width, uint32_t height)
{
	bool quantized = type == NNPROG_UINT8 || type == NNPROG_INT8;
	struct nnfw_tensor t = op_tensor(quantized ? NNPROG_UINT16 : type, DIMS(n, 4));

	if (quantized)
		op_quantize(&t, 0.125f, 0);
	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t d = 0; d < 2; d++) {
			uint32_t extent = 8 * (d ? height : width), a = op_random(extent + 1);
			uint32_t b = op_random(extent + 1), lo = a < b ? a : b, hi = a < b ? b : a;

			oracle_set_number(&t, 4 * r + d, quantized ? lo : lo / 8.0);
			oracle_set_number(&t, 4 * r + 2 + d, quantized ? hi : hi / 8.0);
		}
	}
	return t;
}

struct setup {
	struct op_test t;
	uint32_t batch, height, width, channels, rois;
};

static struct setup make(uint32_t opcode, const struct nnprog_attr_roi *a, uint32_t type)
{
	struct setup s = { .batch = op_random_range(1, 3),
			   .height = op_random_range(1, 9),
			   .width = op_random_range(1, 9),
			   .channels = op_random_range(1, 5),
			   .rois = op_random_range(1, 4) };
	int32_t batch[4];

	s.t = (struct op_test){ .opcode = opcode, .attrs = a, .num_in = 3 };
	s.t.in[0] = op_tensor(type, DIMS(s.batch, s.height, s.width, s.channels));
	s.t.in[1] = regions(type, s.rois, (uint32_t)((float)s.width * a->width_ratio),
			    (uint32_t)((float)s.height * a->height_ratio));
	for (uint32_t r = 0; r < s.rois; r++)
		batch[r] = (int32_t)op_random(s.batch);
	s.t.in[2] = op_values(DIMS(s.rois), batch);
	s.t.out[0] = op_output(type, 0, 0);
	if (!oracle_is_float(&s.t.in[0])) {
		op_quantize(&s.t.in[0], (float)op_uniform(0.01, 0.1), op_zero_point(type));
		s.t.out[0] = op_output(type, s.t.in[0].scale, s.t.in[0].zero_point);
	}
	return s;
}

/* The number minus its zero point: the value that is averaged or compared. */
static float value(const struct nnfw_tensor *in, uint32_t b, size_t y, size_t x, uint32_t c)
{
	uint64_t i = ((b * (uint64_t)in->dims[1] + y) * in->dims[2] + x) * in->dims[3] + c;

	return (float)(oracle_number(in, i) - (oracle_is_float(in) ? 0 : in->zero_point));
}

static void sample(float at, uint32_t extent, size_t *first, size_t *second, float *weight)
{
	*first = (size_t)floorf(at);
	*second = *first + 1;
	*weight = at - (float)*first;
	if (*first + 1 >= extent) {
		*first = *second = extent - 1;
		*weight = 0;
	}
}

static double align(const struct setup *s, const struct nnprog_attr_roi *a, const uint32_t *at)
{
	const struct nnfw_tensor *in = &s->t.in[0], *out = &s->t.out[0];
	float box[4], start[2], step[2], bin[2], sum = 0;
	uint32_t n[2], b = (uint32_t)oracle_number(&s->t.in[2], at[0]);

	for (int d = 0; d < 2; d++) {
		float ratio = d ? a->width_ratio : a->height_ratio, scale = 1 / ratio, size;

		box[d] = (float)oracle_real(&s->t.in[1], 4 * at[0] + 1 - (uint32_t)d) * scale;
		box[2 + d] = (float)oracle_real(&s->t.in[1], 4 * at[0] + 3 - (uint32_t)d) * scale;
		size = fmaxf(box[2 + d] - box[d], 1);
		start[d] = box[d];
		step[d] = size / (float)(d ? a->width : a->height);
		n[d] = d ? a->width_samples : a->height_samples;
		n[d] = n[d] ? n[d] : (uint32_t)ceilf(step[d]);
		bin[d] = step[d] / (float)n[d];
	}
	for (uint32_t i = 0; i < n[0]; i++) {
		for (uint32_t j = 0; j < n[1]; j++) {
			size_t y1, y2, x1, x2;
			float dy, dx;

			sample(start[0] + step[0] * (float)at[1] + bin[0] / 2 + bin[0] * (float)i,
			       in->dims[1], &y1, &y2, &dy);
			sample(start[1] + step[1] * (float)at[2] + bin[1] / 2 + bin[1] * (float)j,
			       in->dims[2], &x1, &x2, &dx);
			sum += (1 - dx) * (1 - dy) * value(in, b, y1, x1, at[3]) +
			       dx * (1 - dy) * value(in, b, y1, x2, at[3]) +
			       (1 - dx) * dy * value(in, b, y2, x1, at[3]) +
			       dx * dy * value(in, b, y2, x2, at[3]);
		}
	}
	sum /= (float)n[0] * (float)n[1];
	if (oracle_is_float(in))
		return sum;
	return fmin(fmax(out->zero_point + oracle_round_away(sum / (float)((double)out->scale /
									   (double)in->scale)),
			 out->dtype == NNPROG_INT8 ? -128 : 0),
		    out->dtype == NNPROG_INT8 ? 127 : 255);
}

TEST(test_align)
{
	op_seed(50);
	for (uint32_t round = 0; round < 300; round++) {
		struct nnprog_attr_roi a = {
			.height = op_random_range(1, 4),
			.width = op_random_range(1, 4),
			.height_ratio = ldexpf(1, (int)op_random(4) - 1),
			.width_ratio = ldexpf(1, (int)op_random(4) - 1),
			.height_samples = op_random(4),
			.width_samples = op_random(4),
		};
		struct setup s = make(NNPROG_OP_ROI_ALIGN, &a, types[round % 4]);
		double want[4 * 4 * 4 * 5];

		if (round % 4 >= 2)
			s.t.out[0].scale = s.t.in[0].scale * (float)op_uniform(0.3, 3);
		assert_int_equal(op_run(&s.t), 0);
		for (uint64_t i = 0; i < s.t.out[0].elements; i++) {
			uint32_t at[4];

			oracle_unflat(4, s.t.out[0].dims, i, at);
			want[i] = align(&s, &a, at);
		}
		oracle_compare(&s.t.out[0], want, "roi align");
		op_release();
	}
}

static double pool(const struct setup *s, const struct nnprog_attr_roi *a, const uint32_t *at)
{
	const struct nnfw_tensor *in = &s->t.in[0];
	uint32_t b = (uint32_t)oracle_number(&s->t.in[2], at[0]);
	double lo[2], hi[2], best = 0;
	bool any = false;

	for (int d = 0; d < 2; d++) {
		float scale = 1 / (d ? a->width_ratio : a->height_ratio), size, step;
		float first = (float)oracle_round_away(
			(float)oracle_real(&s->t.in[1], 4 * at[0] + 1 - (uint32_t)d) * scale);
		float last = (float)oracle_round_away(
			(float)oracle_real(&s->t.in[1], 4 * at[0] + 3 - (uint32_t)d) * scale);

		size = fmaxf(last - first + 1, 1);
		step = size / (float)(d ? a->width : a->height);
		lo[d] = floor(first + step * (float)at[1 + d]);
		hi[d] = ceil(first + step * (float)(at[1 + d] + 1));
	}
	for (uint32_t y = 0; y < in->dims[1]; y++) {
		for (uint32_t x = 0; x < in->dims[2]; x++) {
			double v = value(in, b, y, x, at[3]);

			if (y < lo[0] || y >= hi[0] || x < lo[1] || x >= hi[1])
				continue;
			best = !any || v > best ? v : best;
			any = true;
		}
	}
	return best + (oracle_is_float(in) ? 0 : in->zero_point);
}

TEST(test_pooling)
{
	op_seed(51);
	for (uint32_t round = 0; round < 300; round++) {
		struct nnprog_attr_roi a = {
			.height = op_random_range(1, 5),
			.width = op_random_range(1, 5),
			.height_ratio = ldexpf(1, (int)op_random(4) - 1),
			.width_ratio = ldexpf(1, (int)op_random(4) - 1),
		};
		struct setup s = make(NNPROG_OP_ROI_POOLING, &a, types[round % 4]);
		double want[4 * 5 * 5 * 5];

		assert_int_equal(op_run(&s.t), 0);
		for (uint64_t i = 0; i < s.t.out[0].elements; i++) {
			uint32_t at[4];

			oracle_unflat(4, s.t.out[0].dims, i, at);
			want[i] = pool(&s, &a, at);
		}
		oracle_compare(&s.t.out[0], want, "roi pooling");
		op_release();
	}
}

/* Edges at exact halves go away from zero; 4/3 * 3 is 4. */
TEST(test_pooling_rounding)
{
	struct nnprog_attr_roi a = { .height = 1, .width = 1, .height_ratio = 2, .width_ratio = 2 };
	struct op_test t = { .opcode = NNPROG_OP_ROI_POOLING, .attrs = &a, .num_in = 3 };
	const float box[4] = { 1, 0, 1, 0 }, wide[4] = { 0, 0, 6, 0 };
	const int32_t zero = 0;

	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 6, 1));
	for (int i = 0; i < 6; i++)
		((float *)t.in[0].data)[i] = (float)(i + 1);
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4));
	t.in[2] = op_values(DIMS(1), &zero);
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	memcpy(t.in[1].data, box, sizeof(box));
	assert_int_equal(op_run(&t), 0);
	assert_true(((float *)t.out[0].data)[0] == 2);
	/* pixels 0 to 3 in three cells: the last one ends at 4 */
	memcpy(t.in[1].data, wide, sizeof(wide));
	a.width = 3;
	assert_int_equal(op_run(&t), 0);
	assert_true(((float *)t.out[0].data)[2] == 4);
	op_release();
}

/* Element @i of rois, or of the batch, becomes @v: refused by the run. */
TEST(test_malformed)
{
	static const struct {
		int operand, element;
		double v;
	} bad[] = {
		{ 2, 0, -1 },  { 2, 1, 2 },   { 2, 0, INT32_MIN }, { 1, 0, -0.5 },
		{ 1, 1, -8 },  { 1, 0, 7.5 }, { 1, 1, 7.5 },	   { 1, 2, 8.5 },
		{ 1, 3, 8.5 }, { 1, 2, NAN }, { 1, 0, NAN },	   { 1, 3, INFINITY },
	};
	const uint32_t opcodes[] = { NNPROG_OP_ROI_ALIGN, NNPROG_OP_ROI_POOLING };
	const float boxes[8] = { 1, 1, 7, 7, 0, 0, 8, 8 };
	const int32_t batch[2] = { 0, 1 };

	for (int o = 0; o < 2; o++) {
		struct nnprog_attr_roi a = {
			.height = 2, .width = 2, .height_ratio = 2, .width_ratio = 2
		};

		for (size_t i = 0; i <= sizeof(bad) / sizeof(bad[0]); i++) {
			struct op_test t = { .opcode = opcodes[o], .attrs = &a, .num_in = 3 };

			t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 4, 4, 1));
			t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(2, 4));
			memcpy(t.in[1].data, boxes, sizeof(boxes));
			t.in[2] = op_values(DIMS(2), batch);
			t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
			if (i) {
				oracle_set_number(&t.in[bad[i - 1].operand],
						  (uint64_t)bad[i - 1].element, bad[i - 1].v);
				assert_int_equal(op_run(&t), -EINVAL);
			} else {
				assert_int_equal(op_run(&t), 0);
			}
			op_release();
		}
		for (int i = 0; i < 4; i++) {
			struct op_test t = { .opcode = opcodes[o], .attrs = &a, .num_in = 3 };

			a = (struct nnprog_attr_roi){ .height = i != 0,
						      .width = i != 1,
						      .height_ratio = i == 2 ? 0 : 1,
						      .width_ratio = i == 3 ? NAN : 1 };
			t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4, 4, 1));
			t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 4));
			t.in[2] = op_values(DIMS(1), batch);
			t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
			op_refused(&t);
		}
	}
}

static double at(const struct nnfw_tensor *in, uint32_t b, int y, int x, uint32_t k)
{
	int size = (int)in->dims[1];

	y = y < 0 ? 1 : y == size ? size - 2 : y;
	x = x < 0 ? 1 : x == size ? size - 2 : x;
	return oracle_real(in, ((b * (uint64_t)in->dims[1] + (uint32_t)y) * in->dims[2] +
				(uint32_t)x) * in->dims[3] +
				       k);
}

static void keypoint(const struct nnfw_tensor *in, uint32_t b, uint32_t k, double *score,
		     double *px, double *py)
{
	double limit = in->dtype == NNPROG_FLOAT16 ? 1e-3 : 1e-5, bx, by, xx, yy, xy, det, dx = 0,
	       dy = 0, far;
	int size = (int)in->dims[1], y = 0, x = 0;

	for (int i = 0; i < size; i++) {
		for (int j = 0; j < size; j++) {
			if (at(in, b, i, j, k) > at(in, b, y, x, k)) {
				y = i;
				x = j;
			}
		}
	}
	bx = (at(in, b, y, x - 1, k) - at(in, b, y, x + 1, k)) / 2;
	by = (at(in, b, y - 1, x, k) - at(in, b, y + 1, x, k)) / 2;
	xx = at(in, b, y, x - 1, k) - 2 * at(in, b, y, x, k) + at(in, b, y, x + 1, k);
	yy = at(in, b, y - 1, x, k) - 2 * at(in, b, y, x, k) + at(in, b, y + 1, x, k);
	xy = (at(in, b, y + 1, x + 1, k) - at(in, b, y + 1, x - 1, k) - at(in, b, y - 1, x + 1, k) +
	      at(in, b, y - 1, x - 1, k)) /
	     4;
	det = xx * yy - xy * xy;
	if (fabs(det) >= limit + limit * xx * yy) {
		dx = (yy * bx - xy * by) / det;
		dy = (xx * by - xy * bx) / det;
		far = fmax(fabs(dx), fabs(dy));
		dx *= far > 1.5 ? 1.5 / far : 1;
		dy *= far > 1.5 ? 1.5 / far : 1;
	}
	*score = at(in, b, y, x, k) - bx * dx - by * dy +
		 (xx * dx * dx + 2 * xy * dx * dy + yy * dy * dy) / 2;
	*px = (x + dx + 0.5) / size;
	*py = (y + dy + 0.5) / size;
}

TEST(test_heatmap)
{
	op_seed(52);
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t type = types[round % 4], batch = op_random_range(1, 3),
			 size = op_random_range(2, 6), maps = op_random_range(1, 4);
		struct op_test t = { .opcode = NNPROG_OP_HEATMAP_MAX_KEYPOINT,
				     .num_in = 2,
				     .num_out = 2 };
		bool quantized = round % 4 >= 2;

		t.in[0] = op_tensor(type, DIMS(batch, size, size, maps));
		t.in[1] = regions(type, batch, 20, 20);
		t.out[0] = op_output(type, 0, 0);
		t.out[1] = op_output(quantized ? NNPROG_UINT16 : type, quantized ? 0.125f : 0, 0);
		if (quantized) {
			op_quantize(&t.in[0], 0.02f, op_zero_point(type));
			t.out[0] = op_output(type, 0.03f, op_zero_point(type));
		}
		assert_int_equal(op_run(&t), 0);
		for (uint32_t n = 0; n < batch * maps; n++) {
			const struct nnfw_tensor *box = &t.in[1];
			double score, x, y,
				allowed = type == NNPROG_FLOAT32   ? 1e-3
					  : type == NNPROG_FLOAT16 ? 0.1
								   : 0.07;
			uint64_t b = n / maps;

			keypoint(&t.in[0], (uint32_t)b, n % maps, &score, &x, &y);
			x = x * (oracle_real(box, 4 * b + 2) - oracle_real(box, 4 * b)) +
			    oracle_real(box, 4 * b);
			y = y * (oracle_real(box, 4 * b + 3) - oracle_real(box, 4 * b + 1)) +
			    oracle_real(box, 4 * b + 1);
			if (quantized) {
				double lo = type == NNPROG_INT8 ? -128 : 0;

				score = fmin(fmax(score, (lo - t.out[0].zero_point) * 0.03),
					     (lo + 255 - t.out[0].zero_point) * 0.03);
				x = fmax(x, 0);
				y = fmax(y, 0);
			}
			assert_true(fabs(oracle_real(&t.out[0], n) - score) <=
				    (quantized ? 0.016 : allowed));
			assert_true(fabs(oracle_real(&t.out[1], 2 * n) - x) <= allowed);
			assert_true(fabs(oracle_real(&t.out[1], 2 * n + 1) - y) <= allowed);
		}
		oracle_set_number(&t.in[1], 0, oracle_number(&t.in[1], 2) + 8);
		op_refused(&t);
	}
}

/* A determinant between the thresholds of float16 and float32: only the latter moves the point. */
TEST(test_heatmap_threshold)
{
	static const double map[9] = { 0, 0.9921875, 0, 0.9921875, 1, 0.96875, 0, 0.96875, 0 };
	static const float box[4] = { 0, 0, 3, 3 };

	for (int half = 0; half < 2; half++) {
		uint32_t type = half ? NNPROG_FLOAT16 : NNPROG_FLOAT32;
		struct op_test t = { .opcode = NNPROG_OP_HEATMAP_MAX_KEYPOINT,
				     .num_in = 2,
				     .num_out = 2 };

		t.in[0] = op_tensor(type, DIMS(1, 3, 3, 1));
		t.in[1] = op_tensor(type, DIMS(1, 4));
		for (int i = 0; i < 9; i++)
			oracle_set_number(&t.in[0], (uint64_t)i, map[i] * 0.5);
		for (int i = 0; i < 4; i++)
			oracle_set_number(&t.in[1], (uint64_t)i, box[i]);
		t.out[0] = t.out[1] = op_output(type, 0, 0);
		assert_int_equal(op_run(&t), 0);
		/* second differences of -5/256: the determinant is about 3.8e-4 */
		if (half)
			assert_true(oracle_number(&t.out[1], 0) == 1.5);
		else
			assert_true(fabs(oracle_number(&t.out[1], 0) - 1.2) < 1e-4);
		op_release();
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_align),
		cmocka_unit_test(test_pooling),
		cmocka_unit_test(test_pooling_rounding),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_heatmap),
		cmocka_unit_test(test_heatmap_threshold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
