// SPDX-License-Identifier: Apache-2.0
/* Descriptor of SEQUENCE_LSTM. */
#include <math.h>

#include "ops_desc.h"

/* Operands of SEQUENCE_LSTM, see nnprog.h. */
enum {
	INPUT = 0, W_I = 1, W_F, W_C, W_O, R_I = 5, R_F, R_C, R_O, P_I = 9, P_F, P_O,
	B_I = 12, B_F, B_C, B_O, PROJ_W = 16, PROJ_B, H_IN = 18, C_IN, LN_I = 20, LN_F, LN_C, LN_O,
	NUM_OPERANDS
};

static int check_lstm(const void *attrs, struct nnprog_error *err)
{
	const struct nnprog_attr_lstm *a = attrs;

	if (a->activation != 0 && a->activation != 1 && a->activation != 3 && a->activation != 4 &&
	    a->activation != 6)
		return nnprog_refuse(err, "activation %u is none of 0, 1, 3, 4, 6", a->activation);
	if (!(a->cell_clip >= 0) || !(a->projection_clip >= 0))
		return nnprog_refuse(err, "clip %g, %g is below 0", (double)a->cell_clip,
				     (double)a->projection_clip);
	if (a->time_major > 1)
		return nnprog_refuse(err, "time_major %u", a->time_major);
	if (a->reverse || a->reserved)
		return nnprog_refuse(err, "reverse %u, reserved %u", a->reverse, a->reserved);
	return 0;
}

/** Which operands come together: CIFG, peephole, projection, layer normalization. */
static int check_presence(const struct nnprog_operand *in, struct nnprog_error *err)
{
	bool cifg = in[W_I].omitted;

	if (in[R_I].omitted != cifg || in[B_I].omitted != cifg)
		return nnprog_refuse(err, "input gate: weights, recurrent weights and bias go together");
	if (in[P_F].omitted != in[P_O].omitted)
		return nnprog_refuse(err, "peephole: forget and output weights go together");
	if (cifg ? !in[P_I].omitted : in[P_I].omitted != in[P_F].omitted)
		return nnprog_refuse(err, "peephole: input weights %s",
				     in[P_I].omitted ? "lack" : "do not belong");
	if (in[PROJ_W].omitted && !in[PROJ_B].omitted)
		return nnprog_refuse(err, "projection bias without weights");
	if (in[LN_F].omitted != in[LN_C].omitted || in[LN_F].omitted != in[LN_O].omitted)
		return nnprog_refuse(err, "layer norm: forget, cell and output weights go together");
	if (cifg ? !in[LN_I].omitted : in[LN_I].omitted != in[LN_F].omitted)
		return nnprog_refuse(err, "layer norm: input weights %s",
				     in[LN_I].omitted ? "lack" : "do not belong");
	return 0;
}

/** Merge what operand @op's dimension @i says about @extent. 0 or -EINVAL. */
static int learn(const struct nnprog_operand *op, uint32_t i, uint32_t *extent,
		 struct nnprog_error *err)
{
	uint32_t dim = op->omitted ? NNPROG_DIM_UNKNOWN : nnprog_dim(op, i);

	if (nnprog_dims_differ(dim, *extent))
		return nnprog_refuse(err, "extent %u where %u is needed", dim, *extent);
	if (nnprog_dim_known(dim))
		*extent = dim;
	return 0;
}

static int infer_lstm(const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
		      struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err)
{
	/* what each operand's dimensions are: B batch, I input, U units, O output */
	static const char extents[NUM_OPERANDS][3] = {
		"", "UI", "UI", "UI", "UI", "UO", "UO", "UO", "UO", "U", "U", "U",
		"U", "U", "U", "U", "OU", "O", "BO", "BU", "U", "U", "U", "U",
	};
	const struct nnprog_attr_lstm *a = attrs;
	uint32_t batch = NNPROG_DIM_UNKNOWN, input = NNPROG_DIM_UNKNOWN;
	uint32_t units = NNPROG_DIM_UNKNOWN, output = NNPROG_DIM_UNKNOWN;
	uint32_t type = in[INPUT].dtype, time;
	int ret;

	(void)num_in;
	if (type != NNPROG_FLOAT32 && type != NNPROG_FLOAT16)
		return nnprog_refuse(err, "input: type %s", nnprog_dtype_name(type));
	ret = nnprog_need_rank(&in[INPUT], 3, "input", err);
	if (!ret)
		ret = check_presence(in, err);
	if (ret)
		return ret;
	ret = learn(&in[INPUT], a->time_major ? 1 : 0, &batch, err);
	if (!ret)
		ret = learn(&in[INPUT], 2, &input, err);
	for (uint32_t k = 1; !ret && k < NUM_OPERANDS; k++) {
		const char *e = extents[k];

		if (in[k].omitted)
			continue;
		ret = nnprog_need_type(&in[k], type, "operand", err);
		if (!ret)
			ret = nnprog_need_rank(&in[k], e[1] ? 2 : 1, "operand", err);
		for (uint32_t i = 0; !ret && e[i]; i++) {
			uint32_t *extent = e[i] == 'B'   ? &batch
					   : e[i] == 'I' ? &input
					   : e[i] == 'U' ? &units
							 : &output;

			ret = learn(&in[k], i, extent, err);
		}
	}
	if (ret)
		return ret;
	/* without projection the output is the cell's */
	if (in[PROJ_W].omitted) {
		if (nnprog_dims_differ(units, output))
			return nnprog_refuse(err, "%u units, output of %u, no projection", units, output);
		if (!nnprog_dim_known(output))
			output = units;
		units = output;
	}
	time = nnprog_dim(&in[INPUT], a->time_major ? 0 : 1);
	if (!batch || !time || !input || !units || !output)
		return nnprog_refuse(err, "an extent is 0");
	for (uint32_t i = 0; i < num_out; i++) {
		if (out[i].omitted)
			continue;
		ret = nnprog_need_type(&out[i], type, "output", err);
		if (ret)
			return ret;
	}
	out[0].shape = (struct nnprog_shape){
		.rank = 3,
		.dims = { a->time_major ? time : batch, a->time_major ? batch : time, output },
	};
	if (num_out > 1)
		out[1].shape = (struct nnprog_shape){ .rank = 2, .dims = { batch, output } };
	if (num_out > 2)
		out[2].shape = (struct nnprog_shape){ .rank = 2, .dims = { batch, units } };
	return nnprog_check_size(&out[0].shape, type, err);
}

const struct nnprog_op_desc nnprog_op_lstm = {
	.opcode = NNPROG_OP_SEQUENCE_LSTM,
	.name = "SEQUENCE_LSTM",
	.min_inputs = NUM_OPERANDS, .max_inputs = NUM_OPERANDS, .min_outputs = 1, .max_outputs = 3,
	.attrs_size = sizeof(struct nnprog_attr_lstm),
	.optional_inputs = 1u << W_I | 1u << R_I | 7u << P_I | 1u << B_I | 3u << PROJ_W | 15u << LN_I,
	.types = TYPES_FLOAT,
	.check_attrs = check_lstm,
	.infer = infer_lstm,
};
