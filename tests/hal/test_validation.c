// SPDX-License-Identifier: Apache-2.0
/*
 * The mutations of the vendor test suite (VTS) over several models: each gives
 * INVALID_ARGUMENT from getSupportedOperations, from prepareModel and to its callback, which comes
 * with no model.
 */
#include "hal_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation_models.h"

/* ---- the expected answers to a mutant ---- */

static unsigned int mutants;

static struct validation_model current; /* the operation that is mutated */

/* Frees @m. */
static void refused(struct nnmodel *m, const char *mutation, uint32_t n)
{
	struct nnhal_prepare_config config = hal_prepare_config();
	struct hal_prepared *p = hal_prepared_new();
	bool supported[16];
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	enum nnhal_status reported, returned;

	mutants++;
	validation_model_turn(&current, m);
	assert_true(m->main.num_operations <= 16);
	reported = hal_dev->ops->get_supported_operations(hal_dev, m, supported, NULL, &err);
	returned = hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb, p);
	if (reported != NNHAL_INVALID_ARGUMENT || returned != NNHAL_INVALID_ARGUMENT)
		fail_msg("%s: %s %u: supported %s, prepare %s", current.name, mutation, n,
			 nnhal_status_name(reported), nnhal_status_name(returned));
	/* the call reported it: once, without a model */
	assert_int_equal(p->calls, 1);
	assert_int_equal(p->status, NNHAL_INVALID_ARGUMENT);
	assert_null(p->model);
	assert_int_not_equal(p->message[0], '\0');
	free(p);
	nnmodel_free(m);
}

/*
 * Validation is the library's, whatever is behind it: on a card, in an emulated guest, a fifth of
 * the cases will do.
 */
static bool skipped(size_t k)
{
	return current.op && k % 5 && hal_is_card();
}

/* @m is the model with the graph to be mutated as main; not all chains exist. */
#define FOR_MODELS(m)                                                                             \
	for (size_t k_ = 0; validation_model_at(k_, &current); k_++)                              \
		for (struct nnmodel *m = skipped(k_) ? NULL : validation_model_make(&current); m; \
		     nnmodel_free(m), m = NULL)

static struct nnmodel *mutant_of(const struct nnmodel *m)
{
	struct nnmodel *copy = nnmodel_clone(m);

	assert_non_null(copy);
	return copy;
}

static bool written(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_TEMPORARY_VARIABLE || o->lifetime == NNMODEL_SUBGRAPH_OUTPUT;
}

/* ---- operands ---- */

/* [VTS] mutateOperandTypeTest */
TEST(test_operand_type_range)
{
	static const uint32_t bad[] = { UINT32_MAX, 16, 9999, 10000, 10001, 10002 };

	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			struct nnmodel *x = mutant_of(m);

			x->main.operands[n].type = bad[i];
			refused(x, "operand type", n);
		}
}

/* [VTS] mutateOperandRankTest */
TEST(test_operand_rank)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++) {
		struct nnmodel *x;

		if (!nnmodel_type_is_scalar(m->main.operands[n].type))
			continue;
		x = mutant_of(m);
		free(x->main.operands[n].dims);
		x->main.operands[n].dims = calloc(1, sizeof(uint32_t));
		x->main.operands[n].rank = 1;
		refused(x, "rank", n);
	}
}

static float bad_scale(uint32_t type)
{
	switch (type) {
	case NNMODEL_TENSOR_INT32:
		return -1.0f;
	case NNMODEL_TENSOR_QUANT8_ASYMM:
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNMODEL_TENSOR_QUANT8_SYMM:
	case NNMODEL_TENSOR_QUANT16_SYMM:
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		return 0.0f;
	default:
		return 1.0f;
	}
}

/* [VTS] mutateOperandScaleTest */
TEST(test_operand_scale)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++) {
		struct nnmodel *x = mutant_of(m);

		x->main.operands[n].scale = bad_scale(x->main.operands[n].type);
		refused(x, "scale", n);
	}
}

/* Those that the type refuses, from outside its range inwards; how many of @points. */
static size_t bad_zero_points(uint32_t type, int32_t points[4])
{
	static const int32_t asymm[] = { -1, 256 }, asymm_signed[] = { -129, 128 },
			     none[] = { 1, -1 }, symm[] = { -129, -1, 1, 128 },
			     asymm16[] = { -1, 65536 }, symm16[] = { -32769, -1, 1, 32768 };
	const int32_t *from;
	size_t count = 2;

	switch (type) {
	case NNMODEL_TENSOR_QUANT8_ASYMM:
		from = asymm;
		break;
	case NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED:
		from = asymm_signed;
		break;
	case NNMODEL_TENSOR_QUANT16_ASYMM:
		from = asymm16;
		break;
	case NNMODEL_TENSOR_QUANT8_SYMM:
		from = symm;
		count = 4;
		break;
	case NNMODEL_TENSOR_QUANT16_SYMM:
		from = symm16;
		count = 4;
		break;
	default:
		from = none;
	}
	memcpy(points, from, count * sizeof(*points));
	return count;
}

/* [VTS] mutateOperandZeroPointTest */
TEST(test_operand_zero_point)
{
	int32_t points[4];

	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++) {
		size_t count = bad_zero_points(m->main.operands[n].type, points);

		for (size_t i = 0; i < count; i++) {
			struct nnmodel *x = mutant_of(m);

			x->main.operands[n].zero_point = points[i];
			refused(x, "zero point", n);
		}
	}
}

/* [VTS] mutateOperandLifeTimeTest, mutateOperandInputOutputTest: without the lists */
TEST(test_operand_lifetime)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++)
		for (uint32_t to = 0; to <= NNMODEL_LIFETIME_SUBGRAPH + 1; to++) {
			struct nnmodel *x;

			/*
			 * a constant in a copy that is named by a pool is in the next test
			 */
			if (to == m->main.operands[n].lifetime)
				continue;
			x = mutant_of(m);
			x->main.operands[n].lifetime = to;
			refused(x, "lifetime", n);
		}
}

static void list_add(uint32_t **list, uint32_t *count, uint32_t n)
{
	*list = realloc(*list, (*count + 1) * sizeof(**list));
	assert_non_null(*list);
	(*list)[(*count)++] = n;
}

static void list_remove(uint32_t *list, uint32_t *count, uint32_t n)
{
	for (uint32_t i = 0; i < *count; i++)
		if (list[i] == n) {
			memmove(list + i, list + i + 1, (*count - i - 1) * sizeof(*list));
			(*count)--;
			return;
		}
}

/* [VTS] the same with the lists: a written operand becomes an input, a read-only one an output */
TEST(test_operand_lifetime_and_lists)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++) {
		struct nnmodel *x = mutant_of(m);
		struct nnmodel_subgraph *g = &x->main;
		struct nnmodel_operand *o = &g->operands[n];

		list_remove(g->inputs, &g->num_inputs, n);
		list_remove(g->outputs, &g->num_outputs, n);
		memset(&o->location, 0, sizeof(o->location));
		if (written(o)) {
			o->lifetime = NNMODEL_SUBGRAPH_INPUT;
			list_add(&g->inputs, &g->num_inputs, n);
		} else {
			o->lifetime = NNMODEL_SUBGRAPH_OUTPUT;
			list_add(&g->outputs, &g->num_outputs, n);
		}
		refused(x, "lifetime and lists", n);
	}
}

/* Another type with the attributes that it requires. */
static void become(struct nnmodel *x, struct nnmodel_operand *o, uint32_t type)
{
	bool was_scalar = nnmodel_type_is_scalar(o->type), scalar = nnmodel_type_is_scalar(type);
	uint64_t bytes;

	o->type = type;
	free(o->scales);
	o->scales = NULL;
	o->num_scales = o->channel_dim = 0;
	o->scale = bad_scale(type) == 0.0f ? 1.0f : 0.0f;
	o->zero_point = 0;
	if (scalar != was_scalar) {
		free(o->dims);
		o->dims = scalar ? NULL : malloc(sizeof(uint32_t));
		o->rank = !scalar;
		if (o->dims)
			o->dims[0] = 1;
	}
	if (type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL && o->rank) {
		o->num_scales = o->dims[0];
		o->scales = calloc(o->num_scales, sizeof(float));
		for (uint32_t i = 0; i < o->num_scales; i++)
			o->scales[i] = 1.0f;
	}
	if (o->lifetime == NNMODEL_CONSTANT_COPY && !nnmodel_operand_bytes(o, &bytes)) {
		/* its bytes are there, whatever they mean */
		o->location.offset = 0;
		o->location.length = bytes;
		if (x->values_size < bytes) {
			x->values = realloc(x->values, bytes);
			assert_non_null(x->values);
			memset(x->values + x->values_size, 0, bytes - x->values_size);
			x->values_size = bytes;
		}
	}
}

/* [VTS]'s exceptions: operands that an operation can do without, by operation and place. */
static bool may_drop(const struct nnmodel *m, uint32_t n)
{
	if (current.op)
		return op_case_drops(current.op, n);
	/* CONCATENATION is right with one tensor */
	return m->main.operations[0].type == NNMODEL_CONCATENATION && n < 2;
}

/* [VTS]'s exceptions: other types that an operation takes there. */
static bool type_allowed(const struct nnmodel *m, uint32_t n, uint32_t type)
{
	if (current.op)
		return op_case_allows(current.op, n, type);
	for (uint32_t i = 0; i < m->main.num_operations; i++) {
		const struct nnmodel_operation *op = &m->main.operations[i];

		/* a filter per channel or not */
		if (op->type == NNMODEL_CONV_2D && op->inputs[1] == n &&
		    (type == NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL ||
		     type == NNMODEL_TENSOR_QUANT8_ASYMM ||
		     type == NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED))
			return true;
	}
	return false;
}

/* [VTS] mutateOperationOperandTypeTest */
TEST(test_operation_operand_type)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++)
		for (uint32_t type = 0; type < NNMODEL_SUBGRAPH; type++) {
			struct nnmodel *x;

			if (type == m->main.operands[n].type || type_allowed(m, n, type))
				continue;
			x = mutant_of(m);
			become(x, &x->main.operands[n], type);
			refused(x, "other type", n * 100 + type);
		}
}

/* ---- operations ---- */

/* [VTS] mutateOperationTypeTest */
TEST(test_operation_type)
{
	static const uint32_t bad[] = { UINT32_MAX, 106, 9999, 10000, 10001 };

	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			struct nnmodel *x = mutant_of(m);

			x->main.operations[n].type = bad[i];
			refused(x, "operation type", n);
		}
}

/* [VTS] mutateOperationInputOperandIndexTest, mutateOperationOutputOperandIndexTest */
TEST(test_operand_index)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++) {
		const struct nnmodel_operation *op = &m->main.operations[n];

		for (uint32_t i = 0; i < op->num_inputs + op->num_outputs; i++) {
			struct nnmodel *x = mutant_of(m);
			struct nnmodel_operation *y = &x->main.operations[n];

			if (i < op->num_inputs)
				y->inputs[i] = x->main.num_operands;
			else
				y->outputs[i - op->num_inputs] = x->main.num_operands;
			refused(x, "operand index", i);
		}
	}
}

/* [VTS] mutateOperationRemoveWriteTest: a fresh temporary is written instead */
TEST(test_remove_write)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++)
		for (uint32_t i = 0; i < m->main.operations[n].num_outputs; i++) {
			struct nnmodel *x = mutant_of(m);
			uint32_t old = x->main.operations[n].outputs[i];
			const struct nnmodel_operand o = x->main.operands[old];
			uint32_t dims[8], fresh;

			if (o.rank)
				memcpy(dims, o.dims, o.rank * sizeof(*dims));
			fresh = hal_tensor(x, o.type, NNMODEL_TEMPORARY_VARIABLE, dims, o.rank,
					   o.scale, o.zero_point);
			x->main.operations[n].outputs[i] = fresh;
			refused(x, "removed write", n);
		}
}

/* [VTS] mutateOperationExtraOutputWriteTest: written twice */
TEST(test_extra_writer)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++) {
		struct nnmodel *x = mutant_of(m);
		const struct nnmodel_operation op = x->main.operations[n];

		assert_true(nnmodel_add_operation(x, op.type, op.inputs, op.num_inputs, op.outputs,
						  op.num_outputs) >= 0);
		refused(x, "extra writer", n);
	}
}

/* [VTS] mutateExecutionOrderTest: a reader to the front, a writer to the end */
TEST(test_execution_order)
{
	unsigned int before = mutants;

	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++) {
		struct nnmodel_operation *ops, op;
		struct nnmodel *x;
		bool reads = false, is_read = false;

		for (uint32_t i = 0; i < m->main.operations[n].num_inputs; i++)
			reads |= written(&m->main.operands[m->main.operations[n].inputs[i]]);
		for (uint32_t j = 0; j < m->main.num_operations; j++)
			for (uint32_t i = 0; i < m->main.operations[j].num_inputs; i++)
				is_read |= m->main.operations[j].inputs[i] ==
					   m->main.operations[n].outputs[0];
		if (reads) {
			x = mutant_of(m);
			ops = x->main.operations;
			op = ops[n];
			memmove(ops + 1, ops, n * sizeof(op));
			ops[0] = op;
			refused(x, "reader to the front", n);
		}
		if (is_read) {
			x = mutant_of(m);
			ops = x->main.operations;
			op = ops[n];
			memmove(ops + n, ops + n + 1,
				(x->main.num_operations - n - 1) * sizeof(op));
			ops[x->main.num_operations - 1] = op;
			refused(x, "writer to the end", n);
		}
	}
	assert_true(mutants > before);
}

static void operation_clear(struct nnmodel_operation *op)
{
	free(op->inputs);
	free(op->outputs);
}

/* Its entries go, those behind it move up. */
static void forget(uint32_t *list, uint32_t *count, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < *count; i++)
		if (list[i] != n)
			list[kept++] = list[i] - (list[i] > n);
	*count = kept;
}

/* [VTS] removeOperandTest */
TEST(test_remove_operand)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operands; n++) {
		struct nnmodel *x;
		struct nnmodel_subgraph *g;

		if (may_drop(m, n))
			continue;
		x = mutant_of(m);
		g = &x->main;
		free(g->operands[n].dims);
		free(g->operands[n].scales);
		memmove(g->operands + n, g->operands + n + 1,
			(g->num_operands - n - 1) * sizeof(*g->operands));
		g->num_operands--;
		for (uint32_t i = 0; i < g->num_operations; i++) {
			forget(g->operations[i].inputs, &g->operations[i].num_inputs, n);
			forget(g->operations[i].outputs, &g->operations[i].num_outputs, n);
		}
		forget(g->inputs, &g->num_inputs, n);
		forget(g->outputs, &g->num_outputs, n);
		refused(x, "removed operand", n);
	}
}

/* [VTS] removeOperationTest */
TEST(test_remove_operation)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++) {
		struct nnmodel *x = mutant_of(m);
		struct nnmodel_subgraph *g = &x->main;

		operation_clear(&g->operations[n]);
		memmove(g->operations + n, g->operations + n + 1,
			(g->num_operations - n - 1) * sizeof(*g->operations));
		g->num_operations--;
		refused(x, "removed operation", n);
	}
}

/* [VTS] removeOperationInputTest */
TEST(test_remove_operation_input)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++)
		for (uint32_t i = 0; i < m->main.operations[n].num_inputs; i++) {
			struct nnmodel *x;
			struct nnmodel_operation *op;

			if (n == 0 && may_drop(m, m->main.operations[0].inputs[i]))
				continue;
			x = mutant_of(m);
			op = &x->main.operations[n];
			memmove(op->inputs + i, op->inputs + i + 1,
				(op->num_inputs - i - 1) * sizeof(uint32_t));
			op->num_inputs--;
			refused(x, "removed input", n * 100 + i);
		}
}

/* [VTS] removeOperationOutputTest: the operand that is no longer written stays */
TEST(test_remove_operation_output)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++)
		for (uint32_t i = 0; i < m->main.operations[n].num_outputs; i++) {
			struct nnmodel *x = mutant_of(m);
			struct nnmodel_operation *op = &x->main.operations[n];

			memmove(op->outputs + i, op->outputs + i + 1,
				(op->num_outputs - i - 1) * sizeof(uint32_t));
			op->num_outputs--;
			refused(x, "removed output", n * 100 + i);
		}
}

/* [VTS] addOperationInputTest, addOperationOutputTest: an INT32 of the graph's */
TEST(test_add_operand)
{
	FOR_MODELS(m)
	for (uint32_t n = 0; n < m->main.num_operations; n++)
		for (int output = 0; output < 2; output++) {
			struct nnmodel *x;
			struct nnmodel_operation *op;
			uint32_t extra;

			/* an axis, or another parameter of the cases */
			if (!output && (current.op ? current.op->more && n == 0
						   : m->main.operations[n].type == NNMODEL_SOFTMAX))
				continue;
			x = mutant_of(m);
			extra = hal_tensor(x, NNMODEL_INT32,
					   output ? NNMODEL_SUBGRAPH_OUTPUT
						  : NNMODEL_SUBGRAPH_INPUT,
					   NULL, 0, 0, 0);
			op = &x->main.operations[n];
			if (output) {
				list_add(&op->outputs, &op->num_outputs, extra);
				list_add(&x->main.outputs, &x->main.num_outputs, extra);
			} else {
				list_add(&op->inputs, &op->num_inputs, extra);
				list_add(&x->main.inputs, &x->main.num_inputs, extra);
			}
			refused(x, output ? "added output" : "added input", n);
		}
}

/* ---- the rest ---- */

/* [VTS] CycleTest: three ADDs, two of them wait for each other */
TEST(test_cycle)
{
	struct nnmodel *m = nnmodel_new();
	uint32_t t[5], act;

	for (int i = 0; i < 5; i++)
		t[i] = hal_tensor(m, NNMODEL_TENSOR_FLOAT32,
				  i < 2	   ? NNMODEL_SUBGRAPH_INPUT
				  : i == 4 ? NNMODEL_SUBGRAPH_OUTPUT
					   : NNMODEL_TEMPORARY_VARIABLE,
				  HAL_DIMS(1), 1, 0, 0);
	act = (uint32_t)nnmodel_add_int32(m, NNMODEL_FUSED_NONE);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(t[0], t[3], act),
					  HAL_LIST(t[2])) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(t[1], t[2], act),
					  HAL_LIST(t[3])) >= 0);
	assert_true(nnmodel_add_operation(m, NNMODEL_ADD, HAL_LIST(t[2], t[1], act),
					  HAL_LIST(t[4])) >= 0);
	assert_int_equal(nnmodel_set_io(m, HAL_LIST(t[0], t[1]), HAL_LIST(t[4])), 0);
	current = (struct validation_model){ .name = "cycle" };
	refused(m, "cycle", 0);
}

/*
 * Hints: unknown ones are ignored, but the list must be well-formed; extension names and prefixes
 * are one to one.
 */
TEST(test_hints)
{
	char name[] = "com.example.test", other[] = "com.example.other", bad_name[] = "Example";
	struct nnmodel_extension extensions[] = { { name, 1 }, { other, 2 } };
	struct nnhal_token_value hints[] = { { 0x10001, "x", 1 }, { 0x10002, NULL, 0 } };
	struct nnhal_prepare_config config = hal_prepare_config();
	struct nnmodel *m = hal_model_add();

	config.hints = hints;
	config.num_hints = 2;
	config.extensions = extensions;
	config.num_extensions = 2;
	for (int bad = 0; bad < 6; bad++) {
		struct hal_prepared *p = hal_prepared_new(), done;
		enum nnhal_status expect = bad ? NNHAL_INVALID_ARGUMENT : NNHAL_NONE;

		hints[1].token = bad == 1 ? 0x10001 : 0x10002;
		extensions[1].prefix = bad == 2 ? 1 : bad == 3 ? 0x8000 : 2;
		extensions[1].name = bad == 4 ? name : bad == 5 ? bad_name : other;
		assert_int_equal(hal_dev->ops->prepare_model(hal_dev, m, &config, hal_prepared_cb,
							     p),
				 expect);
		done = hal_prepared_wait(p);
		assert_int_equal(done.status, expect);
		if (done.model)
			done.model->ops->destroy(done.model);
	}
	nnmodel_free(m);
}

/* [VTS] mutateOperandRankTest of 1.0 and 1.1: their tensors have a rank. */
TEST(test_tensor_rank)
{
	static const enum nnhal_version versions[] = { NNHAL_HIDL_1_0, NNHAL_HIDL_1_1 };
	const unsigned int before = mutants;
	struct nnhal_device *own = hal_dev;

	for (uint32_t v = 0; v < 2; v++) {
		assert_int_equal(nnhal_view_create(own, versions[v], &hal_dev), 0);
		FOR_MODELS(m)
		for (uint32_t n = 0; n < m->main.num_operands; n++) {
			struct nnmodel *x;

			/* others are refused as they are */
			if (!current.op || current.op->level > v + 1 || current.chained ||
			    !m->main.operands[n].rank)
				continue;
			x = mutant_of(m);
			x->main.operands[n].rank = 0;
			refused(x, "rank 0", n);
		}
		hal_dev->ops->destroy(hal_dev);
	}
	hal_dev = own;
	assert_true(mutants > before);
}

/* The unchanged models are valid: the mutation causes the refusal. */
TEST(test_models_prepare)
{
	uint32_t count = 0, graphs = 0, chains = 0;

	FOR_MODELS(m)
	{
		bool supported[16] = { false };
		struct nnmodel_error err = NNMODEL_ERROR_INIT;

		validation_model_turn(&current, m);
		if (hal_dev->ops->get_supported_operations(hal_dev, m, supported, NULL, &err))
			fail_msg("%s: %s", current.name, err.text);
		count++;
		graphs += current.graph > 0;
		chains += current.chained;
	}
	print_message("%u models, %u times a subgraph of one, %u with a reader\n", count, graphs,
		      chains);
	assert_true(graphs >= 8 && chains > (hal_is_card() ? 20 : 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_models_prepare),
		cmocka_unit_test(test_operand_type_range),
		cmocka_unit_test(test_operand_rank),
		cmocka_unit_test(test_operand_scale),
		cmocka_unit_test(test_operand_zero_point),
		cmocka_unit_test(test_operand_lifetime),
		cmocka_unit_test(test_operand_lifetime_and_lists),
		cmocka_unit_test(test_operation_operand_type),
		cmocka_unit_test(test_operation_type),
		cmocka_unit_test(test_operand_index),
		cmocka_unit_test(test_remove_write),
		cmocka_unit_test(test_extra_writer),
		cmocka_unit_test(test_execution_order),
		cmocka_unit_test(test_remove_operand),
		cmocka_unit_test(test_remove_operation),
		cmocka_unit_test(test_remove_operation_input),
		cmocka_unit_test(test_remove_operation_output),
		cmocka_unit_test(test_add_operand),
		cmocka_unit_test(test_tensor_rank),
		cmocka_unit_test(test_cycle),
		cmocka_unit_test(test_hints),
	};
	int failed = cmocka_run_group_tests_name("hal-validation", tests, hal_setup, hal_teardown);

	printf("# %u mutants\n", mutants);
	return failed;
}
