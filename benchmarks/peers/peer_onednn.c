// SPDX-License-Identifier: Apache-2.0
/*
 * oneDNN as a peer (serve.h) for the int8 layers of layers.py: the layer is read from the name of
 * the model's folder, codes are random. As in the model, results and inputs have zero points and
 * convolutions a scale per output channel; "symmetric" has no zero points, as oneDNN is used where
 * there is the choice. Weights are in oneDNN's own layout before the first run, images stay NHWC.
 *
 *   peer_onednn model|symmetric FOLDER/NAME/model.tflite
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oneapi/dnnl/dnnl.h>

#include "peers/serve.h"

#define SCALE 0.05f
#define WEIGHT 0.01f
#define ZERO (-7)
#define MAX_STEPS 2
#define MAX_ARGS 12

static const char *failed;

#define CALL(call)                            \
	do {                                  \
		if ((call) != dnnl_success) { \
			failed = #call;       \
			return -1;            \
		}                             \
	} while (0)

struct step {
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[MAX_ARGS];
	int num;
};

struct layer {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	int zero; /* of inputs and results */
	struct step steps[MAX_STEPS];
	int num;
	dnnl_memory_t last; /* result of the last step */
	float scale; /* of it */
	const int8_t *plain; /* weights of the last step, as they were made */
};

static uint32_t random_state = 1;

static int random_code(void)
{
	random_state = random_state * 1664525u + 1013904223u;
	/* -128 is no code of a symmetric weight */
	return (int)(random_state >> 24) % 255 - 127;
}

static void *bytes_of(dnnl_memory_t memory)
{
	void *bytes = NULL;

	dnnl_memory_get_data_handle(memory, &bytes);
	return bytes;
}

static int memory_new(struct layer *l, const_dnnl_memory_desc_t desc, dnnl_memory_t *memory)
{
	CALL(dnnl_memory_create(memory, desc, l->engine, DNNL_MEMORY_ALLOCATE));
	return 0;
}

static int codes_new(struct layer *l, int rank, const int64_t *dims, dnnl_format_tag_t tag,
		     dnnl_memory_t *memory)
{
	dnnl_memory_desc_t desc;
	int64_t count = 1;

	CALL(dnnl_memory_desc_create_with_tag(&desc, rank, dims, dnnl_s8, tag));
	if (memory_new(l, desc, memory))
		return -1;
	for (int i = 0; i < rank; i++)
		count *= dims[i];
	for (int64_t i = 0; i < count; i++)
		((int8_t *)bytes_of(*memory))[i] = (int8_t)random_code();
	return 0;
}

static int numbers_new(struct layer *l, int64_t n, dnnl_data_type_t type, double least, double most,
		       dnnl_memory_t *memory)
{
	const dnnl_dims_t dims = { n };
	dnnl_memory_desc_t desc;

	CALL(dnnl_memory_desc_create_with_tag(&desc, 1, dims, type, dnnl_a));
	if (memory_new(l, desc, memory))
		return -1;
	for (int64_t i = 0; i < n; i++) {
		const double value = least + (most - least) * (random_code() + 127) / 254;

		if (type == dnnl_f32)
			((float *)bytes_of(*memory))[i] = (float)value;
		else
			((int32_t *)bytes_of(*memory))[i] = (int32_t)value;
	}
	return 0;
}

static void argument(struct step *s, int arg, dnnl_memory_t memory)
{
	s->args[s->num++] = (dnnl_exec_arg_t){ arg, memory };
}

/* @memory in the layout of @want, once. */
static int reorder(struct layer *l, dnnl_memory_t memory, const_dnnl_memory_desc_t want,
		   dnnl_memory_t *out)
{
	const_dnnl_memory_desc_t have;
	dnnl_primitive_desc_t desc;
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[2];

	CALL(dnnl_memory_get_memory_desc(memory, &have));
	if (memory_new(l, want, out))
		return -1;
	CALL(dnnl_reorder_primitive_desc_create(&desc, have, l->engine, want, l->engine, NULL));
	CALL(dnnl_primitive_create(&primitive, desc));
	args[0] = (dnnl_exec_arg_t){ DNNL_ARG_FROM, memory };
	args[1] = (dnnl_exec_arg_t){ DNNL_ARG_TO, *out };
	CALL(dnnl_primitive_execute(primitive, l->stream, 2, args));
	CALL(dnnl_stream_wait(l->stream));
	return 0;
}

/* Scales and zero points: @channels of the weights, 0: one scale for all. */
static int quantization(struct layer *l, struct step *s, dnnl_primitive_attr_t attr,
			int64_t channels, float in, float out, dnnl_memory_t *weight_scales)
{
	static const int sides[] = { DNNL_ARG_SRC, DNNL_ARG_DST };
	dnnl_memory_t memory;

	CALL(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_WEIGHTS, channels ? 1 : 0));
	if (numbers_new(l, channels ? channels : 1, dnnl_f32, channels ? WEIGHT / 2 : WEIGHT,
			channels ? WEIGHT * 1.5 : WEIGHT, weight_scales))
		return -1;
	argument(s, DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, *weight_scales);
	for (int i = 0; i < 2; i++) {
		const float scale = i ? out : in;

		CALL(dnnl_primitive_attr_set_scales_mask(attr, sides[i], 0));
		if (numbers_new(l, 1, dnnl_f32, scale, scale, &memory))
			return -1;
		argument(s, DNNL_ARG_ATTR_SCALES | sides[i], memory);
		if (!l->zero)
			continue;
		CALL(dnnl_primitive_attr_set_zero_points_mask(attr, sides[i], 0));
		if (numbers_new(l, 1, dnnl_s32, l->zero, l->zero, &memory))
			return -1;
		argument(s, DNNL_ARG_ATTR_ZERO_POINTS | sides[i], memory);
	}
	return 0;
}

/* The step of @desc, with @weights in the layout that it wants. */
static int finish(struct layer *l, struct step *s, const_dnnl_primitive_desc_t desc,
		  dnnl_memory_t source, dnnl_memory_t weights)
{
	const_dnnl_memory_desc_t want =
		dnnl_primitive_desc_query_md(desc, dnnl_query_weights_md, 0);
	const_dnnl_memory_desc_t result = dnnl_primitive_desc_query_md(desc, dnnl_query_dst_md, 0);
	dnnl_memory_t packed;

	if (reorder(l, weights, want, &packed) || memory_new(l, result, &l->last))
		return -1;
	argument(s, DNNL_ARG_SRC, source);
	argument(s, DNNL_ARG_WEIGHTS, packed);
	argument(s, DNNL_ARG_DST, l->last);
	CALL(dnnl_primitive_create(&s->primitive, desc));
	return 0;
}

/* The code of the real number @sum, which came from @in, @weight and @out. */
static bool is_code(const struct layer *l, int8_t code, double sum, float out)
{
	const double exact = nearbyint(sum / out) + l->zero;

	return fabs(code - (exact < -128 ? -128 : exact > 127 ? 127 : exact)) <= 1;
}

static int run(void *cookie)
{
	struct layer *l = cookie;

	for (int i = 0; i < l->num; i++)
		CALL(dnnl_primitive_execute(l->steps[i].primitive, l->stream, l->steps[i].num,
					    l->steps[i].args));
	CALL(dnnl_stream_wait(l->stream));
	return 0;
}

/* One result in the middle, computed here: a peer that computes something else is none. */
static int check_conv(struct layer *l, const int8_t *in, const int8_t *w, const float *scales,
		      const float *bias, int k, int c, int n, int hw, float out)
{
	const int at = hw / 2, pad = k / 2;
	double sum = 0;

	if (run(l))
		return -1;
	for (int y = 0; y < k; y++)
		for (int x = 0; x < k; x++)
			for (int i = 0; i < c; i++)
				sum += (in[((at + y - pad) * hw + at + x - pad) * c + i] -
					l->zero) *
				       (double)w[(i * k + y) * k + x];
	sum = sum * scales[0] * SCALE + bias[0];
	failed = "the result of a convolution is not right";
	return is_code(l, ((const int8_t *)bytes_of(l->last))[(at * hw + at) * n], sum, out) ? 0
											     : -1;
}

static int conv(struct layer *l, int k, int c, int n, int hw)
{
	const dnnl_dims_t source_dims = { 1, c, hw, hw }, dims = { 1, n, hw, hw },
			  weight_dims = { n, c, k, k }, bias_dims = { n };
	const dnnl_dims_t strides = { 1, 1 }, dilates = { 0, 0 }, pad = { k / 2, k / 2 };
	const float out = SCALE * WEIGHT * 100 * sqrtf((float)(k * k * c));
	dnnl_memory_desc_t source_desc, weights_desc, bias_desc, result_desc;
	dnnl_memory_t source, weights, bias, weight_scales;
	struct step *s = &l->steps[l->num++];
	dnnl_primitive_attr_t attr;
	dnnl_primitive_desc_t desc;

	CALL(dnnl_primitive_attr_create(&attr));
	CALL(dnnl_memory_desc_create_with_tag(&source_desc, 4, source_dims, dnnl_s8, dnnl_nhwc));
	CALL(dnnl_memory_desc_create_with_tag(&weights_desc, 4, weight_dims, dnnl_s8,
					      dnnl_format_tag_any));
	CALL(dnnl_memory_desc_create_with_tag(&bias_desc, 1, bias_dims, dnnl_f32, dnnl_a));
	CALL(dnnl_memory_desc_create_with_tag(&result_desc, 4, dims, dnnl_s8, dnnl_nhwc));
	if (codes_new(l, 4, source_dims, dnnl_nhwc, &source) ||
	    codes_new(l, 4, weight_dims, dnnl_oihw, &weights) ||
	    numbers_new(l, n, dnnl_f32, -1, 1, &bias) ||
	    quantization(l, s, attr, n, SCALE, out, &weight_scales))
		return -1;
	argument(s, DNNL_ARG_BIAS, bias);
	CALL(dnnl_convolution_forward_primitive_desc_create(
		&desc, l->engine, dnnl_forward_inference, dnnl_convolution_direct, source_desc,
		weights_desc, bias_desc, result_desc, strides, dilates, pad, pad, attr));
	if (finish(l, s, desc, source, weights))
		return -1;
	return check_conv(l, bytes_of(source), bytes_of(weights), bytes_of(weight_scales),
			  bytes_of(bias), k, c, n, hw, out);
}

/* @source NULL: the first step; @right: the second operand is no constant. */
static int matrix(struct layer *l, int batch, int m, int k, int n, bool relu, bool right,
		  dnnl_memory_t source)
{
	const dnnl_dims_t source_dims = { batch, m, k }, weight_dims = { batch, k, n },
			  dims = { batch, m, n }, bias_dims = { 1, 1, n };
	const float in = l->scale ? l->scale : SCALE, out = in * WEIGHT * 100 * sqrtf((float)k);
	dnnl_memory_desc_t source_desc, weights_desc, bias_desc, result_desc;
	dnnl_memory_t weights, bias, weight_scales;
	struct step *s = &l->steps[l->num++];
	dnnl_primitive_attr_t attr;
	dnnl_primitive_desc_t desc;
	dnnl_post_ops_t after;

	l->scale = out;
	CALL(dnnl_primitive_attr_create(&attr));
	CALL(dnnl_post_ops_create(&after));
	if (relu) {
		CALL(dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0, 0));
		CALL(dnnl_primitive_attr_set_post_ops(attr, after));
	}
	CALL(dnnl_memory_desc_create_with_tag(&source_desc, 3, source_dims, dnnl_s8, dnnl_abc));
	CALL(dnnl_memory_desc_create_with_tag(&weights_desc, 3, weight_dims, dnnl_s8,
					      right ? dnnl_abc : dnnl_format_tag_any));
	CALL(dnnl_memory_desc_create_with_tag(&bias_desc, 3, bias_dims, dnnl_f32, dnnl_abc));
	CALL(dnnl_memory_desc_create_with_tag(&result_desc, 3, dims, dnnl_s8, dnnl_abc));
	if ((!source && codes_new(l, 3, source_dims, dnnl_abc, &source)) ||
	    codes_new(l, 3, weight_dims, dnnl_abc, &weights) ||
	    quantization(l, s, attr, 0, in, out, &weight_scales))
		return -1;
	if (!right) {
		if (memory_new(l, bias_desc, &bias))
			return -1;
		memset(bytes_of(bias), 0, sizeof(float) * (size_t)n);
		argument(s, DNNL_ARG_BIAS, bias);
	}
	CALL(dnnl_matmul_primitive_desc_create(&desc, l->engine, source_desc, weights_desc,
					       right ? NULL : bias_desc, result_desc, attr));
	l->plain = bytes_of(weights);
	return finish(l, s, desc, source, weights);
}

/* The first result of the step that was added last, computed here. */
static int check_matrix(struct layer *l, int k, int n)
{
	const struct step *s = &l->steps[l->num - 1];
	const float in_scale = l->scale / (WEIGHT * 100 * sqrtf((float)k));
	const int8_t *in = NULL;
	double sum = 0;

	if (run(l))
		return -1;
	for (int i = 0; i < s->num; i++)
		if (s->args[i].arg == DNNL_ARG_SRC)
			in = bytes_of(s->args[i].memory);
	for (int i = 0; in && i < k; i++)
		sum += (in[i] - l->zero) * (double)l->plain[(int64_t)i * n];
	failed = "the result of a matrix is not right";
	return is_code(l, *(const int8_t *)bytes_of(l->last), sum * in_scale * WEIGHT, l->scale)
		       ? 0
		       : -1;
}

static int build(struct layer *l, const char *name)
{
	int a, b, c, d, e;

	if (sscanf(name, "conv_%dx%d_%d_%d_%d", &a, &b, &c, &d, &e) == 5)
		return conv(l, a, c, d, e);
	if (sscanf(name, "matrix_%d_%d_%d", &a, &b, &c) == 3)
		return matrix(l, 1, a, b, c, false, false, NULL) || check_matrix(l, b, c);
	if (sscanf(name, "feed_forward_%d_%d_%d_%d", &a, &b, &c, &d) == 4)
		return matrix(l, 1, a, b, c, true, false, NULL) ||
		       matrix(l, 1, a, c, d, false, false, l->last) || check_matrix(l, c, d);
	if (sscanf(name, "batch_matmul_%d_%d_%d_%d", &a, &b, &c, &d) == 4)
		return matrix(l, a, b, c, d, false, true, NULL) || check_matrix(l, c, d);
	failed = "no such layer";
	return -1;
}

int main(int argc, char **argv)
{
	struct peer peer = { .nodes = 1, .taken = 1, .pieces = 1, .int8s = 1 };
	struct layer layer = { 0 };
	char *end, *name;
	int64_t start;

	if (argc != 3 || (strcmp(argv[1], "model") && strcmp(argv[1], "symmetric")))
		return peer_refuse("usage: peer_onednn model|symmetric FOLDER/NAME/model.tflite");
	end = strrchr(argv[2], '/');
	if (!end)
		return peer_refuse("the layer is the name of the model's folder");
	*end = 0;
	name = strrchr(argv[2], '/') ? strrchr(argv[2], '/') + 1 : argv[2];
	layer.zero = strcmp(argv[1], "model") ? 0 : ZERO;
	start = peer_now_ns();
	if (dnnl_engine_create(&layer.engine, dnnl_cpu, 0) ||
	    dnnl_stream_create(&layer.stream, layer.engine, dnnl_stream_default_flags))
		return peer_refuse("oneDNN has no engine");
	if (build(&layer, name))
		return peer_refuse(failed);
	peer.prepare_ns = peer_now_ns() - start;
	peer.run = run;
	peer.cookie = &layer;
	return peer_serve(&peer);
}
