// SPDX-License-Identifier: Apache-2.0
/*
 * The models that "nnctl ops" asks about: one for each operation and each combination of types that
 * its signature allows, no other, each valid, and each supported by a device that has everything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lower_spec.h"
#include "probes/nnctl_probes.h"
#include "nnmodel_rows.h"
#include "test_case.h"

#define MAX_PROBES 1024

struct probes {
	struct probe list[MAX_PROBES];
	size_t num;
};

static int collect(void *cookie, const struct probe *probe)
{
	struct probes *p = cookie;

	assert_true(p->num < MAX_PROBES);
	p->list[p->num++] = *probe;
	return 0;
}

static int set_up(void **state)
{
	static struct probes probes;

	probes.num = 0;
	*state = &probes;
	return probes_each(collect, &probes);
}

static void describe(const struct probe *p, const char *text)
{
	print_error("%s", nnmodel_operation_name(p->opcode));
	for (uint32_t i = 0; i < p->types.num; i++)
		print_error(" %s", probe_type_name(p->types.type[i]));
	print_error(": %s\n", text);
}

static struct nnmodel *model_of(const struct probe *p)
{
	char error[160] = "";
	struct nnmodel *model = probe_model(p, error, sizeof(error));

	if (!model) {
		describe(p, error);
		fail();
	}
	return model;
}

/* ---- against the signatures ---- */

static const struct nnmodel_sig *sig_of(uint32_t opcode)
{
	const struct nnmodel_op_row *row = nnmodel_op_find(opcode);

	assert_non_null(row);
	return (const struct nnmodel_sig *)((const char *)row - offsetof(struct nnmodel_sig, row));
}

/* Columns that any form of the operation names. */
static uint32_t num_columns(const struct nnmodel_sig *sig)
{
	uint32_t n = 0;

	for (uint32_t f = 0; f < sig->num_forms; f++)
		for (int side = 0; side < 2; side++)
			for (const char *p = side ? sig->forms[f].out : sig->forms[f].in; *p; p++)
				if (*p >= '0' && *p < '4' && (uint32_t)(*p - '0') + 1 > n)
					n = (uint32_t)(*p - '0') + 1;
	return n;
}

static bool is_combo(const struct probe *p, const struct nnmodel_sig_combo *combo)
{
	for (uint32_t i = 0; i < p->types.num; i++)
		if (p->types.type[i] != combo->types[i])
			return false;
	return true;
}

static bool is_control(uint32_t opcode)
{
	return opcode == NNMODEL_IF || opcode == NNMODEL_WHILE;
}

static void test_every_probe_is_a_combination_of_the_signature(void **state)
{
	const struct probes *probes = *state;

	for (size_t i = 0; i < probes->num; i++) {
		const struct probe *p = &probes->list[i];
		const struct nnmodel_sig *sig;
		uint32_t found = 0;

		if (is_control(p->opcode))
			continue;
		sig = sig_of(p->opcode);
		assert_int_equal(p->types.num, num_columns(sig));
		for (uint32_t c = 0; c < sig->num_combos; c++)
			found += is_combo(p, &sig->combos[c]);
		if (found != 1) {
			describe(p, "is no combination of types of the signature");
			fail();
		}
	}
}

static size_t count(const struct probes *probes, uint32_t opcode,
		    const struct nnmodel_sig_combo *combo)
{
	size_t n = 0;

	for (size_t i = 0; i < probes->num; i++)
		if (probes->list[i].opcode == opcode &&
		    (!combo || is_combo(&probes->list[i], combo)))
			n++;
	return n;
}

static void test_every_combination_of_the_signature_has_a_probe(void **state)
{
	const struct probes *probes = *state;

	for (uint32_t op = 0; op <= NNMODEL_OPCODE_COUNT; op++) {
		const uint32_t opcode = op == NNMODEL_OPCODE_COUNT ? NNMODEL_DENSIFY : op;
		const struct nnmodel_sig *sig;

		if (is_control(opcode))
			continue;
		sig = sig_of(opcode);
		assert_int_equal(count(probes, opcode, NULL), sig->num_combos);
		for (uint32_t c = 0; c < sig->num_combos; c++)
			assert_int_equal(count(probes, opcode, &sig->combos[c]), 1);
	}
}

static void test_control_flow_has_a_probe_of_every_tensor_type(void **state)
{
	const struct probes *probes = *state;

	for (uint32_t type = 0; type < NNMODEL_TYPE_COUNT; type++) {
		const struct nnmodel_sig_combo combo = { .types = { (uint8_t)type } };
		const size_t wanted = type != NNMODEL_SUBGRAPH && !nnmodel_type_is_scalar(type);

		assert_int_equal(count(probes, NNMODEL_IF, &combo), wanted);
		assert_int_equal(count(probes, NNMODEL_WHILE, &combo), wanted);
	}
}

TEST(test_every_operation_has_a_family)
{
	bool used[FAMILY_NONE] = { false };

	for (uint32_t op = 0; op <= NNMODEL_OPCODE_COUNT; op++) {
		const enum op_family family =
			op_family(op == NNMODEL_OPCODE_COUNT ? NNMODEL_DENSIFY : op);

		assert_in_range(family, 0, FAMILY_NONE - 1);
		assert_non_null(op_family_name(family));
		used[family] = true;
	}
	for (uint32_t f = 0; f < FAMILY_NONE; f++)
		assert_true(used[f]);
	assert_int_equal(op_family(NNMODEL_OPCODE_COUNT), FAMILY_NONE);
	assert_int_equal(op_family(UINT32_MAX), FAMILY_NONE);
}

/* ---- as models ---- */

static void test_every_probe_is_valid(void **state)
{
	const struct probes *probes = *state;

	for (size_t i = 0; i < probes->num; i++) {
		const struct probe *p = &probes->list[i];
		struct nnmodel *model = model_of(p);
		struct nnmodel_error err = NNMODEL_ERROR_INIT;
		uint32_t level = 0;

		if (nnmodel_validate(model, &level, &err)) {
			describe(p, err.text);
			fail();
		}
		assert_in_range(level, nnmodel_op_find(p->opcode)->feature_level, 8);
		assert_int_equal(model->main.num_operations, 1);
		assert_int_equal(model->main.operations[0].type, p->opcode);
		nnmodel_free(model);
	}
}

/*
 * The signatures' types, found by trial: all operands of column 0 get another type. Operations of
 * one column only, whose probe works for any type that is allowed.
 */
static void test_types_without_a_probe_are_refused(void **state)
{
	const struct probes *probes = *state;
	size_t refused = 0;

	for (size_t i = 0; i < probes->num; i++) {
		struct probe p = probes->list[i];

		if (is_control(p.opcode) || p.types.num != 1)
			continue;
		for (uint32_t type = 0; type < NNMODEL_TYPE_COUNT; type++) {
			const struct nnmodel_sig_combo combo = { .types = { (uint8_t)type } };
			char error[160];
			struct nnmodel *model;
			struct nnmodel_error err = NNMODEL_ERROR_INIT;

			if (nnmodel_type_is_scalar(type) || type == NNMODEL_SUBGRAPH ||
			    count(probes, p.opcode, &combo))
				continue;
			p.types.type[0] = type;
			model = probe_model(&p, error, sizeof(error));
			/* more channels than the language gives scales to */
			if (!model)
				continue;
			assert_int_equal(nnmodel_validate(model, NULL, &err), -EINVAL);
			nnmodel_free(model);
			refused++;
		}
	}
	assert_true(refused > 100);
}

static void ask(const struct probe *p, const struct nnhal_opset *opset, bool expected)
{
	struct nnmodel *model = model_of(p);
	bool supported = !expected;
	char *reason = NULL;

	assert_int_equal(nnhal_lower_supported(model, opset, &supported, &reason), 0);
	if (supported != expected) {
		describe(p, reason ? reason : "supported");
		fail();
	}
	assert_int_equal(!reason, expected);
	free(reason);
	nnmodel_free(model);
}

static void test_a_device_with_everything_supports_every_probe(void **state)
{
	const struct nnhal_opset opset = spec_opset();
	const struct probes *probes = *state;

	for (size_t i = 0; i < probes->num; i++)
		ask(&probes->list[i], &opset, true);
}

static void test_a_device_with_nothing_says_why_not(void **state)
{
	const struct nnhal_opset nothing = { 0 };
	const struct probes *probes = *state;

	for (size_t i = 0; i < probes->num; i++)
		ask(&probes->list[i], &nothing, false);
}

/* ---- the language ---- */

static struct nnmodel *parse(const char *types, const char *in)
{
	struct probe_types columns;
	char error[160];

	assert_int_equal(probe_parse_types(&types, &columns), 0);
	return probe_parse_model(NNMODEL_ADD, &columns, in, "0:2", error, sizeof(error));
}

TEST(test_wrong_text_is_refused)
{
	static const char *const wrong[] = {
		"1:2",
		"5:2",
		"x:2",
		"F33:2",
		"0:",
		"0:2x",
		"0:x2",
		"0:-1",
		"0:2@",
		"0:2@1,",
		"0:2@1,3,4",
		"i=",
		"i=1,",
		"0:2/1",
		"0:2/",
		"0:2 ?",
		"0:2 3",
		"~",
		"=1",
		"0:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
		("I:33=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,"
		 "29,30,31,32,33"),
		"QPC:65",
		"QPC",
		"0:2^",
		"0:2^other",
		"0:2^zer",
		"0:2^zero^zero",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct nnmodel *model = parse("F32", wrong[i]);

		if (model) {
			print_error("\"%s\" was taken\n", wrong[i]);
			fail();
		}
	}
}

TEST(test_wrong_types_are_refused)
{
	static const char *const wrong[] = { "",	 ",",  "F32,",
					     "F32,,F16", "Q9", "F32,F32,F32,F32,F32",
					     "f" };
	struct probe_types types;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *text = wrong[i];

		assert_int_equal(probe_parse_types(&text, &types), -EINVAL);
	}
}

TEST(test_values_of_inputs)
{
	const struct probe_row row = { .in = "0:2 i=3 I:2^ascending ~0 1:1x4@0.125^boxes",
				       .out = "0:2^random" };
	const struct probe probe = { .row = &row }, flow = { 0 };

	assert_int_equal(probe_input_values(&probe, 0), PROBE_VALUES_ANY);
	assert_int_equal(probe_input_values(&probe, 1), PROBE_VALUES_ASCENDING);
	assert_int_equal(probe_input_values(&probe, 2), PROBE_VALUES_BOXES);
	assert_int_equal(probe_input_values(&probe, 3), PROBE_VALUES_ANY);
	assert_int_equal(probe_input_values(&flow, 0), PROBE_VALUES_ANY);
	assert_true(probe_is_random(&probe) && !probe_is_random(&flow));
}

TEST(test_text_forms)
{
	struct nnmodel *m = parse(
		"F16,I32", "0:2x0x3@0.5,3 1:4@0.25 f=1.5 i=-2 ~0 Q8:2@0.125,7 p I:2=3,4 QPC:2x3/1");
	const struct nnmodel_operand *o;
	const uint32_t types[] = {
		NNMODEL_TENSOR_FLOAT16,
		NNMODEL_TENSOR_INT32,
		NNMODEL_FLOAT16,
		NNMODEL_INT32,
		NNMODEL_TENSOR_FLOAT16,
		NNMODEL_TENSOR_QUANT8_ASYMM,
		NNMODEL_FLOAT16,
		NNMODEL_TENSOR_INT32,
		NNMODEL_TENSOR_QUANT8_SYMM_PER_CHANNEL,
		NNMODEL_TENSOR_FLOAT16,
	};
	uint16_t half;
	int32_t words[2];

	assert_non_null(m);
	o = m->main.operands;
	assert_int_equal(m->main.num_operands, 10);
	for (uint32_t i = 0; i < 10; i++)
		assert_int_equal(o[i].type, types[i]);
	assert_int_equal(o[0].rank, 3);
	assert_int_equal(o[0].dims[1], 0);
	assert_true(o[0].scale == 0 && o[0].zero_point == 0);
	assert_true(o[1].scale == 0.25f);
	memcpy(&half, m->values + o[2].location.offset, sizeof(half));
	assert_int_equal(half, 0x3e00);
	memcpy(words, m->values + o[3].location.offset, 4);
	assert_int_equal(words[0], -2);
	assert_int_equal(o[4].lifetime, NNMODEL_NO_VALUE);
	assert_true(o[5].scale == 0.125f && o[5].zero_point == 7);
	memcpy(words, m->values + o[7].location.offset, 8);
	assert_true(words[0] == 3 && words[1] == 4);
	assert_int_equal(o[8].channel_dim, 1);
	assert_int_equal(o[8].num_scales, 3);
	/* 0, 1, 5, 6 and 8 have no value */
	assert_int_equal(m->main.num_inputs, 5);
	assert_int_equal(m->main.num_outputs, 1);
	nnmodel_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_probe_is_a_combination_of_the_signature),
		cmocka_unit_test(test_every_combination_of_the_signature_has_a_probe),
		cmocka_unit_test(test_control_flow_has_a_probe_of_every_tensor_type),
		cmocka_unit_test(test_every_operation_has_a_family),
		cmocka_unit_test(test_every_probe_is_valid),
		cmocka_unit_test(test_types_without_a_probe_are_refused),
		cmocka_unit_test(test_a_device_with_everything_supports_every_probe),
		cmocka_unit_test(test_a_device_with_nothing_says_why_not),
		cmocka_unit_test(test_wrong_text_is_refused),
		cmocka_unit_test(test_wrong_types_are_refused),
		cmocka_unit_test(test_values_of_inputs),
		cmocka_unit_test(test_text_forms),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
