// SPDX-License-Identifier: Apache-2.0
/*
 * Operations that keep a state. A .tflite file has the state in variable tensors, which keep their
 * value between invocations. NNAPI has the states before and after as inputs and outputs of the
 * operation; import.c makes them inputs and outputs of the model.
 */
#include "importer.h"

#include <errno.h>

#define MAX_INPUTS 64
#define MAX_STATES 4

/* An operation under construction. */
struct cell {
	int in[MAX_INPUTS], out[2 + MAX_STATES + 1];
	uint32_t num_in, num_out;
	uint32_t state[MAX_STATES]; /* inputs of the file that are states */
	int next[MAX_STATES]; /* operands of the states behind the operation */
	uint32_t num_states;
};

static bool is_state(const struct cell *c, uint32_t i)
{
	for (uint32_t s = 0; s < c->num_states; s++)
		if (c->state[s] == i)
			return true;
	return false;
}

/* Inputs @from to @to - 1 of the file. Weights beside a float input may be of another type. */
static int add_inputs(struct import *im, struct cell *c, uint32_t from, uint32_t to)
{
	const struct tflite_tensor *x = import_input_tensor(im, 0), *t;

	for (uint32_t i = from; i < to; i++) {
		t = import_input_tensor(im, i);
		if (t && t->type != x->type && (x->type != NNIMPORT_FLOAT32 || is_state(c, i)))
			return import_lacks(
				im,
				"input %u (tensor %s) is %s beside an input of %s: NNAPI has FLOAT32 and FLOAT16 only; do not quantize this operation",
				i, t->name, nnimport_type_name(t->type),
				nnimport_type_name(x->type));
		c->in[c->num_in++] = t && t->type != x->type
					     ? import_real(im, i)
					     : import_optional(im, i, import_type(im, x));
	}
	return 0;
}

static void recurrent_layers_add(struct cell *c, int operand)
{
	c->in[c->num_in++] = operand;
}

static void add_float(struct import *im, struct cell *c, unsigned int field)
{
	recurrent_layers_add(c, import_float_for(im, import_input_tensor(im, 0),
						 import_option_float(im, field, 0)));
}

static int check_cell(struct import *im, uint32_t min, uint32_t max, uint32_t outputs)
{
	const struct tflite_tensor *x;
	int ret = import_check_counts(im, 1, max, outputs);

	if (ret)
		return ret;
	if (im->op->num_inputs < min)
		return import_failed(im, -EINVAL, "it has %u inputs, must have %u to %u",
				     im->op->num_inputs, min, max);
	x = import_input_tensor(im, 0);
	if (!x)
		return import_failed(im, -EINVAL, "input 0 is missing");
	if (x->type != NNIMPORT_FLOAT32 && x->type != NNIMPORT_FLOAT16)
		return import_lacks(
			im,
			"input 0 (tensor %s) is %s: NNAPI has FLOAT32 and FLOAT16 only; do not quantize this operation",
			x->name, nnimport_type_name(x->type));
	return 0;
}

/* NONE, RELU, RELU6 and TANH have NNAPI's numbers. */
static int add_activation(struct import *im, struct cell *c, unsigned int field)
{
	int8_t act = import_option_byte(im, field, 0);

	if (act != 0 && act != 1 && act != 3 && act != 4)
		return import_lacks(im, "NNAPI has no activation %d here", act);
	recurrent_layers_add(c, nnmodel_add_int32(im->nn, act));
	return 0;
}

/* Outputs for the states; they come before or behind those of the file. */
static int add_states(struct import *im, struct cell *c)
{
	for (uint32_t s = 0; s < c->num_states; s++) {
		struct import_form form;
		int before;

		if (!import_input_tensor(im, c->state[s]))
			return import_failed(im, -EINVAL, "input %u is missing", c->state[s]);
		before = import_input(im, c->state[s]);
		if (before < 0)
			return before;
		form = import_form_of(im, before);
		c->next[s] = import_temporary(im, &form);
		c->out[c->num_out++] = c->next[s];
	}
	return 0;
}

static int emit_cell(struct import *im, struct cell *c, uint32_t opcode)
{
	int ret = import_emit(im, opcode, c->in, c->num_in, c->out, c->num_out);

	for (uint32_t s = 0; s < c->num_states && !ret; s++) {
		int32_t tensor = im->op->inputs[c->state[s]];

		if (im->tfl->tensors[tensor].variable)
			im->tensors[tensor].operand = c->next[s];
	}
	return ret;
}

enum { LSTM_ACT, LSTM_CELL_CLIP, LSTM_PROJ_CLIP, LSTM_KERNEL, LSTM_TIME_MAJOR = 3 };
enum { LSTM_INPUTS = 20, LSTM_NORM_INPUTS = 24, LSTM_INPUT_GATE = 1, LSTM_RECURRENT_FORGET = 6 };

/*
 * 24 inputs of the file are NNAPI's 0 to 19 and, behind the scalars, its layer normalization
 * weights.
 */
static int add_lstm_inputs(struct import *im, struct cell *c, bool sequence)
{
	int ret;

	if (im->op->num_inputs != LSTM_INPUTS && im->op->num_inputs != LSTM_NORM_INPUTS)
		return import_failed(im, -EINVAL, "it has %u inputs, must have %u or %u",
				     im->op->num_inputs, LSTM_INPUTS, LSTM_NORM_INPUTS);
	ret = add_inputs(im, c, 0, LSTM_INPUTS);
	if (!ret)
		ret = add_activation(im, c, LSTM_ACT);
	if (ret)
		return ret;
	add_float(im, c, LSTM_CELL_CLIP);
	add_float(im, c, LSTM_PROJ_CLIP);
	if (sequence)
		recurrent_layers_add(
			c, nnmodel_add_bool(im->nn, import_option_byte(im, LSTM_TIME_MAJOR, 0)));
	return add_inputs(im, c, LSTM_INPUTS, LSTM_NORM_INPUTS);
}

int import_sequence_lstm(struct import *im, const struct import_row *row)
{
	struct cell c = { .state = { 18, 19 }, .num_states = 2 };
	int ret = check_cell(im, LSTM_INPUTS, LSTM_NORM_INPUTS, 1);

	if (!ret)
		ret = add_lstm_inputs(im, &c, true);
	if (ret)
		return ret;
	c.out[c.num_out++] = import_output(im, 0);
	ret = add_states(im, &c);
	return ret ? ret : emit_cell(im, &c, row->nn_opcode);
}

int import_lstm(struct import *im, const struct import_row *row)
{
	struct cell c = { .state = { 18, 19 }, .num_states = 2 };
	const struct tflite_tensor *forget;
	struct import_form scratch;
	int ret;

	if (import_option_byte(im, LSTM_KERNEL, 0))
		return import_lacks(im, "NNAPI has no LSTM of the basic kernel");
	ret = check_cell(im, LSTM_INPUTS, LSTM_NORM_INPUTS, 1);
	if (!ret)
		ret = add_lstm_inputs(im, &c, false);
	if (ret)
		return ret;
	forget = import_input_tensor(im, LSTM_RECURRENT_FORGET);
	if (!forget || forget->rank != 2)
		return import_failed(im, -EINVAL, "input %u is not a matrix",
				     LSTM_RECURRENT_FORGET);
	scratch = import_form_of(im, c.in[0]);
	scratch.rank = 2;
	scratch.dims[1] = forget->dims[0] * (import_input_tensor(im, LSTM_INPUT_GATE) ? 4 : 3);
	c.out[c.num_out++] = import_temporary(im, &scratch);
	ret = add_states(im, &c);
	if (ret)
		return ret;
	c.out[c.num_out++] = import_output(im, 0);
	return emit_cell(im, &c, row->nn_opcode);
}

enum { BOTH_LSTM_INPUTS = 48, BOTH_LSTM_MERGE = 3, BOTH_LSTM_TIME_MAJOR = 4 };

int import_both_ways_lstm(struct import *im, const struct import_row *row)
{
	struct cell c = { .state = { 35, 36, 37, 38 }, .num_states = 4 };
	bool merge = import_option_byte(im, BOTH_LSTM_MERGE, 0);
	int ret = check_cell(im, BOTH_LSTM_INPUTS, BOTH_LSTM_INPUTS, merge ? 1 : 2);

	if (!ret)
		ret = add_inputs(im, &c, 0, BOTH_LSTM_INPUTS);
	if (!ret)
		ret = add_activation(im, &c, LSTM_ACT);
	if (ret)
		return ret;
	add_float(im, &c, LSTM_CELL_CLIP);
	add_float(im, &c, LSTM_PROJ_CLIP);
	recurrent_layers_add(&c, nnmodel_add_bool(im->nn, merge));
	recurrent_layers_add(&c, nnmodel_add_bool(im->nn,
						  import_option_byte(im, BOTH_LSTM_TIME_MAJOR, 1)));
	for (uint32_t i = 0; i < 8; i++)
		recurrent_layers_add(&c,
				     import_optional(im, UINT32_MAX,
						     import_type(im, import_input_tensor(im, 0))));
	for (uint32_t i = 0; i < im->op->num_outputs; i++)
		c.out[c.num_out++] = import_output(im, i);
	ret = add_states(im, &c);
	return ret ? ret : emit_cell(im, &c, row->nn_opcode);
}

enum { RNN_STATE = 4, RNN_INPUTS };
enum { SEQUENCE_TIME_MAJOR, SEQUENCE_ACT, SEQUENCE_MERGE };

/* What all operations with the five inputs of RNN begin with: checks, inputs. */
static int begin_rnn(struct import *im, struct cell *c)
{
	int ret = check_cell(im, RNN_INPUTS, RNN_INPUTS, 1);

	*c = (struct cell){ .state = { RNN_STATE }, .num_states = 1 };
	return ret ? ret : add_inputs(im, c, 0, RNN_INPUTS);
}

/* They end with the state before the output, or behind it. */
static int end_rnn(struct import *im, struct cell *c, uint32_t opcode, bool state_first)
{
	int ret;

	if (!state_first)
		c->out[c->num_out++] = import_output(im, 0);
	ret = add_states(im, c);
	if (ret)
		return ret;
	if (state_first)
		c->out[c->num_out++] = import_output(im, 0);
	return emit_cell(im, c, opcode);
}

int import_rnn(struct import *im, const struct import_row *row)
{
	struct cell c;
	int ret = begin_rnn(im, &c);

	if (!ret)
		ret = add_activation(im, &c, 0);
	return ret ? ret : end_rnn(im, &c, row->nn_opcode, true);
}

int import_sequence_rnn(struct import *im, const struct import_row *row)
{
	struct cell c;
	int ret = begin_rnn(im, &c);

	if (!ret)
		ret = add_activation(im, &c, SEQUENCE_ACT);
	if (ret)
		return ret;
	recurrent_layers_add(
		&c, nnmodel_add_int32(im->nn, import_option_byte(im, SEQUENCE_TIME_MAJOR, 0) != 0));
	return end_rnn(im, &c, row->nn_opcode, false);
}

int import_both_ways_rnn(struct import *im, const struct import_row *row)
{
	struct cell c = { .state = { 4, 8 }, .num_states = 2 };
	bool merge = import_option_byte(im, SEQUENCE_MERGE, 0);
	int ret = check_cell(im, 12, 12, merge ? 1 : 2);

	if (!ret)
		ret = add_inputs(im, &c, 0, 12);
	if (!ret)
		ret = add_activation(im, &c, SEQUENCE_ACT);
	if (ret)
		return ret;
	recurrent_layers_add(&c, nnmodel_add_bool(im->nn,
						  import_option_byte(im, SEQUENCE_TIME_MAJOR, 0)));
	recurrent_layers_add(&c, nnmodel_add_bool(im->nn, merge));
	for (uint32_t i = 0; i < im->op->num_outputs; i++)
		c.out[c.num_out++] = import_output(im, i);
	ret = add_states(im, &c);
	return ret ? ret : emit_cell(im, &c, row->nn_opcode);
}

enum { SVDF_RANK, SVDF_ACT };

int import_svdf(struct import *im, const struct import_row *row)
{
	struct cell c;
	int ret = begin_rnn(im, &c);

	if (ret)
		return ret;
	recurrent_layers_add(&c, import_option_operand(im, SVDF_RANK, 0));
	ret = add_activation(im, &c, SVDF_ACT);
	return ret ? ret : end_rnn(im, &c, row->nn_opcode, true);
}
