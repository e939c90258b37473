// SPDX-License-Identifier: Apache-2.0
/*
 * The queries to devices and the use of their answers: slices for old interfaces, extensions,
 * control flow.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/nnr_model.h"
#include "rt_case.h"

static const uint32_t shape[] = { 2, 3 };

static void tensor(ANeuralNetworksModel *model)
{
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
}

static int add_operation(ANeuralNetworksModel *model, int32_t operation, const uint32_t *in,
			 uint32_t num_in, uint32_t out)
{
	return ANeuralNetworksModel_addOperation(model, operation, num_in, in, 1, &out);
}

static void finish(ANeuralNetworksModel *model, const uint32_t *in, uint32_t num_in, uint32_t out)
{
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, num_in, in, 1, &out));
	RT_OK(ANeuralNetworksModel_finish(model));
}

/* "10": the answer for each added operation, of the devices whose names are separated by blanks. */
static const char *supported(const ANeuralNetworksModel *model, const char *names)
{
	static char text[64];
	const ANeuralNetworksDevice *devices[8];
	char list[256], *name, *rest = list;
	uint32_t num = 0, i;
	bool answers[64];

	/* every entry is written */
	memset(answers, 1, sizeof(answers));
	snprintf(list, sizeof(list), "%s", names);
	while ((name = strsep(&rest, " ")) != NULL)
		devices[num++] = rt_device(name);
	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, num, answers));
	for (i = 0; i < model->data->num_added; i++)
		text[i] = answers[i] ? '1' : '0';
	text[i] = 0;
	return text;
}

/*
 * ADD at feature level 1 and MAXIMUM at 3, either first; operands: 0 1 4 inputs, 2 activation, 3
 * inner, 5 output.
 */
static ANeuralNetworksModel *add_and_maximum(bool add_first, bool reversed)
{
	const uint32_t add_in[] = { 0, add_first ? 1 : 3, 2 },
		       maximum_in[] = { add_first ? 3 : 0, add_first ? 4 : 1 };
	const uint32_t add_other[] = { 4, 3, 2 }, inputs[] = { 0, 1, 4 };
	const uint32_t add_out = add_first ? 3 : 5, maximum_out = add_first ? 5 : 3;
	const uint32_t *add = add_first ? add_in : add_other;
	ANeuralNetworksModel *model = rt_model();

	tensor(model);
	tensor(model);
	rt_int32(model, 2, ANEURALNETWORKS_FUSED_NONE);
	tensor(model);
	tensor(model);
	tensor(model);
	if (add_first != reversed)
		RT_OK(add_operation(model, ANEURALNETWORKS_ADD, add, 3, add_out));
	RT_OK(add_operation(model, ANEURALNETWORKS_MAXIMUM, maximum_in, 2, maximum_out));
	if (add_first == reversed)
		RT_OK(add_operation(model, ANEURALNETWORKS_ADD, add, 3, add_out));
	finish(model, inputs, 3, 5);
	return model;
}

static const char *start(const char *devices)
{
	const char *path = rt_empty_file("calls");
	char text[1024];

	snprintf(text, sizeof(text), devices, path);
	assert_int_equal(setenv("NNHAL_TEST_DEVICES", text, 1), 0);
	return path;
}

TEST(old_devices_get_what_they_know)
{
	const char *calls = start("name=old,level=2,count=%s name=new");
	ANeuralNetworksModel *model = add_and_maximum(true, false);

	assert_string_equal(supported(model, "old"), "10");
	/* the input of MAXIMUM is an output of the part */
	assert_int_equal(lines_count(calls, "get_supported_operations ops=ADD inputs=2 outputs=1"),
			 1);
	assert_string_equal(supported(model, "new"), "11");
	ANeuralNetworksModel_free(model);
	model = add_and_maximum(false, false);
	assert_string_equal(supported(model, "old"), "01");
	/* the output of MAXIMUM is an input */
	assert_int_equal(lines_count(calls, "get_supported_operations ops=ADD inputs=2 outputs=1"),
			 2);
	ANeuralNetworksModel_free(model);
	/* answers are in the order in which operations were added */
	model = add_and_maximum(true, true);
	assert_string_equal(supported(model, "old"), "01");
	assert_string_equal(supported(model, "new"), "11");
	ANeuralNetworksModel_free(model);
	model = add_and_maximum(false, true);
	assert_string_equal(supported(model, "old"), "10");
	ANeuralNetworksModel_free(model);
}

TEST(whole_models_are_offered_as_they_are)
{
	const char *calls = start("name=old,level=3,count=%s");
	ANeuralNetworksModel *model = add_and_maximum(true, false);

	assert_string_equal(supported(model, "old"), "11");
	assert_int_equal(lines_count(calls,
				     "get_supported_operations ops=ADD+MAXIMUM inputs=3 outputs=1"),
			 1);
	ANeuralNetworksModel_free(model);
}

TEST(nothing_left_is_not_offered)
{
	const char *calls = start("name=old,level=2,count=%s");
	const uint32_t in[] = { 0, 1 };
	ANeuralNetworksModel *model = rt_model();

	tensor(model);
	tensor(model);
	tensor(model);
	RT_OK(add_operation(model, ANEURALNETWORKS_MAXIMUM, in, 2, 2));
	finish(model, in, 2, 2);
	assert_string_equal(supported(model, "old"), "0");
	assert_int_equal(lines_count(calls, "get_supported_operations"), 0);
	ANeuralNetworksModel_free(model);
}

TEST(answers_of_devices_add_up)
{
	ANeuralNetworksModel *model = add_and_maximum(true, true);

	assert_string_equal(supported(model, "a"), "01");
	assert_string_equal(supported(model, "m"), "10");
	assert_string_equal(supported(model, "n"), "00");
	assert_string_equal(supported(model, "a m"), "11");
	assert_string_equal(supported(model, "n a"), "01");
	assert_string_equal(supported(model, "nnapi-reference"), "11");
	ANeuralNetworksModel_free(model);
}

TEST(failing_devices_support_nothing)
{
	ANeuralNetworksModel *model = add_and_maximum(true, false);

	assert_string_equal(supported(model, "bad"), "00");
	assert_string_equal(supported(model, "worse"), "00");
	assert_string_equal(supported(model, "good"), "11");
	assert_string_equal(supported(model, "bad a"), "10");
	ANeuralNetworksModel_free(model);
}

/* FLOOR, which every feature level has, from operand 0 over 1 to 2; all of a type. */
static ANeuralNetworksModel *floors(int32_t type, const uint32_t *dims, uint32_t rank,
				    const uint32_t *inner_dims, uint32_t inner_rank)
{
	const uint32_t in[] = { 0 }, inner[] = { 1 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, type, dims, rank);
	rt_operand(model, type, inner_dims, inner_rank);
	rt_operand(model, type, dims, rank);
	RT_OK(add_operation(model, ANEURALNETWORKS_FLOOR, in, 1, 1));
	RT_OK(add_operation(model, ANEURALNETWORKS_FLOOR, inner, 1, 2));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1,
							    (const uint32_t[]){ 2 }));
	return model;
}

TEST(old_devices_know_old_types_and_shapes)
{
	const struct {
		int32_t type;
		uint32_t rank, dims[2], inner_rank, inner_dims[2];
		const char *two, *three;
	} cases[] = {
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, { 2, 3 }, 2, { 2, 3 }, "11", "11" },
		{ ANEURALNETWORKS_TENSOR_FLOAT16, 2, { 2, 3 }, 2, { 2, 3 }, "00", "11" },
		/*
		 * an input or output may have an unknown extent, but nothing inside, and no rank
		 * may be unknown
		 */
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, { 2, 0 }, 2, { 2, 3 }, "11", "11" },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, { 2, 3 }, 2, { 2, 0 }, "00", "11" },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 2, { 2, 3 }, 0, { 0 }, "00", "11" },
		{ ANEURALNETWORKS_TENSOR_FLOAT32, 0, { 0 }, 2, { 2, 3 }, "00", "11" },
	};

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksModel *model = floors(cases[i].type, cases[i].dims, cases[i].rank,
						     cases[i].inner_dims, cases[i].inner_rank);

		RT_OK(ANeuralNetworksModel_finish(model));
		assert_string_equal(supported(model, "two"), cases[i].two);
		assert_string_equal(supported(model, "three"), cases[i].three);
		ANeuralNetworksModel_free(model);
	}
}

TEST(relaxed_arithmetic_came_at_level_2)
{
	for (int relaxed = 0; relaxed < 2; relaxed++) {
		ANeuralNetworksModel *model =
			floors(ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2, shape, 2);

		RT_OK(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, relaxed));
		RT_OK(ANeuralNetworksModel_finish(model));
		assert_string_equal(supported(model, "one"), relaxed ? "00" : "11");
		assert_string_equal(supported(model, "two"), "11");
		ANeuralNetworksModel_free(model);
	}
}

TEST(removed_defaults_make_operations_older)
{
	for (int last = 0; last < 2; last++) {
		const uint32_t in[] = { 0, 1, 2 };
		ANeuralNetworksModel *model = rt_model();
		const float one = 1;

		tensor(model);
		rt_operand(model, ANEURALNETWORKS_FLOAT32, NULL, 0);
		RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, &one, sizeof(one)));
		rt_int32(model, 2, last ? -1 : 0);
		tensor(model);
		RT_OK(add_operation(model, ANEURALNETWORKS_SOFTMAX, in, 3, 3));
		finish(model, in, 1, 3);
		assert_string_equal(supported(model, "one"), last ? "1" : "0");
		ANeuralNetworksModel_free(model);
	}
}

/* ---- extensions ---- */

TEST(extensions_go_to_who_has_them)
{
	const char *calls = start("name=with,ext=vendor.test.one name=without,count=%s");
	const uint32_t in[] = { 0 }, inner[] = { 1 }, last[] = { 2 };
	ANeuralNetworksModel *model = rt_model();
	char *reasons[3];
	bool answers[3];
	int32_t type;

	for (int i = 0; i < 4; i++)
		tensor(model);
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "vendor.test.one", 0, &type));
	RT_OK(add_operation(model, ANEURALNETWORKS_FLOOR, in, 1, 1));
	RT_OK(add_operation(model, type, inner, 1, 2));
	RT_OK(add_operation(model, ANEURALNETWORKS_FLOOR, last, 1, 3));
	finish(model, in, 1, 3);
	assert_string_equal(supported(model, "without"), "101");
	assert_int_equal(lines_count(calls, "ops=FLOOR+FLOOR inputs=2 outputs=2 extensions=0"), 1);
	assert_string_equal(supported(model, "nnapi-reference"), "101");
	assert_int_equal(nnr_supported_operations(model->data->model, 0, rt_device("without"),
						  answers, reasons),
			 0);
	assert_true(answers[0] && !answers[1] && answers[2]);
	assert_null(reasons[0]);
	assert_non_null(strstr(reasons[1], "vendor.test.one"));
	assert_null(reasons[2]);
	free(reasons[1]);
	ANeuralNetworksModel_free(model);
}

/* ---- control flow ---- */

/* An operation of one input; of rank 0: whose shape is unknown. */
static ANeuralNetworksModel *branch(int32_t operation, uint32_t rank)
{
	const uint32_t in[] = { 0 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, rank);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, rank);
	RT_OK(add_operation(model, operation, in, 1, 1));
	finish(model, in, 1, 1);
	return model;
}

/* FLOOR, then IF(input 0, yes, no); operands 1 yes, 2 no, 3 input, 4 inner, 5 output. */
static ANeuralNetworksModel *choice(const ANeuralNetworksModel *yes, const ANeuralNetworksModel *no)
{
	const uint32_t in[] = { 0, 1, 2, 4 }, floor_in[] = { 3 }, inputs[] = { 0, 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	tensor(model);
	tensor(model);
	tensor(model);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, yes));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, no));
	RT_OK(add_operation(model, ANEURALNETWORKS_FLOOR, floor_in, 1, 4));
	RT_OK(add_operation(model, ANEURALNETWORKS_IF, in, 4, 5));
	finish(model, inputs, 2, 5);
	return model;
}

TEST(control_flow_came_at_level_4)
{
	ANeuralNetworksModel *floors_only = branch(ANEURALNETWORKS_FLOOR, 2), *model;

	model = choice(floors_only, floors_only);
	assert_string_equal(supported(model, "three"), "10");
	assert_string_equal(supported(model, "four"), "11");
	assert_string_equal(supported(model, "nothing"), "00");
	assert_string_equal(supported(model, "nnapi-reference"), "11");
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(floors_only);
}

/* The operations inside a branch, and inside a branch of that, decide. */
TEST(branches_count)
{
	const uint32_t in[] = { 0, 1 }, out[] = { 2 }, if_in[] = { 0, 1, 2, 0, 3 },
		       if_inputs[] = { 0, 3 };
	ANeuralNetworksModel *plain = branch(ANEURALNETWORKS_FLOOR, 2), *new = rt_model(), *inner,
			     *model;

	rt_operand(new, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	rt_operand(new, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(1));
	RT_OK(ANeuralNetworksModel_setOperandValue(new, 1, &(int32_t){ 0 }, 4));
	rt_operand(new, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	RT_OK(ANeuralNetworksModel_addOperation(new, ANEURALNETWORKS_REVERSE, 2, in, 1, out));
	finish(new, in, 1, 2);
	assert_int_equal(new->data->feature_level, 7);
	model = choice(plain, new);
	assert_string_equal(supported(model, "four"), "10");
	assert_string_equal(supported(model, "seven"), "11");
	ANeuralNetworksModel_free(model);
	/* that one as a branch has two inputs: its condition and its input */
	inner = choice(new, plain);
	model = rt_model();
	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	tensor(model);
	tensor(model);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, inner));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, inner));
	RT_OK(add_operation(model, ANEURALNETWORKS_IF, if_in, 5, 4));
	finish(model, if_inputs, 2, 4);
	assert_string_equal(supported(model, "four"), "0");
	assert_string_equal(supported(model, "seven"), "1");
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(inner);
	ANeuralNetworksModel_free(new);
	ANeuralNetworksModel_free(plain);
}

TEST(unknown_sizes_in_control_flow_are_for_who_takes_them)
{
	ANeuralNetworksModel *known = branch(ANEURALNETWORKS_FLOOR, 2),
			     *unknown = branch(ANEURALNETWORKS_FLOOR, 0);
	ANeuralNetworksModel *model = choice(known, unknown);

	assert_string_equal(supported(model, "four"), "10");
	assert_string_equal(supported(model, "native"), "11");
	/* a device that refuses the whole because of them gets a second query without them */
	assert_string_equal(supported(model, "refuses"), "10");
	assert_string_equal(supported(model, "nnapi-reference"), "11");
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(known);
	ANeuralNetworksModel_free(unknown);
}

TEST(referenced_models_can_be_queried)
{
	ANeuralNetworksModel *floors_only = branch(ANEURALNETWORKS_FLOOR, 2),
			     *other = branch(ANEURALNETWORKS_SQRT, 2);
	ANeuralNetworksModel *model = choice(floors_only, other);
	char *reason = NULL;
	bool answer = true;

	assert_int_equal(nnr_supported_operations(model->data->model, 1, rt_device("three"),
						  &answer, &reason),
			 0);
	assert_true(answer);
	assert_null(reason);
	assert_int_equal(nnr_supported_operations(model->data->model, 2, rt_device("three"),
						  &answer, &reason),
			 0);
	assert_true(answer);
	assert_null(reason);
	assert_int_equal(nnr_supported_operations(model->data->model, 2, rt_device("two"), &answer,
						  &reason),
			 0);
	assert_false(answer);
	assert_non_null(reason);
	assert_non_null(strstr(reason, "needs feature level 3"));
	free(reason);
	assert_int_equal(nnr_supported_operations(model->data->model, 2, rt_device("nothing"),
						  &answer, &reason),
			 0);
	assert_false(answer);
	assert_non_null(reason);
	free(reason);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(floors_only);
	ANeuralNetworksModel_free(other);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(old_devices_get_what_they_know, NULL),
		RT_CASE(whole_models_are_offered_as_they_are, NULL),
		RT_CASE(nothing_left_is_not_offered, NULL),
		RT_CASE(answers_of_devices_add_up,
			"name=a,ops=ADD name=m,ops=MAXIMUM name=n,ops=MUL"),
		RT_CASE(failing_devices_support_nothing,
			"name=bad,fail=supported:GENERAL_FAILURE "
			"name=worse,fail=supported:INVALID_ARGUMENT name=good name=a,ops=ADD"),
		RT_CASE(old_devices_know_old_types_and_shapes,
			"name=two,level=2 name=three,level=3"),
		RT_CASE(relaxed_arithmetic_came_at_level_2, "name=one,level=1 name=two,level=2"),
		RT_CASE(removed_defaults_make_operations_older, "name=one,level=1"),
		RT_CASE(extensions_go_to_who_has_them, NULL),
		RT_CASE(control_flow_came_at_level_4,
			"name=three,level=3 name=four,level=4 name=nothing,ops=MUL"),
		RT_CASE(branches_count, "name=four,level=4 name=seven,level=7"),
		RT_CASE(unknown_sizes_in_control_flow_are_for_who_takes_them,
			"name=four,level=4 name=native name=refuses,fail=supported:INVALID_ARGUMENT:1"),
		RT_CASE(referenced_models_can_be_queried,
			"name=two,level=2 name=three,level=3 name=nothing,ops=MUL"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
