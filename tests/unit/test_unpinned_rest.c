// SPDX-License-Identifier: Apache-2.0
/*
 * Rules of NNAPI that its examples do not cover: boxes, regions, hashing, normalization,
 * declarations of temporaries, and rounding of results. All are NNAPI models.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lower_run.h"
#include "nnaccel/nnaccel_status.h"
#include "test_case.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct run_end run_any(uint32_t opcode, const char *in, const char *out,
			      const struct buffer *inputs, const struct buffer *outputs)
{
	struct nnmodel *m = spec_model(opcode, in, out);
	const struct run_end end = run_model_end(m, inputs, outputs);

	nnmodel_free(m);
	return end;
}

TEST(test_unpinned_l2_epsilon)
{
	const float tiny[4] = { 3e-7f, -4e-7f, 3e-6f, 4e-6f };
	float y[4];

	/* the norm counts as 1e-6 at least */
	run_op(NNMODEL_L2_NORMALIZATION, "F32:2x2", "F32:2x2", BUFFERS(BUFFER(tiny)),
	       BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 0.3f, -0.4f, 0.6f, 0.8f }, 4);
}

/* ---- regions ---- */

TEST(test_unpinned_roi)
{
	static const struct {
		float box[4];
		int32_t batch;
	} malformed[] = {
		{ { 0, 0, 4, 1 }, -1 },	   { { 0, 0, 4, 1 }, 1 },    { { -0.5f, 0, 4, 1 }, 0 },
		{ { 0, -0.5f, 4, 1 }, 0 }, { { 3, 0, 2.5f, 1 }, 0 }, { { 0, 1, 4, 0.5f }, 0 },
		{ { 0, 0, 12.5f, 1 }, 0 }, { { 0, 0, 4, 2.5f }, 0 }, { { NAN, 0, 4, 1 }, 0 },
	};
	static const char *const specs[] = {
		"F32:1x2x6x1 F32:1x4 I:1 i=1 i=2 f=1 f=2 i=1 i=1 b=0",
		"F32:1x2x6x1 F32:1x4 I:1 i=1 i=2 f=1 f=2 b=0",
	};
	static const uint32_t opcodes[] = { NNMODEL_ROI_ALIGN, NNMODEL_ROI_POOLING };
	const float map[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	const float line[6] = { 9, 2, 3, 4, 8, 7 };
	const float halves[2][4] = { { 1, 0, 5, 0 }, { 0, 1, 0, 5 } }, wide[4] = { 0, 1, 6, 1 };
	const int32_t zero = 0;
	float y[2];

	for (size_t o = 0; o < 2; o++)
		for (size_t i = 0; i < COUNT(malformed); i++) {
			const struct run_end end =
				run_any(opcodes[o], specs[o], "F32:1x1x2x1",
					BUFFERS(BUFFER(map), BUFFER(malformed[i].box),
						BYTES(&malformed[i].batch, 4)),
					BUFFERS(BUFFER(y)));

			assert_int_equal(end.status, NNACCEL_STATUS_EXEC_FAILED);
		}
	/*
	 * height before width, in extents and ratios: columns 0 to 3 of the second row, in two
	 * cells
	 */
	run_op(NNMODEL_ROI_POOLING, specs[1], "F32:1x1x2x1",
	       BUFFERS(BUFFER(map), BUFFER(wide), BYTES(&zero, 4)), BUFFERS(BUFFER(y)));
	expect_floats(y, (float[]){ 8, 10 }, 2);
	/*
	 * 0.5 and 2.5 are rounded away from 0, to 1 and 3: of pixels 1 to 3, along the width and
	 * the height
	 */
	for (int along = 0; along < 2; along++) {
		run_op(NNMODEL_ROI_POOLING,
		       along ? "F32:1x6x1x1 F32:1x4 I:1 i=1 i=1 f=2 f=2 b=0"
			     : "F32:1x1x6x1 F32:1x4 I:1 i=1 i=1 f=2 f=2 b=0",
		       "F32:1x1x1x1", BUFFERS(BUFFER(line), BUFFER(halves[along]), BYTES(&zero, 4)),
		       BUFFERS(BYTES(y, 4)));
		expect_floats(y, (float[]){ 4 }, 1);
	}
}

/* A determinant of about 3.8e-4: singular for float16 (1e-3), not for float32 (1e-5). */
TEST(test_unpinned_heatmap_singularity)
{
	const float map[9] = { 0, 0.49609375f, 0, 0.49609375f, 0.5f, 0.484375f, 0, 0.484375f, 0 };
	const float box[4] = { 0, 0, 3, 3 };
	_Float16 half_map[9], half_box[4], half_score, half_point[2];
	float score, point[2];

	for (int i = 0; i < 9; i++)
		half_map[i] = (_Float16)map[i];
	for (int i = 0; i < 4; i++)
		half_box[i] = (_Float16)box[i];
	run_op(NNMODEL_HEATMAP_MAX_KEYPOINT, "F32:1x3x3x1 F32:1x4 b=0", "F32:1x1 F32:1x1x2",
	       BUFFERS(BUFFER(map), BUFFER(box)), BUFFERS(BYTES(&score, 4), BUFFER(point)));
	assert_true(fabsf(point[0] - 1.2f) < 1e-3f && fabsf(point[1] - 1.2f) < 1e-3f);
	run_op(NNMODEL_HEATMAP_MAX_KEYPOINT, "F16:1x3x3x1 F16:1x4 b=0", "F16:1x1 F16:1x1x2",
	       BUFFERS(BUFFER(half_map), BUFFER(half_box)),
	       BUFFERS(BYTES(&half_score, 2), BUFFER(half_point)));
	assert_true(half_point[0] == 1.5 && half_point[1] == 1.5 && half_score == 0.5);
}

/* ---- boxes ---- */

/* The second overlaps the first by exactly a half, the third not at all; class 0 is background. */
TEST(test_unpinned_box_nms)
{
	static const struct {
		float scores[3];
		/* score threshold, most, kernel, overlap, sigma, score of the suppression */
		const char *parameters;
		uint32_t selected;
		float bottom; /* of the first one selected */
	} cases[] = {
		/*
		 * a score at the threshold is none; an overlap at the threshold is dropped; of a
		 * tie the first
		 */
		{ { 0.75f, 0.75f, 0.5f }, "f=0.5 i=-1 i=0 f=0.5 f=0.5 f=0.25", 1, 2 },
		{ { 0.75f, 0.75f, 0.75f }, "f=0.5 i=-1 i=0 f=0.5 f=0.5 f=0.25", 2, 2 },
		{ { 0.625f, 0.75f, 0.75f }, "f=0.5 i=-1 i=0 f=0.5 f=0.5 f=0.25", 2, 1 },
		{ { 0.75f, 0.75f, 0.75f }, "f=0.5 i=-1 i=0 f=0.5000001 f=0.5 f=0.25", 3, 2 },
		{ { 0.75f, 0.5f, 0.75f }, "f=0.5 i=1 i=0 f=0.5 f=0.5 f=0.25", 1, 2 },
		/* linear: 0.75 * (1 - 0.5) at the second threshold stays, and below goes */
		{ { 1, 0.75f, 0 }, "f=0.5 i=-1 i=1 f=0.5 f=0.5 f=0.375", 2, 2 },
		{ { 1, 0.75f, 0 }, "f=0.5 i=-1 i=1 f=0.5 f=0.5 f=0.376", 1, 2 },
	};
	const float box[12] = { 0, 0, 2, 2, 0, 0, 2, 1, 5, 5, 6, 6 };
	const int32_t batch[3] = { 7, 7, 7 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		float scores[6] = { 0 }, rois[24] = { 0 }, out_scores[3], out_rois[12];
		int32_t classes[3], batches[3];
		struct run_end end;
		char in[128];

		for (int r = 0; r < 3; r++) {
			scores[2 * r + 1] = cases[i].scores[r];
			memcpy(&rois[8 * r + 4], &box[4 * r], 16);
		}
		snprintf(in, sizeof(in), "F32:3x2 F32:3x8 I:3 %s", cases[i].parameters);
		end = run_any(NNMODEL_BOX_WITH_NMS_LIMIT, in, "F32:0 F32:0x4 I:0 I:0",
			      BUFFERS(BUFFER(scores), BUFFER(rois), BUFFER(batch)),
			      BUFFERS(BUFFER(out_scores), BUFFER(out_rois), BUFFER(classes),
				      BUFFER(batches)));
		assert_int_equal(end.status, NNACCEL_STATUS_OK);
		assert_int_equal(end.extents[0], cases[i].selected);
		assert_true(out_rois[3] == cases[i].bottom);
		assert_true(classes[0] == 1 && batches[0] == 7);
	}
}

TEST(test_unpinned_proposals)
{
	static const struct {
		float anchors[8], info[2]; /* height, width */
		const char *overlap, *least;
		uint32_t selected;
	} cases[] = {
		/* overlap of a half: at the threshold it is dropped */
		{ { 0, 0, 2, 2, 0, 0, 2, 1 }, { 4, 4 }, "0.5", "-1", 1 },
		{ { 0, 0, 2, 2, 0, 0, 2, 1 }, { 4, 4 }, "0.5000001", "-1", 2 },
		/*
		 * the second one's centre lies on the right border, where it is clipped to no width
		 */
		{ { 0, 0, 4, 4, 4, 0, 6, 3 }, { 4, 4 }, "0.5", "-1", 1 },
		{ { 0, 0, 4, 4, 4, 0, 6, 3 }, { 4, 8 }, "0.5", "-1", 2 },
		{ { 0, 0, 4, 4, 0, 4, 3, 6 }, { 4, 8 }, "0.5", "-1", 1 },
		{ { 0, 0, 4, 4, 0, 4, 3, 6 }, { 8, 4 }, "0.5", "-1", 2 },
		/* a size of the least is too small */
		{ { 0, 0, 4, 4, 4, 0, 6, 3 }, { 4, 8 }, "0.5", "2", 1 },
		{ { 0, 0, 4, 4, 4, 0, 6, 3 }, { 4, 8 }, "0.5", "1.9", 2 },
	};
	const float scores[2] = { 1, 0.5f }, deltas[8] = { 0 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		float out_scores[2], rois[8];
		int32_t batches[2];
		struct run_end end;
		char in[160];

		snprintf(in, sizeof(in),
			 "F32:1x1x1x2 F32:1x1x1x8 F32:2x4 F32:1x2 f=1 f=1 i=-1 i=-1 f=%s f=%s b=0",
			 cases[i].overlap, cases[i].least);
		end = run_any(NNMODEL_GENERATE_PROPOSALS, in, "F32:0 F32:0x4 I:0",
			      BUFFERS(BUFFER(scores), BUFFER(deltas), BUFFER(cases[i].anchors),
				      BUFFER(cases[i].info)),
			      BUFFERS(BUFFER(out_scores), BUFFER(rois), BUFFER(batches)));
		assert_int_equal(end.status, NNACCEL_STATUS_OK);
		assert_int_equal(end.extents[0], cases[i].selected);
	}
}

struct detections {
	/* regular; most, classes of one, of a class; thresholds; labels count background */
	const char *parameters;
	uint32_t room, count;
	float scores[10];
	int32_t classes[10];
};

static void check_detections(const float *scores, const float *anchors, const struct detections *d)
{
	const float deltas[8] = { 0 };
	float out_scores[10], boxes[40];
	int32_t classes[10], count;
	char in[160], out[64];

	snprintf(in, sizeof(in), "F32:1x2x4 F32:1x2x4 F32:2x4 f=1 f=1 f=1 f=1 %s", d->parameters);
	snprintf(out, sizeof(out), "F32:1x%u F32:1x%ux4 I:1x%u I:1", d->room, d->room, d->room);
	run_op(NNMODEL_DETECTION_POSTPROCESSING, in, out,
	       BUFFERS(BYTES(scores, 32), BUFFER(deltas), BYTES(anchors, 32)),
	       BUFFERS(BYTES(out_scores, d->room * 4), BYTES(boxes, d->room * 16),
		       BYTES(classes, d->room * 4), BYTES(&count, 4)));
	assert_int_equal(count, d->count);
	expect_floats(out_scores, d->scores, d->room);
	assert_memory_equal(classes, d->classes, d->room * 4);
}

TEST(test_unpinned_detection)
{
	/* of classes 1 to 3; far apart, and overlapping by a half */
	const float scores[8] = { 0, 0.9f, 0.2f, 0.6f, 0, 0.1f, 0.8f, 0.3f };
	const float apart[8] = { 1, 1, 2, 2, 9, 9, 2, 2 },
		    overlap[8] = { 1, 1, 2, 2, 0.5f, 1, 1, 2 };
	const float same_class[8] = { 0, 0.9f, 0, 0, 0, 0.8f, 0, 0 };
	static const struct detections cases[] = {
		/* fast: 2 of 3 classes each, room for 2 times 2; labels from 0 */
		{ "b=0 i=2 i=2 i=1 f=0.05 f=0.5 b=0",
		  4,
		  4,
		  { 0.9f, 0.6f, 0.8f, 0.3f },
		  { 0, 2, 1, 2 } },
		/* labels that count the background */
		{ "b=0 i=2 i=2 i=1 f=0.05 f=0.5 b=1",
		  4,
		  4,
		  { 0.9f, 0.6f, 0.8f, 0.3f },
		  { 1, 3, 2, 3 } },
		/* no more classes than there are, but room for as many as were requested */
		{ "b=0 i=2 i=5 i=1 f=0.05 f=0.5 b=1",
		  10,
		  6,
		  { 0.9f, 0.6f, 0.2f, 0.8f, 0.3f, 0.1f },
		  { 1, 3, 2, 2, 3, 1 } },
		/* a score at the threshold is dropped */
		{ "b=0 i=2 i=1 i=1 f=0.8 f=0.5 b=1", 2, 1, { 0.9f }, { 1 } },
		/* regular: the best of all classes, and no more than requested */
		{ "b=1 i=2 i=7 i=1 f=0.25 f=0.5 b=1", 2, 2, { 0.9f, 0.8f }, { 1, 2 } },
		{ "b=1 i=3 i=7 i=1 f=0.25 f=0.5 b=0", 3, 3, { 0.9f, 0.8f, 0.6f }, { 0, 1, 2 } },
		{ "b=1 i=5 i=7 i=2 f=0.6 f=0.5 b=1", 5, 2, { 0.9f, 0.8f }, { 1, 2 } },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		check_detections(scores, apart, &cases[i]);
	/* an overlap at the threshold is dropped */
	for (int regular = 0; regular < 2; regular++) {
		char in[64];

		snprintf(in, sizeof(in), "b=%d i=2 i=1 i=2 f=0.05 f=0.5 b=1", regular);
		check_detections(same_class, overlap,
				 &(struct detections){ in, 2, 1, { 0.9f }, { 1 } });
		snprintf(in, sizeof(in), "b=%d i=2 i=1 i=2 f=0.05 f=0.5000001 b=1", regular);
		check_detections(same_class, overlap,
				 &(struct detections){ in, 2, 2, { 0.9f, 0.8f }, { 1, 1 } });
	}
}

/* ---- hashing ---- */

/*
 * The bit is the sign of FarmHash's Fingerprint64 of the hash and a row: bytes 1, 8, 15, ... of
 * these lengths, by FarmHash's own library.
 */
TEST(test_unpinned_lsh_long_rows)
{
	static const struct {
		size_t len;
		uint64_t fingerprint;
	} known[] = {
		{ 17, 0x33fce0bef0c317a9u },  { 24, 0x92c6da0261997720u },
		{ 64, 0x111fa8723e25adcau },  { 65, 0x0366ab6067b570b1u },
		{ 100, 0x7ac913e1ca079610u }, { 127, 0x3f0ed94dc9c5d70cu },
		{ 128, 0xce22f72c75b92bbfu }, { 129, 0x3dac9153fd008293u },
		{ 192, 0x9f7fed12508ba244u }, { 300, 0xfbd0e797a70bc97cu },
	};
	uint8_t bytes[300];

	for (size_t k = 0; k < sizeof(bytes); k++)
		bytes[k] = (uint8_t)(k * 7 + 1);
	for (size_t i = 0; i < COUNT(known); i++) {
		int32_t bit;
		char in[64];

		snprintf(in, sizeof(in), "F32:1x1 Q8:1x%zu ~F32 i=3", known[i].len - 4);
		run_op(NNMODEL_LSH_PROJECTION, in, "I:1",
		       BUFFERS(BYTES(bytes, 4), BYTES(bytes + 4, known[i].len - 4)),
		       BUFFERS(BYTES(&bit, 4)));
		assert_int_equal(bit, (int64_t)known[i].fingerprint > 0);
	}
}

/* ---- temporaries ---- */

/* The real values that an operation writes to a temporary that declares @out. */
static void real_values(uint32_t opcode, const char *in, const char *out, const uint8_t *x,
			size_t x_size, float *y, size_t n)
{
	struct nnmodel *m = spec_model(opcode, in, out);
	const uint32_t temporary = m->main.num_operands - 1;
	char text[32];
	uint32_t result;

	snprintf(text, sizeof(text), "F32:%zu", n);
	result = spec_operand(m, text);
	free(m->main.operands[result].dims);
	m->main.operands[result].rank = m->main.operands[temporary].rank;
	m->main.operands[result].dims = malloc(m->main.operands[temporary].rank * sizeof(uint32_t));
	assert_non_null(m->main.operands[result].dims);
	memcpy(m->main.operands[result].dims, m->main.operands[temporary].dims,
	       m->main.operands[temporary].rank * sizeof(uint32_t));
	m->main.operands[temporary].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[result].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_DEQUANTIZE, IN((int)temporary), IN((int)result));
	spec_set_io(m);
	run_model(m, BUFFERS(BYTES(x, x_size)), BUFFERS(BYTES(y, n * sizeof(float))));
	nnmodel_free(m);
}

/*
 * The operation overrides a temporary's declared quantization. Where the operation leaves it free,
 * the declaration holds.
 */
TEST(test_unpinned_quantization_of_temporaries)
{
	static const struct {
		uint32_t opcode;
		const char *in; /* begins with Q8:1x2x2x4@1,10 */
		const char *dims;
		const char *right, *wrong;
		bool is_free;
	} cases[] = {
		{ NNMODEL_RELU, "", "1x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_RELU1, "", "1x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_RELU6, "", "1x2x2x4", "1,10", "2,30", false },
		{ NNMODEL_LOGISTIC, "", "1x2x2x4", "0.00390625,0", "0.5,3", false },
		{ NNMODEL_TANH, "", "1x2x2x4", "0.0078125,128", "0.5,3", false },
		{ NNMODEL_SOFTMAX, " f=0.1", "1x2x2x4", "0.00390625,0", "0.5,3", false },
		{ NNMODEL_L2_NORMALIZATION, "", "1x2x2x4", "0.0078125,128", "0.5,3", false },
		{ NNMODEL_AVERAGE_POOL_2D, " i=2 i=1 i=1 i=2 i=2 i=0", "1x1x1x4", "1,10", "0.5,3",
		  false },
		{ NNMODEL_MAX_POOL_2D, " i=2 i=1 i=1 i=2 i=2 i=0", "1x1x1x4", "1,10", "0.5,3",
		  false },
		{ NNMODEL_RESHAPE, " I:2=4,4", "4x4", "1,10", "0.5,3", false },
		{ NNMODEL_TRANSPOSE, " I:4=0,2,1,3", "1x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_PAD, " I:4x2=0,0,1,0,0,0,0,0", "1x3x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_MEAN, " I:1=3 i=1", "1x2x2x1", "1,10", "0.5,3", false },
		{ NNMODEL_REDUCE_MAX, " I:1=3 b=1", "1x2x2x1", "1,10", "0.5,3", false },
		{ NNMODEL_RESIZE_BILINEAR, " i=4 i=3", "1x3x4x4", "1,10", "0.5,3", false },
		{ NNMODEL_RESIZE_NEAREST_NEIGHBOR, " i=4 i=3 b=0", "1x3x4x4", "1,10", "0.5,3",
		  false },
		{ NNMODEL_DEPTH_TO_SPACE, " i=2", "1x4x4x1", "1,10", "0.5,3", false },
		{ NNMODEL_SPACE_TO_DEPTH, " i=2", "1x1x1x16", "1,10", "0.5,3", false },
		{ NNMODEL_SPACE_TO_BATCH_ND, " I:2=2,2 I:2x2=0,0,0,0", "4x1x1x4", "1,10", "0.5,3",
		  false },
		{ NNMODEL_CHANNEL_SHUFFLE, " i=2 i=3", "1x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_SQUEEZE, " I:1=0", "2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_EXPAND_DIMS, " i=0", "1x1x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_STRIDED_SLICE, " I:4=0,0,0,0 I:4=1,2,2,2 I:4=1,1,1,1 i=0 i=0 i=0",
		  "1x2x2x2", "1,10", "0.5,3", false },
		{ NNMODEL_SLICE, " I:4=0,0,0,1 I:4=1,2,2,2", "1x2x2x2", "1,10", "0.5,3", false },
		{ NNMODEL_GATHER, " i=3 I:2=3,0", "1x2x2x2", "1,10", "0.5,3", false },
		{ NNMODEL_TILE, " I:4=2,1,1,1", "2x2x2x4", "1,10", "0.5,3", false },
		{ NNMODEL_ADD, " Q8:1@1,0=3 i=0", "1x2x2x4", "1,10", "2,30", true },
		{ NNMODEL_HARD_SWISH, "", "1x2x2x4", "1,10", "2,30", true },
	};
	const uint8_t x[16] = { 10, 13, 7, 16, 200, 11, 12, 9, 0, 14, 15, 255, 20, 8, 10, 100 };

	for (size_t i = 0; i < COUNT(cases); i++) {
		float right[64], wrong[64];
		char in[160], out[64];
		const struct nnmodel_operand *o;
		struct nnmodel *m;
		uint64_t n;

		snprintf(in, sizeof(in), "Q8:1x2x2x4@1,10%s", cases[i].in);
		/* DEQUANTIZE takes 4 dimensions at most */
		if (cases[i].opcode == NNMODEL_EXPAND_DIMS)
			snprintf(in, sizeof(in), "Q8:4x4@1,10%s", cases[i].in);
		snprintf(out, sizeof(out), "Q8:%s@%s",
			 cases[i].opcode == NNMODEL_EXPAND_DIMS ? "1x4x4" : cases[i].dims,
			 cases[i].right);
		m = spec_model(cases[i].opcode, in, out);
		o = &m->main.operands[m->main.num_operands - 1];
		assert_int_equal(nnmodel_operand_bytes(o, &n), 0);
		nnmodel_free(m);
		assert_true(n <= COUNT(right));
		real_values(cases[i].opcode, in, out, x, sizeof(x), right, n);
		snprintf(out, sizeof(out), "Q8:%s@%s",
			 cases[i].opcode == NNMODEL_EXPAND_DIMS ? "1x4x4" : cases[i].dims,
			 cases[i].wrong);
		real_values(cases[i].opcode, in, out, x, sizeof(x), wrong, n);
		if (!!memcmp(right, wrong, n * sizeof(float)) != cases[i].is_free) {
			print_error("%s\n", nnmodel_operation_name(cases[i].opcode));
			fail();
		}
	}
}

/* ---- rounding ---- */

/* Halves of these: 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1, 3.5. */
static const int8_t odd[8] = { 1, 3, 5, -1, -3, -5, 2, 7 };
static const int8_t to_even[8] = { 0, 2, 2, 0, -2, -2, 1, 4 };
static const int8_t away[8] = { 1, 2, 3, -1, -2, -3, 1, 4 };

static void expect_codes(uint32_t opcode, const char *in, const char *out,
			 const struct buffer *inputs, const int8_t *want)
{
	int8_t got[8];

	run_op(opcode, in, out, inputs, BUFFERS(BUFFER(got)));
	if (memcmp(got, want, 8)) {
		print_error("%s: %d %d %d %d %d %d %d %d\n", nnmodel_operation_name(opcode), got[0],
			    got[1], got[2], got[3], got[4], got[5], got[6], got[7]);
		fail();
	}
}

/* Sums of products: the tie goes to the even code, in all that the project's one rule covers. */
TEST(test_unpinned_rounding_of_sums)
{
	static const char bias[] = "I32:8@0.25=1,3,5,-1,-3,-5,2,7";
	const int8_t one = 1, ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 },
		     pairs[16] = { 1, 0, 3, 0, 5, 0, -1, 0, -3, 0, -5, 0, 2, 0, 7, 0 };
	char in[256];

	snprintf(in, sizeof(in), "Q8S:1x1@0.5,0 Q8S:8x1@0.5,0=0,0,0,0,0,0,0,0 %s i=0", bias);
	expect_codes(NNMODEL_FULLY_CONNECTED, in, "Q8S:1x8@0.5,0", BUFFERS(BYTES(&one, 1)),
		     to_even);
	snprintf(in, sizeof(in),
		 "Q8S:1x1x1x1@0.5,0 Q8S:8x1x1x1@0.5,0=0,0,0,0,0,0,0,0 %s i=1 i=1 i=1 i=0", bias);
	expect_codes(NNMODEL_CONV_2D, in, "Q8S:1x1x1x8@0.5,0", BUFFERS(BYTES(&one, 1)), to_even);
	snprintf(
		in, sizeof(in),
		"Q8S:1x1x1x1@0.5,0 QPC:8x1x1x1/0=0,0,0,0,0,0,0,0 I32:8=1,3,5,-1,-3,-5,2,7 i=1 i=1 i=1 "
		"i=0");
	expect_codes(NNMODEL_CONV_2D, in, "Q8S:1x1x1x8@0.5,0", BUFFERS(BYTES(&one, 1)), to_even);
	snprintf(in, sizeof(in),
		 "Q8S:1x1x1x1@0.5,0 Q8S:1x1x1x8@0.5,0=0,0,0,0,0,0,0,0 %s i=1 i=1 i=1 i=8 i=0",
		 bias);
	expect_codes(NNMODEL_DEPTHWISE_CONV_2D, in, "Q8S:1x1x1x8@0.5,0", BUFFERS(BYTES(&one, 1)),
		     to_even);
	snprintf(in, sizeof(in),
		 "Q8S:1x1x1x2@0.5,0 Q8S:8x1x1x1@0.5,0=0,0,0,0,0,0,0,0 %s i=1 i=1 i=1 i=2 i=0 b=0",
		 bias);
	expect_codes(NNMODEL_GROUPED_CONV_2D, in, "Q8S:1x1x1x8@0.5,0", BUFFERS(BYTES(ones, 2)),
		     to_even);
	snprintf(
		in, sizeof(in),
		"Q8S:1x1x1x1@0.5,0 Q8S:8x1x1x1@0.5,0=0,0,0,0,0,0,0,0 %s i=0 i=0 i=0 i=0 i=1 i=1 i=0 b=0",
		bias);
	expect_codes(NNMODEL_TRANSPOSE_CONV_2D, in, "Q8S:1x1x1x8@0.5,0", BUFFERS(BYTES(&one, 1)),
		     to_even);
	expect_codes(NNMODEL_BATCH_MATMUL, "Q8S:8x1@0.5,0 Q8S:1x1@0.5,0 b=0 b=0", "Q8S:8x1@0.5,0",
		     BUFFERS(BUFFER(odd), BYTES(&one, 1)), to_even);
	expect_codes(NNMODEL_MUL, "Q8S:8@0.5,0 Q8S:8@0.5,0 i=0", "Q8S:8@0.5,0",
		     BUFFERS(BUFFER(odd), BUFFER(ones)), to_even);
	expect_codes(NNMODEL_ADD, "Q8S:8@0.5,0 Q8S:1@0.5,0=0 i=0", "Q8S:8@1,0",
		     BUFFERS(BUFFER(odd)), to_even);
	expect_codes(NNMODEL_SUB, "Q8S:8@0.5,0 Q8S:1@0.5,0=0 i=0", "Q8S:8@1,0",
		     BUFFERS(BUFFER(odd)), to_even);
	expect_codes(NNMODEL_PRELU, "Q8S:8@0.5,0 Q8S:1@1,0=1", "Q8S:8@1,0", BUFFERS(BUFFER(odd)),
		     to_even);
	expect_codes(NNMODEL_MEAN, "Q8S:8x2@1,0 I:1=1 i=0", "Q8S:8@1,0", BUFFERS(BUFFER(pairs)),
		     to_even);
}

/*
 * Changes of quantization alone: the tie goes away from 0, as NNAPI's requantize and QUANTIZE have
 * it.
 */
TEST(test_unpinned_rounding_of_conversions)
{
	const float halves[8] = { 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.5f, 1, 3.5f };
	const uint8_t flags[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

	expect_codes(NNMODEL_QUANTIZE, "F32:8", "Q8S:8@1,0", BUFFERS(BUFFER(halves)), away);
	expect_codes(NNMODEL_MAXIMUM, "Q8S:8@0.5,0 Q8S:1@0.5,0=-128", "Q8S:8@1,0",
		     BUFFERS(BUFFER(odd)), away);
	expect_codes(NNMODEL_MINIMUM, "Q8S:8@0.5,0 Q8S:1@0.5,0=127", "Q8S:8@1,0",
		     BUFFERS(BUFFER(odd)), away);
	expect_codes(NNMODEL_SELECT, "B8:8 Q8S:8@0.5,0 Q8S:8@0.5,0", "Q8S:8@1,0",
		     BUFFERS(BUFFER(flags), BUFFER(odd), BUFFER(flags)), away);
	expect_codes(NNMODEL_CONCATENATION, "Q8S:4@0.5,0 Q8S:4@0.5,0 i=0", "Q8S:8@1,0",
		     BUFFERS(BYTES(odd, 4), BYTES(odd + 4, 4)), away);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpinned_l2_epsilon),
		cmocka_unit_test(test_unpinned_roi),
		cmocka_unit_test(test_unpinned_heatmap_singularity),
		cmocka_unit_test(test_unpinned_box_nms),
		cmocka_unit_test(test_unpinned_proposals),
		cmocka_unit_test(test_unpinned_detection),
		cmocka_unit_test(test_unpinned_lsh_long_rows),
		cmocka_unit_test(test_unpinned_quantization_of_temporaries),
		cmocka_unit_test(test_unpinned_rounding_of_sums),
		cmocka_unit_test(test_unpinned_rounding_of_conversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
