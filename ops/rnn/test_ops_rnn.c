// SPDX-License-Identifier: Apache-2.0
/* SEQUENCE_RNN and SVDF against their definition in double. */
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

#define MAX 16

/* Small weights, so that steps do not amplify float16 rounding. */
static struct nnfw_tensor small(struct nnfw_tensor t)
{
	for (uint64_t i = 0; i < t.elements; i++)
		oracle_set_number(&t, i, oracle_number(&t, i) / 4);
	return t;
}

static double activation(uint32_t code, double x)
{
	switch (code) {
	case 1:
		return x > 0 ? x : 0;
	case 2:
		return x < -1 ? -1 : x > 1 ? 1 : x;
	case 3:
		return x < 0 ? 0 : x > 6 ? 6 : x;
	case 4:
		return tanh(x);
	case 6:
		return 1 / (1 + exp(-x));
	default:
		return x;
	}
}

struct rnn_form {
	uint32_t type, batch, time, input, units, aux;
	bool one_step;
	bool parallel; /* auxiliary input without weights */
};

static struct nnfw_tensor sequence(const struct rnn_form *f, bool time_major, uint32_t n)
{
	if (f->one_step)
		return op_tensor(f->type, DIMS(f->batch, n));
	return time_major ? op_tensor(f->type, DIMS(f->time, f->batch, n))
			  : op_tensor(f->type, DIMS(f->batch, f->time, n));
}

static void oracle_rnn(const struct op_test *t, const struct rnn_form *f,
		       const struct nnprog_attr_rnn *a, double *out, double *state)
{
	for (uint32_t b = 0; b < f->batch; b++) {
		const bool replaced = f->parallel && a->reverse;
		const struct nnfw_tensor *x = &t->in[replaced ? 5 : 0];
		const uint32_t extent = replaced ? f->aux : f->input;
		double h[MAX], next[MAX];

		for (uint32_t u = 0; u < f->units; u++)
			h[u] = oracle_number(&t->in[4], b * f->units + u);
		for (uint32_t n = 0; n < f->time; n++) {
			uint32_t s = a->reverse ? f->time - 1 - n : n;
			uint64_t row = a->time_major ? s * f->batch + b : b * f->time + s;

			for (uint32_t u = 0; u < f->units; u++) {
				double sum = oracle_number(&t->in[3], u);

				for (uint32_t i = 0; i < extent; i++)
					sum += oracle_number(x, row * extent + i) *
					       oracle_number(&t->in[1], u * extent + i);
				for (uint32_t i = 0; i < f->units; i++)
					sum += h[i] * oracle_number(&t->in[2], u * f->units + i);
				for (uint32_t i = 0; i < f->aux && !f->parallel; i++)
					sum += oracle_number(&t->in[5], row * f->aux + i) *
					       oracle_number(&t->in[6], u * f->aux + i);
				next[u] = activation(a->activation, sum);
			}
			memcpy(h, next, sizeof(h));
			for (uint32_t u = 0; u < f->units; u++)
				out[row * f->units + u] = h[u];
		}
		for (uint32_t u = 0; u < f->units; u++)
			state[b * f->units + u] = h[u];
	}
}

static void test_rnn(void **unused)
{
	static const uint32_t codes[] = { 0, 1, 2, 3, 4, 6 };

	(void)unused;
	op_seed(30);
	for (uint32_t round = 0; round < 240; round++) {
		struct nnprog_attr_rnn a = { .activation = codes[round % 6],
					     .time_major = op_random(2),
					     .reverse = op_random(2) };
		struct rnn_form f = {
			.type = op_random(2) ? NNPROG_FLOAT16 : NNPROG_FLOAT32,
			.batch = op_random_range(1, 3),
			.time = op_random_range(1, 5),
			.input = op_random_range(1, 7),
			.units = op_random_range(1, 12),
			.aux = op_random(2) ? op_random_range(1, 5) : 0,
			.one_step = !op_random(4),
		};
		struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_RNN,
				     .attrs = &a,
				     .num_out = op_random_range(1, 2) };
		double out[3 * 5 * MAX], state[3 * MAX];

		f.time = f.one_step ? 1 : f.time;
		f.parallel = f.aux && op_random(2);
		t.num_in = f.aux || op_random(2) ? 7 : 5;
		/* the other cell only tells that its operand is present */
		t.num_in += t.num_in == 7 && op_random(2);
		t.in[0] = sequence(&f, a.time_major, f.input);
		t.in[1] = small(op_tensor(f.type, DIMS(f.units,
						       f.parallel && a.reverse ? f.aux : f.input)));
		t.in[2] = small(op_tensor(f.type, DIMS(f.units, f.units)));
		t.in[3] = op_tensor(f.type, DIMS(f.units));
		t.in[4] = op_tensor(f.type, DIMS(f.batch, f.units));
		t.in[5] = f.aux ? sequence(&f, a.time_major, f.aux) : op_omitted();
		t.in[6] = f.aux && !f.parallel ? small(op_tensor(f.type, DIMS(f.units, f.aux)))
					       : op_omitted();
		t.in[7] = t.in[6].omitted ? op_omitted()
					  : op_tensor(f.type, DIMS(f.units + 1, f.aux));
		t.out[0] = t.out[1] = op_output(f.type, 0, 0);
		assert_int_equal(op_run(&t), 0);
		oracle_rnn(&t, &f, &a, out, state);
		oracle_compare(&t.out[0], out, "rnn");
		if (t.num_out > 1)
			oracle_compare(&t.out[1], state, "rnn, state");
		op_release();
	}
}

/* Every activation keeps NaN. */
static void test_rnn_nan(void **unused)
{
	static const uint32_t codes[] = { 0, 1, 2, 3, 4, 6 };

	(void)unused;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const struct nnprog_attr_rnn a = { .activation = codes[i] };
		struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_RNN, .attrs = &a, .num_in = 5 };

		t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(1, 2));
		t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(3, 2));
		t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(3, 3));
		t.in[3] = op_tensor(NNPROG_FLOAT32, DIMS(3));
		t.in[4] = op_tensor(NNPROG_FLOAT32, DIMS(1, 3));
		t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
		((float *)t.in[3].data)[1] = NAN;
		assert_int_equal(op_run(&t), 0);
		assert_true(!isnan(((float *)t.out[0].data)[0]));
		assert_true(isnan(((float *)t.out[0].data)[1]));
		op_release();
	}
}

static void test_rnn_refused(void **unused)
{
	struct nnprog_attr_rnn a = { .activation = 0 };
	struct op_test t = { .opcode = NNPROG_OP_SEQUENCE_RNN, .attrs = &a, .num_in = 7 }, u;

	(void)unused;
	t.in[0] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3, 4));
	t.in[1] = op_tensor(NNPROG_FLOAT32, DIMS(5, 4));
	t.in[2] = op_tensor(NNPROG_FLOAT32, DIMS(5, 5));
	t.in[3] = op_tensor(NNPROG_FLOAT32, DIMS(5));
	t.in[4] = op_tensor(NNPROG_FLOAT32, DIMS(2, 5));
	t.in[5] = op_omitted();
	t.in[6] = op_omitted();
	t.out[0] = op_output(NNPROG_FLOAT32, 0, 0);
	u = t;
	assert_int_equal(op_run(&u), 0);
	a.activation = 5;
	assert_int_equal(op_run(&u), -EINVAL);
	a.activation = 7;
	assert_int_equal(op_run(&u), -EINVAL);
	a = (struct nnprog_attr_rnn){ .reverse = 2 };
	assert_int_equal(op_run(&u), -EINVAL);
	a.reverse = 0;
	u = t;
	u.in[6] = op_tensor(NNPROG_FLOAT32, DIMS(5, 4));
	assert_int_equal(op_run(&u), -EINVAL);
	/* of one cell only */
	u = t;
	u.num_in = 8;
	u.in[7] = op_tensor(NNPROG_FLOAT32, DIMS(5, 4));
	assert_int_equal(op_run(&u), -EINVAL);
	u.in[5] = op_tensor(NNPROG_FLOAT32, DIMS(2, 3, 4));
	assert_int_equal(op_run(&u), -EINVAL);
	u.in[6] = op_tensor(NNPROG_FLOAT32, DIMS(5, 4));
	assert_int_equal(op_run(&u), 0);
	u.in[7] = op_omitted();
	assert_int_equal(op_run(&u), -EINVAL);
	u = t;
	u.in[4] = op_tensor(NNPROG_FLOAT32, DIMS(3, 5));
	assert_int_equal(op_run(&u), -EINVAL);
	u = t;
	op_cancel_at(2);
	assert_int_equal(op_run(&u), -ECANCELED);
	op_cancel_at(0);
	op_release();
}

static void test_svdf(void **unused)
{
	(void)unused;
	op_seed(31);
	for (uint32_t round = 0; round < 160; round++) {
		struct nnprog_attr_svdf a = { .rank = op_random_range(1, 3),
					      .activation = round % 4 };
		uint32_t type = op_random(2) ? NNPROG_FLOAT16 : NNPROG_FLOAT32;
		uint32_t batch = op_random_range(1, 3), input = op_random_range(1, 6),
			 units = op_random_range(1, 5), memory = op_random_range(1, 6);
		uint32_t filters = units * a.rank;
		struct op_test t = {
			.opcode = NNPROG_OP_SVDF, .attrs = &a, .num_in = 5, .num_out = 2
		};
		double state[3 * 15 * 6], out[3 * 5];

		t.in[0] = op_tensor(type, DIMS(batch, input));
		t.in[1] = small(op_tensor(type, DIMS(filters, input)));
		t.in[2] = small(op_tensor(type, DIMS(filters, memory)));
		t.in[3] = op_random(2) ? op_tensor(type, DIMS(units)) : op_omitted();
		t.in[4] = op_tensor(type, DIMS(batch, memory * filters));
		t.out[0] = t.out[1] = op_output(type, 0, 0);
		assert_int_equal(op_run(&t), 0);
		for (uint32_t b = 0; b < batch; b++) {
			for (uint32_t u = 0; u < units; u++) {
				double sum = t.in[3].omitted ? 0 : oracle_number(&t.in[3], u);

				for (uint32_t f = u * a.rank; f < (u + 1) * a.rank; f++) {
					uint32_t row = (b * filters + f) * memory;
					double fresh = 0;

					for (uint32_t i = 0; i < input; i++)
						fresh += oracle_number(&t.in[0], b * input + i) *
							 oracle_number(&t.in[1], f * input + i);
					for (uint32_t m = 0; m < memory; m++) {
						bool last = m == memory - 1;
						double s = last ? fresh
								: oracle_number(&t.in[4], row + m);

						sum += s * oracle_number(&t.in[2], f * memory + m);
						if (m)
							state[row + m - 1] = s;
					}
					state[row + memory - 1] = 0;
				}
				out[b * units + u] = oracle_activate(sum, a.activation);
			}
		}
		oracle_compare(&t.out[0], state, "svdf, state");
		oracle_compare(&t.out[1], out, "svdf");
		/* filters that no rank divides */
		a.rank = filters + 1;
		assert_int_equal(op_run(&t), -EINVAL);
		a.rank = 0;
		op_refused(&t);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rnn),
		cmocka_unit_test(test_rnn_nan),
		cmocka_unit_test(test_rnn_refused),
		cmocka_unit_test(test_svdf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
