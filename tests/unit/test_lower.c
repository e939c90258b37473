// SPDX-License-Identifier: Apache-2.0
/*
 * Lowering: the resulting device operations with their shapes and quantization, and the refusals.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "descriptors.h"
#include "nnprog_attrs.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "lower_cases.h"
#include "nnaccel/nnaccel_opset.h"
#include "test_case.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

TEST(test_opset)
{
	struct nnaccel_opset_header *header;
	struct nnaccel_opset_entry *entry;
	struct nnhal_opset opset;
	size_t size;
	uint8_t *bytes = spec_opset_bytes(&size), *wide;

	header = (struct nnaccel_opset_header *)bytes;
	entry = (struct nnaccel_opset_entry *)(bytes + sizeof(*header));
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	assert_int_equal(opset.version, NNPROG_OPSET_VERSION);
	assert_false(opset.ops[NNPROG_OP_NONE].present);
	for (uint32_t op = 1; op < NNPROG_OP_COUNT; op++) {
		assert_int_equal(opset.ops[op].present, nnprog_op_find(op) != NULL);
		if (!opset.ops[op].present)
			continue;
		assert_int_equal(opset.ops[op].types, nnprog_op_find(op)->types);
		assert_int_equal(opset.ops[op].max_rank, NNPROG_MAX_RANK);
		assert_int_equal(opset.ops[op].speed, op);
	}
	/* cut anywhere */
	for (size_t n = 0; n < size; n++) {
		uint8_t *cut = malloc(n ? n : 1);

		memcpy(cut, bytes, n);
		assert_int_equal(nnhal_opset_parse(cut, n, &opset), -EINVAL);
		assert_false(opset.ops[NNPROG_OP_CONV_2D].present);
		free(cut);
	}
	assert_int_equal(nnhal_opset_parse(NULL, 0, &opset), -EINVAL);
	assert_int_equal(nnhal_opset_parse(bytes, NNACCEL_OPSET_MAX_SIZE + 1, &opset), -EINVAL);

#define REFUSED_WITH(lvalue, value)                                                \
	do {                                                                       \
		const __typeof__(lvalue) before_ = (lvalue);                       \
		(lvalue) = (value);                                                \
		assert_int_equal(nnhal_opset_parse(bytes, size, &opset), -EINVAL); \
		(lvalue) = before_;                                                \
	} while (0)
	REFUSED_WITH(header->magic, 1);
	REFUSED_WITH(header->version, 0);
	REFUSED_WITH(header->stride, 63);
	REFUSED_WITH(header->stride, 0);
	REFUSED_WITH(header->stride, UINT32_MAX);
	REFUSED_WITH(header->count, NNPROG_OP_COUNT);
	REFUSED_WITH(header->count, UINT32_MAX);
	REFUSED_WITH(entry[1].opcode, entry[0].opcode);
	REFUSED_WITH(entry[1].opcode, NNPROG_OP_NONE);
	REFUSED_WITH(entry[1].version, 0);
	memset(entry[2].name, 'x', sizeof(entry[2].name));
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), -EINVAL);
	entry[2].name[31] = 0;
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	/* unknown entries are skipped */
	entry[2].opcode = htole32(NNPROG_OP_COUNT + 7);
	assert_int_equal(nnhal_opset_parse(bytes, size, &opset), 0);
	assert_false(opset.ops[3].present);

	/* entries of a newer contract are longer */
	wide = calloc(1, sizeof(*header) + 2 * 96);
	memcpy(wide, header, sizeof(*header));
	((struct nnaccel_opset_header *)wide)->stride = htole32(96);
	((struct nnaccel_opset_header *)wide)->count = htole32(2);
	memcpy(wide + sizeof(*header), &entry[0], sizeof(*entry));
	memcpy(wide + sizeof(*header) + 96, &entry[1], sizeof(*entry));
	assert_int_equal(nnhal_opset_parse(wide, sizeof(*header) + 2 * 96, &opset), 0);
	assert_true(opset.ops[1].present && opset.ops[2].present && !opset.ops[4].present);
	free(wide);
	free(bytes);
}

/* NULL beyond the last */
static const struct lower_case *case_at(size_t i)
{
	return i < lower_cases.num ? &lower_cases.cases[i] : NULL;
}

/* NNAPI lets these come without some of their inputs (test_lower_optional.c), and no others. */
static bool may_omit(uint32_t opcode)
{
	static const uint32_t ops[] = {
		NNMODEL_BIDIRECTIONAL_SEQUENCE_LSTM,
		NNMODEL_BIDIRECTIONAL_SEQUENCE_RNN,
		NNMODEL_DENSIFY,
		NNMODEL_LSTM,
		NNMODEL_LSH_PROJECTION,
		NNMODEL_QUANTIZED_LSTM,
		NNMODEL_SQUEEZE,
		NNMODEL_SVDF,
		NNMODEL_TRANSPOSE,
		NNMODEL_UNIDIRECTIONAL_SEQUENCE_LSTM,
	};

	for (size_t i = 0; i < SIZE(ops); i++)
		if (ops[i] == opcode)
			return true;
	return false;
}

/* Also an input that the operation would not look at. */
TEST(test_omitted)
{
	uint32_t failures = 0;

	for (size_t i = 0; case_at(i); i++) {
		const struct lower_case *c = case_at(i);

		for (uint32_t k = 0; k < 64 && !c->ret && !may_omit(c->opcode); k++) {
			struct nnmodel *m = spec_model(c->opcode, c->in, c->out);
			struct nnhal_lowered program = { 0 };
			struct nnmodel_operand *o;
			struct nnmodel_error err = NNMODEL_ERROR_INIT;

			if (k >= m->main.operations[0].num_inputs) {
				nnmodel_free(m);
				break;
			}
			o = &m->main.operands[m->main.operations[0].inputs[k]];
			o->lifetime = NNMODEL_NO_VALUE;
			o->location = (struct nnmodel_location){ 0 };
			spec_set_io(m);
			if (!nnmodel_validate(m, NULL, &err) && !spec_lower(m, &program, &err)) {
				print_error("%s (%s): takes input %u omitted\n",
					    nnmodel_operation_name(c->opcode), c->in, k);
				failures++;
			}
			free(program.bytes);
			nnmodel_free(m);
		}
	}
	assert_int_equal(failures, 0);
}

TEST(test_operations)
{
	uint32_t failures = 0;

	for (size_t i = 0; case_at(i); i++) {
		struct nnmodel *m = spec_model(case_at(i)->opcode, case_at(i)->in, case_at(i)->out);
		struct nnhal_lowered program;
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		const int ret = spec_lower(m, &program, &err);
		const char *result = ret ? err.text : spec_program_ops(&program);

		if (ret != case_at(i)->ret ||
		    (ret ? !strstr(result, case_at(i)->ops) : strcmp(result, case_at(i)->ops))) {
			print_error("%s (%s): %d, %s\n", nnmodel_operation_name(case_at(i)->opcode),
				    case_at(i)->in, ret, result);
			failures++;
		}
		if (ret)
			assert_int_equal(err.operation, 0);
		free(program.bytes);
		nnmodel_free(m);
	}
	assert_int_equal(failures, 0);
	/*
	 * every operation has a case that is lowered; test_lower_control.c has those of control
	 * flow
	 */
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++) {
		bool found = op == NNMODEL_IF || op == NNMODEL_WHILE;

		for (size_t i = 0; case_at(i); i++)
			found |= case_at(i)->opcode == op && !case_at(i)->ret;
		if (!found)
			print_error("no case for %s\n", nnmodel_operation_name(op));
		assert_true(found);
	}
}

/* Two convolutions and a pooling in NCHW: transposed at both ends, once each. */
TEST(test_nchw_chain)
{
	struct nnmodel *m = nnmodel_new();
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const struct nnprog_tensor *t;

	assert_int_equal(spec_operand(m, "Q8:1x2x6x6@0.5,3"), 0);
	spec_operand(m, "Q8:3x3x3x2@0.5,1");
	spec_operand(m, "I32:3@0.25");
	spec_operand(m, "Q8:0x0x0x0@0.75,4"); /* 3: the temporary between both, of unknown shape */
	spec_operand(m, "i=1");
	spec_operand(m, "i=2");
	spec_operand(m, "i=0");
	spec_operand(m, "b=1"); /* 7 */
	spec_operand(m, "Q8@1,77"); /* 8: pooled; a temporary's declaration yields */
	spec_operand(m, "Q8:2x1x1x3@0.5,1");
	spec_operand(m, "I32:2@0.375");
	spec_operand(m, "Q8:0x0x0x0@0.25,5"); /* 11: output */
	m->main.operands[3].lifetime = m->main.operands[8].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	spec_op(m, NNMODEL_CONV_2D, IN(0, 1, 2, 4, 4, 4, 6, 7), IN(3));
	spec_op(m, NNMODEL_MAX_POOL_2D, IN(3, 5, 5, 5, 5, 5, 6, 7), IN(8));
	spec_op(m, NNMODEL_CONV_2D, IN(8, 9, 10, 4, 4, 4, 6, 7), IN(11));
	m->main.operands[11].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program),
			    "TRANSPOSE CONV_2D POOL_2D CONV_2D TRANSPOSE");
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 4);
	assert_memory_equal(t->dims, ((uint32_t[]){ 1, 2, 3, 3 }), 16);
	assert_int_equal(t->zero_point, 5);
	free(program.bytes);

	/* another operation reads the tensor in between as it is declared */
	spec_operand(m, "F32:0x0x0x0");
	m->main.operands[12].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_DEQUANTIZE, IN(3), IN(12));
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program),
			    "TRANSPOSE CONV_2D POOL_2D CONV_2D TRANSPOSE CONVERT TRANSPOSE");
	t = spec_program_io(&program, true, 1);
	assert_memory_equal(t->dims, ((uint32_t[]){ 1, 3, 6, 6 }), 16);
	free(program.bytes);
	nnmodel_free(m);
}

/* ADD then RELU6 through operand 3; 4 is the output. */
static struct nnmodel *relu_after_add(const char *between, const char *out)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, "Q8:2x3@0.5,3");
	spec_operand(m, "Q8:3@0.25,1");
	spec_operand(m, "i=0");
	spec_operand(m, between);
	spec_operand(m, out);
	m->main.operands[3].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[4].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_ADD, IN(0, 1, 2), IN(3));
	spec_op(m, NNMODEL_RELU6, IN(3), IN(4));
	spec_set_io(m);
	return m;
}

static void expect_ops(struct nnmodel *m, const char *ops)
{
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	if (spec_lower(m, &program, &err))
		print_error("%s\n", err.text);
	assert_string_equal(spec_program_ops(&program), ops);
	free(program.bytes);
}

TEST(test_fused_activation)
{
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *m;
	struct nnprog prog;
	struct nnprog_error prog_err;

	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	assert_int_equal(spec_lower(m, &program, &err), 0);
	assert_string_equal(spec_program_ops(&program), "BINARY");
	assert_int_equal(nnprog_verify(program.bytes, program.size, &prog, &prog_err), 0);
	assert_int_equal(
		((const struct nnprog_attr_binary *)(prog.attrs + prog.operations[0].attrs))
			->activation,
		NNPROG_ACT_RELU6);
	free(program.bytes);

	/* two readers; an activation of its own; something in between that is an output */
	spec_operand(m, "Q8:2x3@0.1,7");
	m->main.operands[5].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_RELU1, IN(3), IN(5));
	spec_set_io(m);
	expect_ops(m, "BINARY UNARY UNARY");
	nnmodel_free(m);

	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	assert_int_equal(nnmodel_set_value(m, 2, (int32_t[]){ NNMODEL_FUSED_RELU }, 4), 0);
	expect_ops(m, "BINARY UNARY");
	nnmodel_free(m);

	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.1,7");
	m->main.operands[3].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	expect_ops(m, "BINARY UNARY");
	nnmodel_free(m);

	/* a model output that declares another quantization is refused, fused or not */
	m = relu_after_add("Q8:2x3@0.1,7", "Q8:2x3@0.2,7");
	assert_int_equal(spec_lower(m, &program, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "RELU6: output (operand 4)"));
	nnmodel_free(m);

	/* dimensions known at either end hold; so do those of the temporary */
	m = relu_after_add("Q8:2x3@0.1,7", "Q8:0x0@0.1,7");
	expect_ops(m, "BINARY");
	m->main.operands[3].dims[1] = 4;
	assert_int_equal(spec_lower(m, &program, &err), -EINVAL);
	nnmodel_free(m);
}

static struct nnmodel *requantize(const char *in, const char *between, const char *out)
{
	struct nnmodel *m = nnmodel_new();

	spec_operand(m, in);
	spec_operand(m, between);
	spec_operand(m, out);
	m->main.operands[1].lifetime = NNMODEL_TEMPORARY_VARIABLE;
	m->main.operands[2].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_op(m, NNMODEL_DEQUANTIZE, IN(0), IN(1));
	spec_op(m, NNMODEL_QUANTIZE, IN(1), IN(2));
	spec_set_io(m);
	return m;
}

TEST(test_fused_requantize)
{
	static const struct {
		const char *in, *between, *out, *ops;
	} pairs[] = {
		{ "Q8:2x3@0.5,3", "F32:2x3", "Q8S:2x3@0.4,-3", "CONVERT" },
		{ "Q8S:2x3@0.5,3", "F32:2x3", "Q8:2x3@0.4,3", "CONVERT" },
		{ "Q8Y:2x3@0.5", "F32:2x3", "Q8:2x3@0.4,3", "CONVERT" },
		{ "Q8:2x3@0.5,3", "F16:2x3", "Q8S:2x3@0.4,-3", "CONVERT CONVERT" },
		{ "QPC:2x3", "F32:2x3", "Q8S:2x3@0.4,-3", "CONVERT CONVERT" },
	};
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnmodel *m;

	for (size_t i = 0; i < SIZE(pairs); i++) {
		m = requantize(pairs[i].in, pairs[i].between, pairs[i].out);
		expect_ops(m, pairs[i].ops);
		nnmodel_free(m);
	}
	m = requantize("Q8:2x3@0.5,3", "F32:2x3", "Q8S:2x3@0.4,-3");
	m->main.operands[1].dims[0] = 3;
	assert_int_equal(spec_lower(m, &program, &err), -EINVAL);
	m->main.operands[1].dims[0] = 0;
	expect_ops(m, "CONVERT");
	/* the float is wanted */
	m->main.operands[1].lifetime = NNMODEL_SUBGRAPH_OUTPUT;
	spec_set_io(m);
	expect_ops(m, "CONVERT CONVERT");
	nnmodel_free(m);
}

TEST(test_unknown_shapes)
{
	struct nnmodel *m =
		spec_model(NNMODEL_CONV_2D, "F32:0x0x0x2 F32:3x2x2x2 F32:3 i=1 i=2 i=2 i=0", "F32");
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	const struct nnprog_tensor *t;

	assert_int_equal(spec_lower(m, &program, &err), 0);
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 4);
	assert_int_equal(t->dims[1], NNPROG_DIM_UNKNOWN);
	assert_int_equal(t->dims[3], 3);
	assert_int_equal(t->size, 0);
	free(program.bytes);
	nnmodel_free(m);

	/* a dimension that the input leaves open comes from the output's declaration */
	m = spec_model(NNMODEL_RELU, "F32", "F32:2x3");
	assert_int_equal(spec_lower(m, &program, &err), 0);
	t = spec_program_io(&program, true, 0);
	assert_int_equal(t->rank, 2);
	assert_int_equal(t->dims[1], 3);
	free(program.bytes);
	nnmodel_free(m);
}

TEST(test_support)
{
	struct nnmodel *m = nnmodel_new();
	struct nnhal_opset opset = spec_opset();
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported[4];
	char *reasons[4];

	/* RELU, an operation that the device lacks, ADD on its result, an extension's */
	spec_operand(m, "F32:2x3");
	for (uint32_t i = 1; i < 5; i++) {
		spec_operand(m, "F32:2x3");
		m->main.operands[i].lifetime = i < 4 ? NNMODEL_TEMPORARY_VARIABLE
						     : NNMODEL_SUBGRAPH_OUTPUT;
	}
	spec_operand(m, "i=0");
	m->extensions = calloc(1, sizeof(*m->extensions));
	m->extensions[0] = (struct nnmodel_extension){ strdup("a.b"), 1 };
	m->num_extensions = 1;
	spec_op(m, NNMODEL_RELU, IN(0), IN(1));
	spec_op(m, NNMODEL_CAST, IN(1), IN(2));
	spec_op(m, NNMODEL_ADD, IN(2, 1, 5), IN(3));
	spec_op(m, 0x00010007, IN(3), IN(4));
	spec_set_io(m);
	assert_int_equal(nnmodel_validate(m, NULL, &err), 0);
	opset.ops[NNPROG_OP_CONVERT].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(supported[0] && !supported[1] && supported[2] && !supported[3]);
	assert_null(reasons[0]);
	assert_string_equal(reasons[1], "operation 1 CAST: the device has no CONVERT");
	assert_null(reasons[2]);
	assert_non_null(strstr(reasons[3], "operation 3 extension operation 1:7: "));
	free(reasons[1]);
	free(reasons[3]);
	assert_int_equal(nnhal_lower_model(m, &opset, &program, &err), -EOPNOTSUPP);
	assert_int_equal(err.operation, 1);
	assert_null(program.bytes);

	/* a device that lacks an operation, a type, a rank */
	opset.ops[NNPROG_OP_UNARY].present = false;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(!supported[0] && supported[2]);
	assert_non_null(strstr(reasons[0], "the device has no UNARY"));
	for (uint32_t i = 0; i < 4; i++)
		free(reasons[i]);
	opset = spec_opset();
	opset.ops[NNPROG_OP_BINARY].types &= ~(1u << NNPROG_FLOAT32);
	opset.ops[NNPROG_OP_UNARY].max_rank = 1;
	assert_int_equal(nnhal_lower_supported(m, &opset, supported, reasons), 0);
	assert_true(!supported[0] && !supported[2]);
	assert_non_null(strstr(reasons[0], "takes rank 1 at most"));
	assert_non_null(strstr(reasons[2], "does not take"));
	for (uint32_t i = 0; i < 4; i++)
		free(reasons[i]);
	nnmodel_free(m);
}

/* Constants in a pool that its owner changes under us. */
TEST(test_pools)
{
	struct nnmodel *m =
		spec_model(NNMODEL_FULLY_CONNECTED, "F32:2x3 F32:4x3 F32:4 i=0", "F32:2x4");
	const struct nnhal_opset opset = spec_opset();
	const int fd = memfd_new(4096);
	struct nnhal_lowered program;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported;
	char *reason;

	assert_int_equal(nnmodel_add_pool(m, fd, PROT_READ, 0, 4096), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 1, 0, 64, 48), 0);
	assert_int_equal(nnmodel_set_value_from_pool(m, 2, 0, 128, 16), 0);
	spec_set_io(m);
	assert_int_equal(spec_lower(m, &program, &err), 0);
	free(program.bytes);
	assert_int_equal(ftruncate(fd, 100), 0);
	assert_int_equal(nnhal_lower_model(m, &opset, &program, &err), -EINVAL);
	assert_non_null(strstr(err.text, "constants cannot be read"));
	assert_int_equal(nnhal_lower_supported(m, &opset, &supported, &reason), 0);
	assert_false(supported);
	assert_non_null(strstr(reason, "constants cannot be read"));
	free(reason);
	nnmodel_free(m);
}

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)random_state * n >> 32);
}

static uint32_t random_value(void)
{
	static const uint32_t values[] = { 0,	       1,	   2,	       3,	  4,
					   5,	       7,	   8,	       64,	  127,
					   128,	       255,	   256,	       65535,	  65536,
					   0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

	return values[random_below(SIZE(values))];
}

/* Change one member of @m; arrays keep their right length. */
static void mutate(struct nnmodel *m)
{
	static const float scales[] = { 0, -1, 0.5f, 1, 1e-38f, 1e38f, 3, 1.f / 256, 1.f / 128 };
	struct nnmodel_operand *o = &m->main.operands[random_below(m->main.num_operands)];
	struct nnmodel_operation *op = &m->main.operations[random_below(m->main.num_operations)];

	switch (random_below(12)) {
	case 0:
		o->scale = scales[random_below(SIZE(scales))];
		break;
	case 1:
		o->zero_point = (int32_t)random_value();
		break;
	case 2:
		if (o->rank)
			o->dims[random_below(o->rank)] = random_value();
		break;
	case 3: /* fewer dims than there are; constants keep their size */
		o->rank = o->rank ? random_below(o->rank + 1) : 0;
		break;
	case 4:
		spec_retype(m, (uint32_t)(o - m->main.operands), random_below(NNMODEL_SUBGRAPH));
		break;
	case 5:
		if (op->num_inputs)
			op->inputs[random_below(op->num_inputs)] =
				random_below(m->main.num_operands + 1);
		break;
	case 6:
		op->type = random_below(NNMODEL_OPCODE_COUNT);
		break;
	case 7:
		op->num_inputs = random_below(op->num_inputs + 1);
		break;
	case 8:
		o->lifetime = random_below(8);
		break;
	case 9:
		o->location.offset = random_value();
		break;
	default: /* a parameter */
		if (m->values_size)
			m->values[random_below((uint32_t)m->values_size / 4) * 4] =
				(uint8_t)random_value();
	}
}

/* A valid model is lowered or refused; a lowered program passes the verifier. */
TEST(test_mutations)
{
	const struct nnhal_opset opset = spec_opset();
	uint32_t accepted = 0, lowered = 0, total = 0;

	while (case_at(total))
		total++;
	for (uint32_t n = 0; n < 100 * total; n++) {
		const struct lower_case *c = case_at(n % total);
		struct nnmodel *m = spec_model(c->opcode, c->in, c->out);
		struct nnhal_lowered program;
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		struct nnprog prog;
		struct nnprog_error prog_err;
		bool supported;
		int ret;

		for (uint32_t k = random_below(3); k < 3; k++)
			mutate(m);
		if (random_below(4))
			spec_set_io(m);
		if (!nnmodel_validate(m, NULL, &err)) {
			accepted++;
			assert_int_equal(nnhal_lower_supported(m, &opset, &supported, NULL), 0);
			ret = nnhal_lower_model(m, &opset, &program, &err);
			assert_true(!ret || ret == -EOPNOTSUPP || ret == -EINVAL);
			assert_int_equal(supported, !ret);
			if (!ret) {
				lowered++;
				assert_int_equal(nnprog_verify(program.bytes, program.size, &prog,
							       &prog_err),
						 0);
				free(program.bytes);
			} else {
				assert_true(strlen(err.text) > 0);
			}
		}
		nnmodel_free(m);
	}
	/* both sides were seen */
	assert_true(accepted > 1000 && lowered > 500 && lowered < accepted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opset),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_omitted),
		cmocka_unit_test(test_nchw_chain),
		cmocka_unit_test(test_fused_activation),
		cmocka_unit_test(test_fused_requantize),
		cmocka_unit_test(test_unknown_shapes),
		cmocka_unit_test(test_support),
		cmocka_unit_test(test_pools),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
