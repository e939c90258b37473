// SPDX-License-Identifier: Apache-2.0
/*
 * SEQUENCE_LSTM in all its forms against the cell's mathematics in double, one element at a time.
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

struct form {
	uint32_t type, batch, time, input, units, output;
	bool cifg, peephole, projection, projection_bias, layer_norm, one_step;
	uint32_t aux; /* extent of the auxiliary input, 0: none */
};

static struct nnfw_tensor sequence(const struct form *f, const struct nnprog_attr_lstm *a,
				   uint32_t n)
{
	if (f->one_step)
		return op_tensor(f->type, DIMS(f->batch, n));
	return a->time_major ? op_tensor(f->type, DIMS(f->time, f->batch, n))
			     : op_tensor(f->type, DIMS(f->batch, f->time, n));
}

static void make_operands(struct op_test *t, const struct form *f, const struct nnprog_attr_lstm *a)
{
	uint32_t type = f->type, u = f->units;

	for (int k = 0; k < 29; k++)
		t->in[k] = op_omitted();
	t->in[0] = sequence(f, a, f->input);
	if (f->aux)
		t->in[24] = sequence(f, a, f->aux);
	for (uint32_t g = 0; g < 4; g++) {
		if (g == 0 && f->cifg)
			continue;
		t->in[1 + g] = op_tensor(type, DIMS(u, f->input));
		t->in[5 + g] = op_tensor(type, DIMS(u, f->output));
		t->in[12 + g] = op_tensor(type, DIMS(u));
		if (f->layer_norm)
			t->in[20 + g] = op_tensor(type, DIMS(u));
		if (f->aux)
			t->in[25 + g] = op_tensor(type, DIMS(u, f->aux));
	}
	for (uint32_t g = 0; g < 3 && f->peephole; g++) {
		if (g > 0 || !f->cifg)
			t->in[9 + g] = op_tensor(type, DIMS(u));
	}
	if (f->projection)
		t->in[16] = op_tensor(type, DIMS(f->output, u));
	if (f->projection_bias)
		t->in[17] = op_tensor(type, DIMS(f->output));
	t->in[18] = op_tensor(type, DIMS(f->batch, f->output));
	t->in[19] = op_tensor(type, DIMS(f->batch, u));
	/* small weights: steps of the recurrence do not magnify differences */
	for (int k = 1; k < 29; k++) {
		if (k >= 18 && k < 25)
			continue;
		for (uint64_t i = 0; !t->in[k].omitted && i < t->in[k].elements; i++)
			oracle_set_number(&t->in[k], i, oracle_number(&t->in[k], i) / 4);
	}
	for (int k = 0; k < 4; k++)
		t->out[k] = op_output(type, 0, 0);
}

static double sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double activation(uint32_t code, double x)
{
	switch (code) {
	case 1:
		return fmax(x, 0);
	case 3:
		return fmin(fmax(x, 0), 6);
	case 4:
		return tanh(x);
	case 6:
		return sigmoid(x);
	default:
		return x;
	}
}

static double clip(double x, float limit)
{
	return limit > 0 ? fmin(fmax(x, -(double)limit), limit) : x;
}

#define MAX_UNITS 16

/* All units of a gate before its sigmoid or activation; @peephole an operand number or 0. */
static void gate(const struct op_test *t, const struct form *f, uint32_t g, uint64_t row,
		 const double *h, const double *cell, uint32_t peephole, double *out)
{
	double mean = 0, variance = 0;

	for (uint32_t u = 0; u < f->units; u++) {
		double sum = 0;

		for (uint32_t i = 0; i < f->input; i++)
			sum += oracle_number(&t->in[1 + g], u * f->input + i) *
			       oracle_number(&t->in[0], row * f->input + i);
		for (uint32_t i = 0; i < f->aux; i++)
			sum += oracle_number(&t->in[25 + g], u * f->aux + i) *
			       oracle_number(&t->in[24], row * f->aux + i);
		for (uint32_t o = 0; o < f->output; o++)
			sum += oracle_number(&t->in[5 + g], u * f->output + o) * h[o];
		if (peephole)
			sum += oracle_number(&t->in[peephole], u) * cell[u];
		out[u] = sum;
		mean += sum / f->units;
	}
	for (uint32_t u = 0; u < f->units; u++)
		variance += (out[u] - mean) * (out[u] - mean) / f->units;
	for (uint32_t u = 0; u < f->units; u++) {
		if (f->layer_norm)
			out[u] = (out[u] - mean) / sqrt(variance + 1e-8) *
				 oracle_number(&t->in[20 + g], u);
		out[u] += oracle_number(&t->in[12 + g], u);
	}
}

static void oracle_lstm(const struct op_test *t, const struct form *f,
			const struct nnprog_attr_lstm *a, double *out, double *final_h,
			double *final_c)
{
	for (uint32_t b = 0; b < f->batch; b++) {
		double *h = final_h + b * f->output, *cell = final_c + b * f->units;

		for (uint32_t o = 0; o < f->output; o++)
			h[o] = oracle_number(&t->in[18], b * f->output + o);
		for (uint32_t u = 0; u < f->units; u++)
			cell[u] = oracle_number(&t->in[19], b * f->units + u);
		for (uint32_t n = 0; n < f->time; n++) {
			uint32_t s = a->reverse ? f->time - 1 - n : n;
			uint64_t row = a->time_major ? s * f->batch + b : b * f->time + s;
			double gi[MAX_UNITS], gf[MAX_UNITS], gc[MAX_UNITS], go[MAX_UNITS],
				m[MAX_UNITS];

			gate(t, f, 1, row, h, cell, f->peephole ? 10 : 0, gf);
			if (!f->cifg)
				gate(t, f, 0, row, h, cell, f->peephole ? 9 : 0, gi);
			gate(t, f, 2, row, h, cell, 0, gc);
			for (uint32_t u = 0; u < f->units; u++) {
				double forget = sigmoid(gf[u]);
				double in = f->cifg ? 1 - forget : sigmoid(gi[u]);

				cell[u] = clip(forget * cell[u] +
						       in * activation(a->activation, gc[u]),
					       a->cell_clip);
			}
			gate(t, f, 3, row, h, cell, f->peephole ? 11 : 0, go);
			for (uint32_t u = 0; u < f->units; u++)
				m[u] = sigmoid(go[u]) * activation(a->activation, cell[u]);
			for (uint32_t o = 0; o < f->output; o++) {
				double sum = 0;

				for (uint32_t u = 0; f->projection && u < f->units; u++)
					sum += oracle_number(&t->in[16], o * f->units + u) * m[u];
				if (f->projection_bias)
					sum += oracle_number(&t->in[17], o);
				h[o] = f->projection ? clip(sum, a->projection_clip) : m[o];
				out[row * f->output + o] = h[o];
			}
		}
	}
}

TEST(test_forms)
{
	static const uint32_t codes[] = { 0, 1, 3, 4, 6 };

	op_seed(20);
	for (uint32_t round = 0; round < 320; round++) {
		struct nnprog_attr_lstm a = { .activation = codes[op_random(5)],
					      .time_major = op_random(2),
					      .reverse = op_random(2) };
		struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_LSTM,
				     .attrs = &a,
				     .num_in = 24,
				     .num_out = op_random_range(1, 4) };
		struct form f = {
			.type = round % 2 ? NNPROG_FLOAT16 : NNPROG_FLOAT32,
			.batch = op_random_range(1, 3),
			.time = op_random_range(1, 5),
			.input = op_random_range(1, 7),
			.units = op_random_range(1, 12),
			.cifg = op_random(2),
			.peephole = op_random(2),
			.projection = op_random(2),
			.layer_norm = op_random(2),
			.one_step = !op_random(4),
			.aux = op_random(2) ? op_random_range(1, 5) : 0,
		};
		double out[3 * 5 * MAX_UNITS], h[3 * MAX_UNITS], c[3 * MAX_UNITS];

		if (f.one_step)
			f.time = 1;
		t.num_in = f.aux || op_random(2) ? 29 : 24;
		f.output = f.projection ? op_random_range(1, 12) : f.units;
		f.projection_bias = f.projection && op_random(2);
		/* normalization of one or two units amplifies float16 rounding */
		if (f.layer_norm && f.units < 4)
			f.layer_norm = false;
		if (op_random(2))
			a.cell_clip = (float)op_uniform(0.1, 1);
		if (op_random(2))
			a.projection_clip = (float)op_uniform(0.1, 0.5);
		make_operands(&t, &f, &a);
		if (t.num_out >= 3 && op_random(2))
			t.out[1] = op_omitted();
		assert_int_equal(op_run(&t), 0);
		oracle_lstm(&t, &f, &a, out, h, c);
		oracle_compare(&t.out[0], out, "lstm");
		if (t.num_out > 1 && !t.out[1].omitted)
			oracle_compare(&t.out[1], h, "lstm, output state");
		if (t.num_out > 2)
			oracle_compare(&t.out[2], c, "lstm, cell state");
		if (t.num_out > 3) {
			assert_int_equal(t.out[3].dims[1], (f.cifg ? 3 : 4) * f.units);
			for (uint64_t i = 0; i < t.out[3].elements; i++)
				assert_true(oracle_number(&t.out[3], i) == 0);
		}
		op_release();
	}
}

/* Toggle the presence of operand @k: operands that belong together are checked. */
TEST(test_presence)
{
	static const uint32_t together[] = {
		1, 5, 9, 10, 11, 12, 20, 21, 22, 23, 24, 25, 26, 27, 28
	};
	struct nnprog_attr_lstm a = { .activation = 4 };
	struct form f = { .type = NNPROG_FLOAT32,
			  .batch = 2,
			  .time = 2,
			  .input = 3,
			  .units = 4,
			  .output = 4,
			  .peephole = true,
			  .layer_norm = true,
			  .aux = 2 };

	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++) {
		struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_LSTM, .attrs = &a, .num_in = 29 };

		make_operands(&t, &f, &a);
		t.in[together[i]] = op_omitted();
		op_refused(&t);
	}
	for (int k = 0; k < 4; k++) {
		struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_LSTM, .attrs = &a, .num_in = 24 };

		make_operands(&t, &f, &a);
		t.num_in = 29;
		if (k == 0)
			t.in[17] = op_tensor(NNPROG_FLOAT32, DIMS(4));
		if (k == 1)
			t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(4, 4));
		if (k == 2)
			t.in[19] = op_tensor(NNPROG_FLOAT32, DIMS(3, 4));
		if (k == 3)
			t.in[6].dtype = NNPROG_FLOAT16;
		op_refused(&t);
	}
}

TEST(test_attributes)
{
	static const uint32_t bad[] = { 2, 5, 7 };
	struct nnprog_attr_lstm a = { .activation = 4 };
	struct form f = {
		.type = NNPROG_FLOAT32, .batch = 1, .time = 1, .input = 1, .units = 1, .output = 1
	};
	struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_LSTM, .attrs = &a, .num_in = 24 };

	make_operands(&t, &f, &a);
	assert_int_equal(op_run(&t), 0);
	for (int i = 0; i < 3; i++) {
		a.activation = bad[i];
		assert_int_equal(op_run(&t), -EINVAL);
	}
	a = (struct nnprog_attr_lstm){ .activation = 4, .cell_clip = -1 };
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_lstm){ .activation = 4, .projection_clip = NAN };
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_lstm){ .activation = 4, .time_major = 2 };
	assert_int_equal(op_run(&t), -EINVAL);
	a = (struct nnprog_attr_lstm){ .activation = 4, .reverse = 2 };
	op_refused(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_presence),
		cmocka_unit_test(test_attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
