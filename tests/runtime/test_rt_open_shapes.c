// SPDX-License-Identifier: Apache-2.0
/*
 * Programs with shapes that a request completes, run again and again: the memory plan is made anew
 * for each request, and scratch memory must not overlap a live tensor. ABS comes first, so that
 * operands are temporaries.
 */
#include <stdlib.h>

#include "rt_case.h"

#define SIDE 5u
#define DEPTH 3u
#define IMAGE (SIDE * SIDE * DEPTH)
#define MAX_BATCH 3u
#define MAX_PARAMETERS 9

/* Operands of the operation after the image; ends with 0. */
struct parameter {
	enum { END, TENSOR, ZEROS, INT, FLOAT, BOOLEAN } kind;
	uint32_t dims[4]; /* of TENSOR and ZEROS, up to a 0 */
	double value;
};

#define T(...)                             \
	{                                  \
		TENSOR, { __VA_ARGS__ }, 0 \
	}
#define Z(n)                    \
	{                       \
		ZEROS, { n }, 0 \
	}
#define I(v)                  \
	{                     \
		INT, { 0 }, v \
	}
#define F(v)                    \
	{                       \
		FLOAT, { 0 }, v \
	}
#define B(v)                      \
	{                         \
		BOOLEAN, { 0 }, v \
	}

static const struct operation {
	int32_t type;
	uint32_t rank, elements; /* of one batch's result */
	uint32_t dims[4];
	struct parameter parameters[MAX_PARAMETERS + 1];
} operations[] = {
	{ ANEURALNETWORKS_CONV_2D,
	  4,
	  SIDE *SIDE * 4,
	  { 0, SIDE, SIDE, 4 },
	  { T(4, 3, 3, DEPTH), Z(4), I(ANEURALNETWORKS_PADDING_SAME), I(1), I(1), I(0) } },
	{ ANEURALNETWORKS_DEPTHWISE_CONV_2D,
	  4,
	  SIDE *SIDE *DEPTH,
	  { 0, SIDE, SIDE, DEPTH },
	  { T(1, 3, 3, DEPTH), Z(DEPTH), I(ANEURALNETWORKS_PADDING_SAME), I(1), I(1), I(1),
	    I(0) } },
	{ ANEURALNETWORKS_FULLY_CONNECTED, 2, 4, { 0, 4 }, { T(4, IMAGE), Z(4), I(0) } },
	{ ANEURALNETWORKS_AVERAGE_POOL_2D,
	  4,
	  SIDE *SIDE *DEPTH,
	  { 0, SIDE, SIDE, DEPTH },
	  { I(ANEURALNETWORKS_PADDING_SAME), I(1), I(1), I(3), I(3), I(0) } },
	{ ANEURALNETWORKS_INSTANCE_NORMALIZATION,
	  4,
	  SIDE *SIDE *DEPTH,
	  { 0, SIDE, SIDE, DEPTH },
	  { F(1.5), F(0.5), F(1e-3), B(0) } },
	{ ANEURALNETWORKS_RESIZE_BILINEAR,
	  4,
	  4 * SIDE *SIDE *DEPTH,
	  { 0, 2 * SIDE, 2 * SIDE, DEPTH },
	  { I(2 * SIDE), I(2 * SIDE) } },
	{ ANEURALNETWORKS_SOFTMAX, 4, SIDE *SIDE *DEPTH, { 0, SIDE, SIDE, DEPTH }, { F(1) } },
	{ ANEURALNETWORKS_L2_NORMALIZATION,
	  4,
	  SIDE *SIDE *DEPTH,
	  { 0, SIDE, SIDE, DEPTH },
	  { { END, { 0 }, 0 } } },
};

static float value(uint32_t i)
{
	return (float)((int)(i * 37 % 23) - 11) / 8;
}

static void add_parameter(ANeuralNetworksModel *model, int32_t index, const struct parameter *p)
{
	static float values[4 * IMAGE];
	const int32_t type = p->kind == INT	  ? ANEURALNETWORKS_INT32
			     : p->kind == FLOAT	  ? ANEURALNETWORKS_FLOAT32
			     : p->kind == BOOLEAN ? ANEURALNETWORKS_BOOL
						  : ANEURALNETWORKS_TENSOR_FLOAT32;
	const int32_t whole = (int32_t)p->value;
	const float real = (float)p->value;
	const bool truth = p->value != 0;
	uint32_t rank = 0, count = 1;

	while (rank < 4 && p->dims[rank])
		count *= p->dims[rank++];
	rt_operand(model, type, p->dims, rank);
	for (uint32_t i = 0; i < count; i++)
		values[i] = p->kind == TENSOR ? value(i + 5) : 0;
	switch (p->kind) {
	case INT:
		RT_OK(ANeuralNetworksModel_setOperandValue(model, index, &whole, sizeof(whole)));
		break;
	case FLOAT:
		RT_OK(ANeuralNetworksModel_setOperandValue(model, index, &real, sizeof(real)));
		break;
	case BOOLEAN:
		RT_OK(ANeuralNetworksModel_setOperandValue(model, index, &truth, sizeof(truth)));
		break;
	default:
		RT_OK(ANeuralNetworksModel_setOperandValue(model, index, values,
							   count * sizeof(*values)));
	}
}

/* out = operation(ABS(in), ...); @batch 0: open. */
static ANeuralNetworksModel *build(const struct operation *op, uint32_t batch)
{
	const uint32_t image[] = { batch, SIDE, SIDE, DEPTH }, in = 0, abs = 1;
	uint32_t out_dims[4], inputs[MAX_PARAMETERS + 1] = { abs }, count = 2, out;
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, image, 4);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, image, 4);
	for (const struct parameter *p = op->parameters; p->kind != END; p++) {
		add_parameter(model, (int32_t)count, p);
		inputs[count - 1] = count;
		count++;
	}
	memcpy(out_dims, op->dims, sizeof(out_dims));
	out_dims[0] = batch;
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, out_dims, op->rank);
	out = count;
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &in, 1, &abs));
	RT_OK(ANeuralNetworksModel_addOperation(model, op->type, count - 1, inputs, 1, &out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* Each batch is the same image. */
static void compute(ANeuralNetworksCompilation *c, const struct operation *op, uint32_t batch,
		    float *out)
{
	const uint32_t image[] = { batch, SIDE, SIDE, DEPTH };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, image, 4);
	ANeuralNetworksExecution *e = rt_execution(c);
	float in[MAX_BATCH * IMAGE];

	for (uint32_t i = 0; i < batch * IMAGE; i++)
		in[i] = value(i % IMAGE);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, &type, in, batch * sizeof(float) * IMAGE));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out,
						 batch * sizeof(float) * op->elements));
	RT_OK(ANeuralNetworksExecution_compute(e));
	ANeuralNetworksExecution_free(e);
}

static void check(const char *device)
{
	static const uint32_t batches[] = { 1, 1, 2, MAX_BATCH, 1, 2, 2 };
	static float wanted[4 * IMAGE], got[MAX_BATCH * 4 * IMAGE];

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		const struct operation *op = &operations[i];
		ANeuralNetworksModel *fixed = build(op, 1), *open = build(op, 0);
		ANeuralNetworksCompilation *c = rt_compile(fixed, device, NULL);

		compute(c, op, 1, wanted);
		ANeuralNetworksCompilation_free(c);
		c = rt_compile(open, device, NULL);
		for (size_t k = 0; k < sizeof(batches) / sizeof(batches[0]); k++) {
			memset(got, 0xa5, sizeof(got));
			compute(c, op, batches[k], got);
			for (uint32_t b = 0; b < batches[k]; b++)
				for (uint32_t j = 0; j < op->elements; j++)
					if (!(got[b * op->elements + j] - wanted[j] < 1e-5f &&
					      wanted[j] - got[b * op->elements + j] < 1e-5f))
						fail_msg(
							"operation %d, execution %zu, batch %u, element %u: %g, not %g",
							op->type, k, b, j,
							(double)got[b * op->elements + j],
							(double)wanted[j]);
		}
		rt_free(NULL, c, fixed);
		ANeuralNetworksModel_free(open);
	}
}

TEST(on_the_reference)
{
	check("nnapi-reference");
}

int main(int argc, char **argv)
{
	static const struct rt_case cases[] = {
		RT_CASE(on_the_reference, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
