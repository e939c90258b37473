// SPDX-License-Identifier: Apache-2.0
/*
 * Random programs through the builder: what mutations of bytes seldom reach, since one changed
 * extent contradicts all others. Shape rules and kernels must agree on every one of them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nnprog_attrs.h"
#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnprog_opcode.h"
#include "program_random.h"

struct maker {
	struct nnprog_builder *b;
	uint64_t *seed;
	uint32_t in[16], out[16], num_in, num_out;
	bool bad;
};

static uint32_t dice(struct maker *m, uint32_t sides)
{
	*m->seed = *m->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*m->seed >> 33) % sides;
}

static uint32_t dim(struct maker *m)
{
	return dice(m, 40) ? 1 + dice(m, 7) : 0;
}

static bool quantized(uint32_t dtype)
{
	return dtype == NNPROG_UINT8 || dtype == NNPROG_INT8;
}

static void quantize(struct maker *m, struct nnprog_operand *op)
{
	if (!quantized(op->dtype))
		return;
	op->scale = 0.004f * (float)(1 + dice(m, 300));
	op->zero_point = (int32_t)dice(m, 256) - (op->dtype == NNPROG_INT8 ? 128 : 0);
}

static uint32_t add(struct maker *m, const struct nnprog_operand *op, uint32_t kind)
{
	static uint8_t data[65536];
	uint64_t size = 0;
	int n;

	if (kind == NNPROG_CONST) {
		if (nnprog_shape_bytes(&op->shape, op->dtype, &size) || size > sizeof(data)) {
			m->bad = true;
			return 0;
		}
		for (uint64_t i = 0; i < size; i++)
			data[i] = (uint8_t)dice(m, 256);
		for (uint64_t i = 0; op->dtype == NNPROG_FLOAT32 && i < size; i += 4) {
			float f = ((float)dice(m, 2000) - 1000) / 256;

			memcpy(data + i, &f, sizeof(f));
		}
		for (uint64_t i = 0; op->dtype == NNPROG_INT32 && i < size; i += 4) {
			int32_t v = (int32_t)dice(m, 5) - (dice(m, 4) ? 0 : 1);

			memcpy(data + i, &v, sizeof(v));
		}
	}
	n = nnprog_builder_tensor(m->b, op, kind, kind == NNPROG_CONST ? data : NULL, size);
	if (n < 0) {
		m->bad = true;
		return 0;
	}
	if (kind == NNPROG_INPUT && m->num_in < 16)
		m->in[m->num_in++] = (uint32_t)n;
	if (kind == NNPROG_OUTPUT && m->num_out < 16)
		m->out[m->num_out++] = (uint32_t)n;
	return (uint32_t)n;
}

/** An input or constant of a shape. */
static uint32_t operand(struct maker *m, uint32_t dtype, uint32_t rank, const uint32_t *dims)
{
	struct nnprog_operand op = { .dtype = dtype, .shape.rank = rank };
	uint32_t kind = dice(m, 2) || m->num_in >= 12 ? NNPROG_CONST : NNPROG_INPUT;

	memcpy(op.shape.dims, dims, rank * sizeof(*dims));
	quantize(m, &op);
	return add(m, &op, kind);
}

static uint32_t omitted(struct maker *m, uint32_t dtype)
{
	struct nnprog_operand op = { .dtype = dtype, .omitted = true };

	return add(m, &op, NNPROG_OMITTED);
}

#define OPERAND(m, dtype, ...) \
	operand(m, dtype, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, (uint32_t[]){ __VA_ARGS__ })

static struct nnprog_operand get(struct maker *m, uint32_t t)
{
	struct nnprog_operand op = { .shape.rank = NNPROG_RANK_UNKNOWN };
	uint32_t kind;

	nnprog_builder_get(m->b, t, &op, &kind);
	return op;
}

/** Extent of a tensor, a guess when it is not known. */
static uint32_t extent(struct maker *m, uint32_t t, uint32_t i)
{
	struct nnprog_operand op = get(m, t);

	if (op.shape.rank > NNPROG_MAX_RANK || i >= op.shape.rank ||
	    op.shape.dims[i] == NNPROG_DIM_UNKNOWN)
		return 1 + dice(m, 4);
	return op.shape.dims[i];
}

struct pick {
	uint32_t opcode, in[24], num_in, out_dtype;
	bool same_quant;
	union {
		struct nnprog_attr_conv2d conv;
		struct nnprog_attr_act act;
		struct nnprog_attr_pool2d pool;
		struct nnprog_attr_binary binary;
		struct nnprog_attr_unary unary;
		struct nnprog_attr_softmax softmax;
		struct nnprog_attr_axis axis;
		struct nnprog_attr_reduce reduce;
		struct nnprog_attr_resize resize;
		struct nnprog_attr_convert convert;
		struct nnprog_attr_arg_minmax arg;
	} attr;
};

static void pick_conv(struct maker *m, struct pick *p, uint32_t x, uint32_t dtype, bool depthwise)
{
	uint32_t cin = extent(m, x, 3), mult = 1 + dice(m, 3);
	uint32_t cout = depthwise ? cin * mult : 1 + dice(m, 9);
	uint32_t groups = !depthwise && dice(m, 4) == 0 && cin % 2 == 0 ? 2 : 1;
	struct nnprog_operand filter = { .dtype = dtype, .shape.rank = 4 };
	struct nnprog_operand bias = { .dtype = quantized(dtype) ? NNPROG_INT32 : dtype };
	float scales[128];

	p->attr.conv = (struct nnprog_attr_conv2d){
		.padding = dice(m, NNPROG_PAD_COUNT),
		.stride_w = 1 + dice(m, 3),
		.stride_h = 1 + dice(m, 3),
		.dilation_w = 1 + dice(m, 2),
		.dilation_h = 1 + dice(m, 2),
		.activation = dice(m, NNPROG_ACT_COUNT),
		.multiplier = depthwise ? mult : 0,
		.groups = depthwise ? 0 : groups,
	};
	if (p->attr.conv.padding == NNPROG_PAD_EXPLICIT)
		p->attr.conv.pad_left = dice(m, 2), p->attr.conv.pad_bottom = dice(m, 3);
	cout *= groups;
	filter.shape.dims[0] = depthwise ? 1 : cout;
	filter.shape.dims[1] = 1 + dice(m, 4);
	filter.shape.dims[2] = 1 + dice(m, 4);
	filter.shape.dims[3] = depthwise ? cout : cin / groups;
	quantize(m, &filter);
	if (dtype == NNPROG_INT8 && dice(m, 2) && cout <= 128) {
		for (uint32_t i = 0; i < cout; i++)
			scales[i] = 0.01f * (float)(1 + dice(m, 50));
		filter.scales = scales;
		filter.num_scales = cout;
		filter.channel_dim = depthwise ? 3 : 0;
		filter.scale = 0;
		filter.zero_point = 0;
	} else if (quantized(dtype)) {
		bias.scale = filter.scale * get(m, x).scale;
	}
	bias.shape = (struct nnprog_shape){ .rank = 1, .dims = { cout } };
	p->in[1] = add(m, &filter, dice(m, 3) ? NNPROG_CONST : NNPROG_INPUT);
	p->in[2] = add(m, &bias, dice(m, 3) ? NNPROG_CONST : NNPROG_INPUT);
	p->num_in = 3;
}

static void pick_fully_connected(struct maker *m, struct pick *p, uint32_t x, uint32_t dtype)
{
	struct nnprog_operand op = get(m, x), w = { .dtype = dtype, .shape.rank = 2 };
	struct nnprog_operand bias = { .dtype = quantized(dtype) ? NNPROG_INT32 : dtype };

	w.shape.dims[0] = 1 + dice(m, 6);
	w.shape.dims[1] = op.shape.rank && op.shape.rank <= NNPROG_MAX_RANK
				  ? extent(m, x, op.shape.rank - 1)
				  : 4;
	quantize(m, &w);
	bias.scale = quantized(dtype) ? w.scale * op.scale : 0;
	bias.shape = (struct nnprog_shape){ .rank = 1, .dims = { w.shape.dims[0] } };
	p->attr.act.activation = dice(m, NNPROG_ACT_COUNT);
	p->in[1] = add(m, &w, dice(m, 3) ? NNPROG_CONST : NNPROG_INPUT);
	p->in[2] = add(m, &bias, dice(m, 3) ? NNPROG_CONST : NNPROG_INPUT);
	p->num_in = 3;
}

static void pick_operation(struct maker *m, struct pick *p, uint32_t x)
{
	struct nnprog_operand op = get(m, x);
	uint32_t dtype = op.dtype,
		 rank = op.shape.rank <= NNPROG_MAX_RANK ? op.shape.rank : dice(m, 5);
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT16, NNPROG_UINT8, NNPROG_INT8,
					  NNPROG_INT32 };

	*p = (struct pick){ .opcode = 1 + dice(m, NNPROG_OP_SEQUENCE_LSTM - 1),
			    .in = { x },
			    .num_in = 1,
			    .out_dtype = dtype };
	switch (p->opcode) {
	case NNPROG_OP_CONV_2D:
		pick_conv(m, p, x, dtype, false);
		break;
	case NNPROG_OP_DEPTHWISE_CONV_2D:
		pick_conv(m, p, x, dtype, true);
		break;
	case NNPROG_OP_FULLY_CONNECTED:
		pick_fully_connected(m, p, x, dtype);
		break;
	case NNPROG_OP_POOL_2D:
		p->attr.pool =
			(struct nnprog_attr_pool2d){ .kind = dice(m, NNPROG_POOL_COUNT),
						     .padding = 1 + dice(m, 2),
						     .stride_w = 1 + dice(m, 3),
						     .stride_h = 1 + dice(m, 3),
						     .filter_w = 1 + dice(m, 4),
						     .filter_h = 1 + dice(m, 4),
						     .activation = dice(m, NNPROG_ACT_COUNT) };
		p->same_quant = true;
		break;
	case NNPROG_OP_BINARY:
		p->attr.binary.kind = dice(m, NNPROG_BINARY_COUNT);
		p->attr.binary.activation = dice(m, 2) ? 0 : dice(m, NNPROG_ACT_COUNT);
		p->in[1] = dice(m, 2) ? x : OPERAND(m, dtype, 1);
		p->num_in = 2;
		break;
	case NNPROG_OP_UNARY:
		p->attr.unary.kind = dice(m, NNPROG_UNARY_COUNT);
		p->same_quant = p->attr.unary.kind <= NNPROG_UNARY_RELU6;
		break;
	case NNPROG_OP_SOFTMAX:
		p->attr.softmax = (struct nnprog_attr_softmax){ .beta = 1,
								.axis = (int32_t)dice(m, 5) - 1,
								.log = dice(m, 2) };
		break;
	case NNPROG_OP_RESHAPE:
		p->in[1] = OPERAND(m, NNPROG_INT32, 1 + dice(m, 3));
		p->num_in = 2;
		p->same_quant = true;
		break;
	case NNPROG_OP_CONCATENATION:
		p->attr.axis = (struct nnprog_attr_axis){ (int32_t)dice(m, 5) - 1, dice(m, 2) };
		for (p->num_in = 1; p->num_in < 4 && dice(m, 3); p->num_in++)
			p->in[p->num_in] = x;
		p->same_quant = dice(m, 2);
		break;
	case NNPROG_OP_PAD:
		p->in[1] = OPERAND(m, NNPROG_INT32, rank, 2);
		p->in[2] = dice(m, 2) ? omitted(m, dtype) : operand(m, dtype, 0, (uint32_t[]){ 0 });
		p->num_in = 3;
		p->same_quant = true;
		break;
	case NNPROG_OP_REDUCE:
		p->attr.reduce =
			(struct nnprog_attr_reduce){ dice(m, NNPROG_REDUCE_COUNT), dice(m, 2) };
		p->in[1] = OPERAND(m, NNPROG_INT32, 1 + dice(m, 3));
		p->num_in = 2;
		p->same_quant = dice(m, 2);
		break;
	case NNPROG_OP_RESIZE:
		p->attr.resize =
			(struct nnprog_attr_resize){ .kind = dice(m, NNPROG_RESIZE_COUNT) };
		if (dice(m, 2))
			p->attr.resize.align_corners = dice(m, 2);
		else
			p->attr.resize.half_pixel_centers = dice(m, 2);
		p->num_in = 2;
		p->same_quant = true;
		if (dice(m, 2)) {
			p->attr.resize.scale_h = 0.3f * (float)(1 + dice(m, 9));
			p->attr.resize.scale_w = 0.3f * (float)(1 + dice(m, 9));
			p->in[1] = omitted(m, NNPROG_INT32);
		} else {
			p->in[1] = OPERAND(m, NNPROG_INT32, 2);
		}
		break;
	case NNPROG_OP_CONVERT:
		p->attr.convert.kind = dice(m, NNPROG_CONVERT_COUNT);
		p->out_dtype = types[dice(m, 5)];
		break;
	case NNPROG_OP_TRANSPOSE:
		p->in[1] = dice(m, 2) ? omitted(m, NNPROG_INT32) : OPERAND(m, NNPROG_INT32, rank);
		p->num_in = 2;
		p->same_quant = true;
		break;
	case NNPROG_OP_ARG_MINMAX:
		p->attr.arg =
			(struct nnprog_attr_arg_minmax){ (int32_t)dice(m, 5) - 1, dice(m, 2) };
		p->out_dtype = NNPROG_INT32;
		break;
	default:
		m->bad = true;
	}
}

/** One operation on @x; the tensor that it writes. */
static uint32_t grow(struct maker *m, uint32_t x, bool last)
{
	struct nnprog_operand in = get(m, x), out = { .shape.rank = NNPROG_RANK_UNKNOWN };
	struct nnprog_error err;
	struct pick p;
	uint32_t y;

	pick_operation(m, &p, x);
	out.dtype = p.out_dtype;
	quantize(m, &out);
	if (p.same_quant && out.dtype == in.dtype && !in.num_scales) {
		out.scale = in.scale;
		out.zero_point = in.zero_point;
	}
	/* fixed by the operations that have them */
	if (quantized(out.dtype) &&
	    (p.opcode == NNPROG_OP_SOFTMAX ||
	     (p.opcode == NNPROG_OP_UNARY && p.attr.unary.kind == NNPROG_UNARY_LOGISTIC))) {
		out.scale = 1.0f / 256;
		out.zero_point = out.dtype == NNPROG_INT8 ? -128 : 0;
	}
	y = add(m, &out, last || dice(m, 3) == 0 ? NNPROG_OUTPUT : NNPROG_TEMP);
	if (m->bad)
		return y;
	m->bad = nnprog_builder_operation(m->b, p.opcode, &p.attr,
					  nnprog_op_find(p.opcode)->attrs_size, p.in, p.num_in, &y,
					  1, NULL, &err);
	return y;
}

void *program_random(uint64_t *seed, size_t *size)
{
	static const uint32_t types[] = { NNPROG_FLOAT32, NNPROG_FLOAT32, NNPROG_FLOAT16,
					  NNPROG_UINT8,	  NNPROG_INT8,	  NNPROG_INT32,
					  NNPROG_BOOL8 };
	struct maker m = { .b = nnprog_builder_create(), .seed = seed };
	struct nnprog_operand op = { .dtype = 0 };
	struct nnprog_error err;
	void *bytes = NULL;
	uint32_t x, steps;

	if (!m.b || nnprog_builder_subgraph(m.b, "random") < 0)
		abort();
	op.dtype = types[dice(&m, 7)];
	op.shape.rank = dice(&m, 3) ? 4 : dice(&m, 7);
	for (uint32_t i = 0; i < op.shape.rank; i++)
		op.shape.dims[i] = dice(&m, 8) ? dim(&m) : NNPROG_DIM_UNKNOWN;
	if (dice(&m, 20) == 0)
		op.shape = (struct nnprog_shape){ .rank = NNPROG_RANK_UNKNOWN };
	quantize(&m, &op);
	x = add(&m, &op, NNPROG_INPUT);
	for (steps = 1 + dice(&m, 4); steps-- && !m.bad;)
		x = grow(&m, x, !steps);
	if (!m.bad && !nnprog_builder_io(m.b, m.in, m.num_in, m.out, m.num_out) &&
	    nnprog_builder_finish(m.b, &bytes, size, &err))
		bytes = NULL;
	nnprog_builder_destroy(m.b);
	return bytes;
}
