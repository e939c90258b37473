// SPDX-License-Identifier: Apache-2.0
/*
 * The operations on boxes against plain restatements: every selection searches for the best that is
 * left, in double.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_shape.h"
#include "op_harness.h"
#include "oracle.h"
#include "test_case.h"

#define MAX 512

static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8 };

static bool is_quantized(uint32_t type)
{
	return type == NNPROG_UINT8 || type == NNPROG_INT8;
}

static uint32_t coordinates(uint32_t type)
{
	return is_quantized(type) ? NNPROG_UINT16 : type;
}

/* @n boxes whose corners are in order, in eighths up to @extent. */
static struct nnfw_tensor boxes(uint32_t type, uint32_t rows, uint32_t per_row, uint32_t extent)
{
	struct nnfw_tensor t = op_tensor(coordinates(type), DIMS(rows, 4 * per_row));

	if (is_quantized(type))
		op_quantize(&t, 0.125f, 0);
	for (uint64_t i = 0; i < t.elements; i += 4) {
		for (int d = 0; d < 2; d++) {
			uint32_t a = op_random(8 * extent + 1), b = op_random(8 * extent + 1);
			double unit = is_quantized(type) ? 1 : 8;

			oracle_set_number(&t, i + (uint64_t)d, (a < b ? a : b) / unit);
			oracle_set_number(&t, i + 2 + (uint64_t)d, (a < b ? b : a) / unit);
		}
	}
	return t;
}

/* Scores in [0, 1), hardly two of them equal unless quantized. */
static struct nnfw_tensor scores(uint32_t type, struct nnfw_tensor t)
{
	if (is_quantized(type)) {
		op_quantize(&t, 1.0f / 256, type == NNPROG_INT8 ? -128 : 0);
		return t;
	}
	for (uint64_t i = 0; i < t.elements; i++)
		oracle_set_number(&t, i, op_uniform(0, 1));
	return t;
}

static double iou(const double *a, const double *b)
{
	double w = fmin(a[2], b[2]) - fmax(a[0], b[0]), h = fmin(a[3], b[3]) - fmax(a[1], b[1]);
	double both = fmax(w, 0) * fmax(h, 0);

	return both / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both);
}

static void load(const struct nnfw_tensor *t, uint64_t from, double *box)
{
	for (int i = 0; i < 4; i++)
		box[i] = oracle_real(t, from + (uint64_t)i);
}

static void compare(const struct nnfw_tensor *t, const double *want, const char *what)
{
	if (t->scale == 0) {
		oracle_compare(t, want, what);
		return;
	}
	for (uint64_t i = 0; i < t->elements; i++) {
		if (fabs(oracle_real(t, i) - want[i]) > 1.01 * t->scale)
			fail_msg("%s: element %llu is %g instead of %g", what,
				 (unsigned long long)i, oracle_real(t, i), want[i]);
	}
}

static void transform(const double *roi, const double *d, double width, double height, double *out)
{
	double w = roi[2] - roi[0], h = roi[3] - roi[1];
	double x = (roi[0] + roi[2]) / 2 + d[0] * w, y = (roi[1] + roi[3]) / 2 + d[1] * h;

	w *= exp(d[2]);
	h *= exp(d[3]);
	out[0] = fmin(fmax(x - w / 2, 0), width);
	out[1] = fmin(fmax(y - h / 2, 0), height);
	out[2] = fmin(fmax(x + w / 2, 0), width);
	out[3] = fmin(fmax(y + h / 2, 0), height);
}

TEST(test_transform)
{
	op_seed(60);
	for (uint32_t round = 0; round < 160; round++) {
		uint32_t type = types[round % 4], rois = op_random(5),
			 classes = op_random_range(1, 4), images = op_random_range(1, 3);
		struct op_test t = { .opcode = NNPROG_OP_AXIS_ALIGNED_BBOX_TRANSFORM, .num_in = 4 };
		int32_t batch[5];
		double want[MAX];

		for (uint32_t r = 0; r < 5; r++)
			batch[r] = (int32_t)op_random(images);
		t.in[0] = boxes(type, rois, 1, 30);
		t.in[1] = op_tensor(type, DIMS(rois, 4 * classes));
		t.in[2] = op_values(DIMS(rois), batch);
		t.in[3] = op_tensor(coordinates(type), DIMS(images, 2));
		if (is_quantized(type)) {
			op_quantize(&t.in[1], 0.01f, op_zero_point(type));
			op_quantize(&t.in[3], 0.125f, 0);
		}
		for (uint32_t i = 0; i < 2 * images; i++)
			oracle_set_number(&t.in[3], i,
					  (double)op_random_range(10, 30) *
						  (is_quantized(type) ? 8 : 1));
		t.out[0] = op_output(t.in[0].dtype, t.in[0].scale, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t i = 0; i < rois * classes; i++) {
			double roi[4], delta[4];
			uint64_t image = 2 * (uint64_t)batch[i / classes];

			load(&t.in[0], 4 * (uint64_t)(i / classes), roi);
			load(&t.in[1], 4 * (uint64_t)i, delta);
			transform(roi, delta, oracle_real(&t.in[3], image + 1),
				  oracle_real(&t.in[3], image), want + 4 * i);
		}
		/* half precision counts a coordinate of 30 in 1/64 */
		compare(&t.out[0], want, "bbox transform");
		if (rois) {
			((int32_t *)t.in[2].data)[rois - 1] = (int32_t)images;
			assert_int_equal(op_run(&t), -EINVAL);
			((int32_t *)t.in[2].data)[rois - 1] = -1;
			assert_int_equal(op_run(&t), -EINVAL);
			((int32_t *)t.in[2].data)[rois - 1] = 0;
			oracle_set_number(&t.in[0], 1, oracle_number(&t.in[0], 3) + 8);
			assert_int_equal(op_run(&t), -EINVAL);
		}
		op_release();
	}
}

/* ---- BOX_WITH_NMS_LIMIT ---- */

struct found {
	double score, box[4];
	uint32_t class, index;
	int32_t batch;
	bool dropped;
};

static double fade(const struct nnprog_attr_box_nms *a, double overlap)
{
	if (a->kernel == 2)
		return exp(-overlap * overlap / a->sigma);
	if (overlap < a->iou_threshold)
		return 1;
	return a->kernel == 1 ? 1 - overlap : 0;
}

/* All of one class in regions [first, end), appended to @found. */
static uint32_t select_class(const struct op_test *t, const struct nnprog_attr_box_nms *a,
			     uint32_t class, uint32_t first, uint32_t end, struct found *found)
{
	uint32_t classes = t->in[0].dims[1], n = 0, taken = 0;
	struct found left[MAX];

	for (uint32_t r = first; r < end; r++) {
		struct found f = { .score = oracle_real(&t->in[0], r * classes + class),
				   .class = class,
				   .index = r };

		load(&t->in[1], 4 * (uint64_t)(r * classes + class), f.box);
		if (f.score > a->score_threshold)
			left[n++] = f;
	}
	while (a->max_detections < 0 || taken < (uint32_t)a->max_detections) {
		struct found *best = NULL;

		for (uint32_t i = 0; i < n; i++) {
			if (!left[i].dropped && (!best || left[i].score > best->score))
				best = &left[i];
		}
		if (!best)
			break;
		best->dropped = true;
		found[taken++] = *best;
		for (uint32_t i = 0; i < n; i++) {
			if (left[i].dropped)
				continue;
			left[i].score *= fade(a, iou(best->box, left[i].box));
			left[i].dropped = left[i].score < a->nms_score_threshold;
		}
	}
	return taken;
}

/* The worst of all is dropped until they are few enough; then by class, and in it by score. */
static uint32_t limit(struct found *f, uint32_t n, const struct nnprog_attr_box_nms *a)
{
	while (a->max_detections >= 0 && n > (uint32_t)a->max_detections) {
		uint32_t worst = 0;

		for (uint32_t i = 1; i < n; i++) {
			if (f[i].score <= f[worst].score)
				worst = i;
		}
		memmove(f + worst, f + worst + 1, (n - worst - 1) * sizeof(*f));
		n--;
	}
	for (uint32_t i = 1; i < n; i++) {
		for (uint32_t j = i;
		     j && f[j - 1].class == f[j].class && f[j - 1].score < f[j].score; j--) {
			struct found swap = f[j];

			f[j] = f[j - 1];
			f[j - 1] = swap;
		}
	}
	return n;
}

static void compare_found(const struct op_test *t, const struct found *f, uint32_t n)
{
	double score[MAX], box[4 * MAX], class[MAX], batch[MAX];

	assert_int_equal(t->out[0].dims[0], n);
	for (uint32_t i = 0; i < n; i++) {
		score[i] = f[i].score;
		memcpy(box + 4 * i, f[i].box, sizeof(f[i].box));
		class[i] = f[i].class;
		batch[i] = f[i].batch;
	}
	compare(&t->out[0], score, "nms scores");
	compare(&t->out[1], box, "nms boxes");
	oracle_compare(&t->out[2], class, "nms classes");
	oracle_compare(&t->out[3], batch, "nms batches");
}

static struct op_test nms_test(const struct nnprog_attr_box_nms *a, uint32_t type, uint32_t rois,
			       uint32_t classes, const int32_t *batch)
{
	struct op_test t = {
		.opcode = NNPROG_OP_BOX_WITH_NMS_LIMIT, .attrs = a, .num_in = 3, .num_out = 4
	};

	t.in[0] = scores(type, op_tensor(type, DIMS(rois, classes)));
	t.in[1] = boxes(type, rois, classes, 10);
	t.in[2] = op_values(DIMS(rois), batch);
	t.out[0] = op_output(type, t.in[0].scale, t.in[0].zero_point);
	t.out[1] = op_output(t.in[1].dtype, t.in[1].scale, 0);
	t.out[2] = t.out[3] = op_output(NNPROG_INT32, 0, 0);
	return t;
}

TEST(test_nms)
{
	op_seed(61);
	for (uint32_t round = 0; round < 400; round++) {
		/* hard ones in all types; scores that fade stay apart in float32 only */
		uint32_t kernel = op_random(3),
			 type = kernel ? NNPROG_FLOAT32 : types[op_random(4)];
		struct nnprog_attr_box_nms a = {
			.score_threshold = (float)op_uniform(0, 0.5),
			.max_detections = (int32_t)op_random(8) - 1,
			.kernel = kernel,
			.iou_threshold = (float)op_uniform(0.1, 0.5),
			.sigma = (float)op_uniform(0.2, 1),
			.nms_score_threshold = (float)op_uniform(0.01, 0.3),
		};
		uint32_t rois = op_random(12), classes = op_random_range(2, 4), n = 0, end;
		int32_t batch[12], id = (int32_t)op_random(3);
		struct found f[MAX];
		struct op_test t;

		for (uint32_t r = 0; r < 12; r++)
			batch[r] = op_random(4) ? id : (id += 1 + (int32_t)op_random(2));
		t = nms_test(&a, type, rois, classes, batch);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t first = 0; first < rois; first = end) {
			uint32_t from = n, count = 0;

			for (end = first; end < rois && batch[end] == batch[first];)
				end++;
			for (uint32_t c = 1; c < classes; c++)
				count += select_class(&t, &a, c, first, end, f + from + count);
			n += limit(f + from, count, &a);
			for (; from < n; from++)
				f[from].batch = batch[first];
		}
		compare_found(&t, f, n);
		op_release();
	}
}

/* Scores at a threshold, overlaps at it, equal scores, and NaN. */
TEST(test_nms_edges)
{
	/* the second overlaps the first by exactly a half, the third not at all */
	const float box[] = { 0, 0, 2, 2, 0, 0, 2, 1, 5, 5, 6, 6 };
	const int32_t batch[3] = { 7, 7, 7 };
	struct nnprog_attr_box_nms a = { .score_threshold = 0.5f,
					 .max_detections = -1,
					 .iou_threshold = 0.5f,
					 .nms_score_threshold = 0.25f };

	for (int round = 0; round < 7; round++) {
		const float score[7][3] = { { 0.75f, 0.75f, 0.5f },   { 0.75f, 0.75f, 0.75f },
					    { 0.625f, 0.75f, 0.75f }, { 0.75f, 0.5625f, 0.75f },
					    { NAN, 0.75f, 0.625f },   { 0.5f, 0.5f, 0.5f },
					    { 0.75f, 0.5f, 0.75f } };
		const uint32_t want[7] = { 1, 2, 2, 3, 2, 0, 1 };
		struct op_test t = nms_test(&a, NNPROG_FLOAT32, 3, 2, batch);

		a.iou_threshold = round == 3 ? 0.5000001f : 0.5f;
		a.max_detections = round == 6 ? 1 : -1;
		for (int r = 0; r < 3; r++) {
			((float *)t.in[0].data)[2 * r + 1] = score[round][r];
			memcpy((float *)t.in[1].data + 8 * r + 4, box + 4 * r, 4 * sizeof(float));
		}
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[0], want[round]);
		/* of equal scores the first region */
		if (round <= 1 || round == 6)
			assert_true(((float *)t.out[1].data)[3] == 2);
		if (round == 2)
			assert_true(((float *)t.out[1].data)[3] == 1);
		if (want[round])
			assert_int_equal(((int32_t *)t.out[3].data)[0], 7);
		op_release();
	}
	/* linear: 0.75 * (1 - 1/2) is at the threshold and stays */
	for (int round = 0; round < 2; round++) {
		struct op_test t = nms_test(&a, NNPROG_FLOAT32, 2, 2, batch);

		a.kernel = 1;
		a.max_detections = -1;
		a.iou_threshold = 0.5f;
		a.nms_score_threshold = round ? 0.376f : 0.375f;
		for (int r = 0; r < 2; r++) {
			((float *)t.in[0].data)[2 * r + 1] = r ? 0.75f : 1;
			memcpy((float *)t.in[1].data + 8 * r + 4, box + 4 * r, 4 * sizeof(float));
		}
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[0], 2 - round);
		oracle_set_number(&t.in[1], 0, 11);
		assert_int_equal(op_run(&t), -EINVAL);
		a.kernel = 3;
		op_refused(&t);
	}
}

/*
 * Two boxes without area overlap by 0 / 0: the score that fades is NaN, which is the least, also as
 * a code.
 */
TEST(test_nms_of_empty_boxes)
{
	const int32_t batch[3] = { 0, 0, 0 };

	for (uint32_t kernel = 1; kernel < 3; kernel++) {
		for (int i = 0; i < 4; i++) {
			const uint32_t type = types[i];
			struct nnprog_attr_box_nms a = { .score_threshold = 0,
							 .max_detections = -1,
							 .kernel = kernel,
							 .iou_threshold = 0.5f,
							 .sigma = 0.5f,
							 .nms_score_threshold = 0.01f };
			struct op_test t = nms_test(&a, type, 3, 2, batch);

			/*
			 * in codes where there are codes; the third has an area, and lies elsewhere
			 */
			for (uint64_t n = 0; n < t.in[0].elements; n++)
				oracle_set_number(&t.in[0], n,
						  (n == 5 ? 0.25 : 0.5) *
								  (is_quantized(type) ? 256 : 1) +
							  t.in[0].zero_point);
			for (uint64_t n = 0; n < t.in[1].elements; n++)
				oracle_set_number(&t.in[1], n, n < 16 ? 1 : n % 4 < 2 ? 5 : 6);
			assert_int_equal(op_run(&t), 0);
			assert_int_equal(t.out[0].dims[0], 3);
			if (type == NNPROG_UINT8)
				assert_int_equal(((uint8_t *)t.out[0].data)[2], 0);
			else if (type == NNPROG_INT8)
				assert_int_equal(((int8_t *)t.out[0].data)[2], -128);
			else
				assert_true(isnan(oracle_number(&t.out[0], 2)));
			op_release();
		}
	}
}

/* ---- GENERATE_PROPOSALS ---- */

/* Indices by score, descending, the earlier first; plain insertion. */
static void rank(const double *score, uint32_t n, uint32_t *order)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = i;

		for (; j && score[order[j - 1]] < score[i]; j--)
			order[j] = order[j - 1];
		order[j] = i;
	}
}

static uint32_t suppress(uint32_t *order, uint32_t n, const double *box, double threshold,
			 uint32_t max)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n && kept < max; i++) {
		bool free = true;

		for (uint32_t k = 0; k < kept; k++)
			free &= !(iou(box + 4 * order[k], box + 4 * order[i]) >= threshold);
		if (free)
			order[kept++] = order[i];
	}
	return kept;
}

TEST(test_proposals)
{
	op_seed(62);
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t type = op_random(3) ? NNPROG_FLOAT32 : types[2 + op_random(2)],
			 images = op_random_range(1, 2);
		uint32_t h = op_random_range(1, 4), w = op_random_range(1, 4),
			 a = op_random_range(1, 3), n = h * w * a, written = 0;
		bool quantized = is_quantized(type);
		struct nnprog_attr_proposals attr = {
			.height_stride = (float)op_uniform(1, 5),
			.width_stride = (float)op_uniform(1, 5),
			.pre_nms_max = (int32_t)op_random(20) - 2,
			.post_nms_max = (int32_t)op_random(10) - 2,
			.iou_threshold = (float)op_uniform(0.1, 0.6),
			.min_size = (float)op_uniform(0, 3),
		};
		struct op_test t = { .opcode = NNPROG_OP_GENERATE_PROPOSALS,
				     .attrs = &attr,
				     .num_in = 4,
				     .num_out = 3 };
		double score[MAX], box[4 * MAX], out_score[MAX], out_box[4 * MAX], out_batch[MAX];
		uint32_t order[MAX];

		t.in[0] = scores(type, op_tensor(type, DIMS(images, h, w, a)));
		t.in[1] = op_tensor(type, DIMS(images, h, w, 4 * a));
		t.in[2] = op_tensor(quantized ? NNPROG_INT16 : type, DIMS(a, 4));
		t.in[3] = op_tensor(coordinates(type), DIMS(images, 2));
		if (quantized) {
			op_quantize(&t.in[1], 0.0131f, op_zero_point(type));
			op_quantize(&t.in[2], 0.125f, 0);
			op_quantize(&t.in[3], 0.125f, 0);
		}
		for (uint32_t i = 0; i < 4 * a; i++)
			oracle_set_number(&t.in[2], i,
					  (i % 4 < 2 ? -1.0 : 1.0) * op_random_range(1, 6) *
						  (quantized ? 8 : 1));
		for (uint32_t i = 0; i < 2 * images; i++)
			oracle_set_number(&t.in[3], i,
					  (double)op_random_range(8, 20) * (quantized ? 8 : 1));
		t.out[0] = op_output(type, t.in[0].scale, t.in[0].zero_point);
		t.out[1] = op_output(coordinates(type), quantized ? 0.125f : 0, 0);
		t.out[2] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t b = 0; b < images; b++) {
			double height = oracle_real(&t.in[3], 2 * b),
			       width = oracle_real(&t.in[3], 2 * b + 1);
			uint32_t usable = 0, count = n, kept;

			for (uint32_t i = 0; i < n; i++) {
				double dx = (double)(i / a % w) * attr.width_stride;
				double dy = (double)(i / a / w) * attr.height_stride, roi[4],
				       delta[4];

				load(&t.in[2], 4 * (i % a), roi);
				load(&t.in[1], 4 * (uint64_t)(b * n + i), delta);
				roi[0] += dx;
				roi[2] += dx;
				roi[1] += dy;
				roi[3] += dy;
				transform(roi, delta, width, height, box + 4 * i);
				score[i] = oracle_real(&t.in[0], b * n + i);
			}
			rank(score, n, order);
			if (attr.pre_nms_max > 0 && (uint32_t)attr.pre_nms_max < n)
				count = (uint32_t)attr.pre_nms_max;
			for (uint32_t i = 0; i < count; i++) {
				const double *p = box + 4 * order[i];

				if (p[2] - p[0] > attr.min_size && p[3] - p[1] > attr.min_size &&
				    (p[0] + p[2]) / 2 < width && (p[1] + p[3]) / 2 < height)
					order[usable++] = order[i];
			}
			kept = suppress(order, usable, box, attr.iou_threshold,
					attr.post_nms_max > 0 ? (uint32_t)attr.post_nms_max : MAX);
			for (uint32_t i = 0; i < kept; i++, written++) {
				out_score[written] = score[order[i]];
				memcpy(out_box + 4 * written, box + 4 * order[i],
				       4 * sizeof(double));
				out_batch[written] = b;
			}
		}
		assert_int_equal(t.out[0].dims[0], written);
		compare(&t.out[0], out_score, "proposals, scores");
		compare(&t.out[1], out_box, "proposals, boxes");
		oracle_compare(&t.out[2], out_batch, "proposals, batches");
		op_release();
	}
}

/* Overlap at the threshold is dropped; a width of min_size is; a centre on the border is. */
TEST(test_proposals_edges)
{
	struct nnprog_attr_proposals attr = { .height_stride = 1,
					      .width_stride = 1,
					      .iou_threshold = 0.5f };
	static const float anchors[2][8] = { { 0, 0, 2, 2, 0, 0, 2, 1 },
					     { 0, 0, 4, 4, 4, 0, 6, 3 } };

	for (int round = 0; round < 5; round++) {
		static const uint32_t want[] = { 1, 2, 1, 1, 2 };
		struct op_test t = { .opcode = NNPROG_OP_GENERATE_PROPOSALS,
				     .attrs = &attr,
				     .num_in = 4,
				     .num_out = 3 };

		attr.iou_threshold = round == 1 ? 0.5000001f : 0.5f;
		/* clipped at 4 the second box has no width, and its centre lies on the border */
		attr.min_size = round == 2 ? 0 : -1;
		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 1, 2));
		t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(1, 1, 1, 8));
		t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(2, 4));
		t.in[3] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2));
		memset(t.in[1].data, 0, t.in[1].size);
		memcpy(t.in[2].data, anchors[round >= 2], sizeof(anchors[0]));
		oracle_set_number(&t.in[3], 0, 4);
		oracle_set_number(&t.in[3], 1, round == 4 ? 8 : 4);
		t.out[0] = t.out[1] = op_output(NNPROG_FLOAT32, 0, 0);
		t.out[2] = op_output(NNPROG_INT32, 0, 0);
		oracle_set_number(&t.in[0], 0, 1);
		oracle_set_number(&t.in[0], 1, 0.5);
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[0], want[round]);
		op_release();
	}
}

/* ---- DETECTION_POSTPROCESSING ---- */

struct detected {
	double score[MAX], box[4 * MAX], class[MAX], count[4];
};

static void detect(const struct op_test *t, const struct nnprog_attr_detection *a, uint32_t b,
		   struct detected *d)
{
	uint32_t anchors = t->in[0].dims[1], classes = t->in[0].dims[2], room = t->out[0].dims[1],
		 n = 0;
	double box[4 * MAX], list_score[MAX], key[MAX];
	uint32_t list_anchor[MAX], list_class[MAX], order[MAX], all[MAX], found = 0, kept;

	for (uint32_t i = 0; i < anchors; i++) {
		double c[4], s[4], h, w;

		load(&t->in[2], 4 * i, c);
		load(&t->in[1], (uint64_t)(b * anchors + i) * t->in[1].dims[2], s);
		h = c[2] * exp(s[2] / a->scale_h) / 2;
		w = c[3] * exp(s[3] / a->scale_w) / 2;
		box[4 * i] = c[0] + s[0] / a->scale_y * c[2] - h;
		box[4 * i + 1] = c[1] + s[1] / a->scale_x * c[3] - w;
		box[4 * i + 2] = box[4 * i] + 2 * h;
		box[4 * i + 3] = box[4 * i + 1] + 2 * w;
	}
	for (uint32_t c = a->regular_nms ? 1 : classes - 1; c < classes; c++) {
		uint32_t m = 0;

		for (uint32_t i = 0; i < anchors; i++) {
			key[i] = oracle_real(&t->in[0], (b * anchors + i) * classes + c);
			for (uint32_t k = 1; !a->regular_nms && k < classes; k++)
				key[i] = fmax(key[i], oracle_real(&t->in[0],
								  (b * anchors + i) * classes + k));
		}
		rank(key, anchors, all);
		for (uint32_t i = 0; i < anchors; i++) {
			if (key[all[i]] > a->score_threshold)
				order[m++] = all[i];
		}
		kept = suppress(order, m, box, a->iou_threshold,
				a->regular_nms ? a->detections_per_class : a->max_detections);
		for (uint32_t i = 0; i < kept; i++) {
			double own[MAX];
			uint32_t best[MAX];

			if (a->regular_nms) {
				list_score[found] = key[order[i]];
				list_anchor[found] = order[i];
				list_class[found++] = c;
				continue;
			}
			for (uint32_t k = 1; k < classes; k++)
				own[k - 1] = oracle_real(&t->in[0],
							 (b * anchors + order[i]) * classes + k);
			rank(own, classes - 1, best);
			for (uint32_t k = 0; k < classes - 1 && k < a->max_classes; k++) {
				list_score[found] = own[best[k]];
				list_anchor[found] = order[i];
				list_class[found++] = best[k] + 1;
			}
		}
	}
	if (a->regular_nms)
		rank(list_score, found, all);
	for (uint32_t i = 0; i < room; i++) {
		uint32_t k = a->regular_nms && i < found ? all[i] : i, to = b * room + i;
		bool there = i < found;

		d->score[to] = there ? list_score[k] : 0;
		d->class[to] = there ? list_class[k] - (a->background_in_label ? 0.0 : 1.0) : 0;
		for (int e = 0; e < 4; e++)
			d->box[4 * to + (uint32_t)e] = there ? box[4 * list_anchor[k] + (uint32_t)e]
							     : 0;
		n += there;
	}
	d->count[b] = n;
}

TEST(test_detection)
{
	op_seed(63);
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t type = NNPROG_FLOAT32, batch = op_random_range(1, 3),
			 anchors = op_random_range(1, 10), classes = op_random_range(2, 5);
		struct nnprog_attr_detection a = {
			.scale_y = (float)op_uniform(1, 10),
			.scale_x = (float)op_uniform(1, 10),
			.scale_h = (float)op_uniform(1, 5),
			.scale_w = (float)op_uniform(1, 5),
			.regular_nms = round % 2,
			.max_detections = op_random_range(1, 8),
			.max_classes = op_random_range(1, 4),
			.detections_per_class = op_random_range(1, 4),
			.score_threshold = (float)op_uniform(0, 0.6),
			.iou_threshold = (float)op_uniform(0.1, 0.6),
			.background_in_label = op_random(2),
		};
		struct op_test t = { .opcode = NNPROG_OP_DETECTION_POSTPROCESSING,
				     .attrs = &a,
				     .num_in = 3,
				     .num_out = 4 };
		struct detected d;

		t.in[0] = scores(type, op_tensor(type, DIMS(batch, anchors, classes)));
		t.in[1] = op_tensor(type, DIMS(batch, anchors, op_random_range(4, 6)));
		t.in[2] = op_tensor(type, DIMS(anchors, 4));
		for (uint32_t i = 0; i < 4 * anchors; i++)
			oracle_set_number(&t.in[2], i, op_uniform(1, 5));
		t.out[0] = t.out[1] = op_output(type, 0, 0);
		t.out[2] = t.out[3] = op_output(NNPROG_INT32, 0, 0);
		assert_int_equal(op_run(&t), 0);
		assert_int_equal(t.out[0].dims[1],
				 a.max_detections * (a.regular_nms ? 1 : a.max_classes));
		for (uint32_t b = 0; b < batch; b++)
			detect(&t, &a, b, &d);
		oracle_compare(&t.out[0], d.score, "detection, scores");
		oracle_compare(&t.out[1], d.box, "detection, boxes");
		oracle_compare(&t.out[2], d.class, "detection, classes");
		oracle_compare(&t.out[3], d.count, "detection, counts");
		/* a score at the threshold is no candidate */
		a.score_threshold = 0.75f;
		for (uint64_t i = 0; i < t.in[0].elements; i++)
			oracle_set_number(&t.in[0], i, 0.75);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t b = 0; b < batch; b++)
			assert_int_equal(((int32_t *)t.out[3].data)[b], 0);
		a.scale_w = 0;
		op_refused(&t);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transform), cmocka_unit_test(test_nms),
		cmocka_unit_test(test_nms_edges), cmocka_unit_test(test_nms_of_empty_boxes),
		cmocka_unit_test(test_proposals), cmocka_unit_test(test_proposals_edges),
		cmocka_unit_test(test_detection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
