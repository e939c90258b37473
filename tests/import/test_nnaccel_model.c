// SPDX-License-Identifier: Apache-2.0
/* nnaccel_model.h. Arguments: the folder of the project's models, that of the cases' files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "android/NeuralNetworks.h"
#include "nnaccel_model.h"
#include "test_case.h"

static const char *models, *cases;

static struct nnaccel_model *model_open(const char *folder, const char *name, uint32_t flags)
{
	struct nnaccel_model *model = NULL;
	char path[4096], message[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (nnaccel_model_open(path, flags, &model, message, sizeof(message)))
		fail_msg("%s: %s", path, message);
	return model;
}

static void expect_refused(const char *path, uint32_t flags, int error, const char *reason)
{
	struct nnaccel_model *const before = (void *)&models;
	struct nnaccel_model *model = before;
	char message[256] = "";

	assert_int_equal(nnaccel_model_open(path, flags, &model, message, sizeof(message)), error);
	assert_ptr_equal(model, before);
	if (!strstr(message, reason))
		fail_msg("\"%s\" has no \"%s\"", message, reason);
}

TEST(test_refused)
{
	char path[] = "/tmp/nnaccel-model-XXXXXX", message[256];
	int fd = mkstemp(path);
	struct nnaccel_model *model;

	assert_true(fd >= 0);
	expect_refused("/nonexistent.tflite", 0, -ENOENT, "cannot open it");
	expect_refused("/dev/null", 0, -EINVAL, "not a regular file");
	expect_refused(models, 0, -EINVAL, "not a regular file");
	expect_refused(path, 0, -EINVAL, "is empty");
	assert_int_equal(ftruncate(fd, (1ll << 30) + 1), 0);
	expect_refused(path, 0, -EFBIG, "has 1073741825 bytes");
	assert_int_equal(ftruncate(fd, 100), 0);
	expect_refused(path, 0, -EINVAL, "");
	expect_refused(path, 2, -EINVAL, "flags 0x2 are unknown");
	close(fd);
	unlink(path);
	/* without a place for the reason */
	assert_int_equal(nnaccel_model_read("text", 4, 0, &model, NULL, 0), -EINVAL);
	assert_int_equal(nnaccel_model_read("text", 4, 0, &model, message, 1), -EINVAL);
	assert_string_equal(message, "");
	nnaccel_model_free(NULL);
}

TEST(test_tensors)
{
	struct nnaccel_model *model = model_open(models, "shapes_int8/model.tflite", 0);
	struct nnaccel_model_tensor t;
	uint64_t elements = 1;

	assert_int_equal(nnaccel_model_input_count(model), 1);
	assert_int_equal(nnaccel_model_output_count(model), 1);
	assert_int_equal(nnaccel_model_state_count(model), 0);
	assert_int_equal(nnaccel_model_input(model, 0, &t, sizeof(t)), 0);
	assert_true(t.name[0] && t.type == 9 && t.operand_type == 9 && t.rank == 4 && t.scale > 0);
	for (uint32_t i = 0; i < t.rank; i++)
		elements *= (uint64_t)t.dims[i];
	assert_int_equal(t.size, elements);
	assert_int_equal(t.operand_size, elements);
	assert_int_equal(nnaccel_model_input(model, 1, &t, sizeof(t)), -EINVAL);
	assert_int_equal(nnaccel_model_output(model, UINT32_MAX, &t, sizeof(t)), -EINVAL);
	assert_string_equal(nnaccel_model_note(model), "");
	nnaccel_model_free(model);
}

/* A program that was compiled with an older structure, and one with a newer. */
TEST(test_sizes_of_structures)
{
	struct nnaccel_model *model = model_open(models, "shapes_int8/model.tflite", 0);
	struct {
		struct nnaccel_model_tensor t;
		uint8_t more[8];
	} newer;
	struct nnaccel_model_tensor t, older;

	assert_int_equal(nnaccel_model_input(model, 0, &t, sizeof(t)), 0);
	memset(&newer, 0xa5, sizeof(newer));
	assert_int_equal(nnaccel_model_input(model, 0, &newer.t, sizeof(newer)), 0);
	assert_ptr_equal(newer.t.name, t.name);
	for (size_t i = 0; i < sizeof(newer.more); i++)
		assert_int_equal(newer.more[i], 0);
	memset(&older, 0xa5, sizeof(older));
	assert_int_equal(nnaccel_model_input(model, 0, &older,
					     offsetof(struct nnaccel_model_tensor, size)),
			 0);
	assert_int_equal(older.rank, t.rank);
	assert_int_equal(older.size, 0xa5a5a5a5a5a5a5a5);
	nnaccel_model_free(model);
}

TEST(test_int64)
{
	struct nnaccel_model *model =
		model_open(cases, "graphs-inputs_and_outputs_of_64_bits.tflite", 0);
	struct nnaccel_model_tensor t;

	assert_int_equal(nnaccel_model_input(model, 0, &t, sizeof(t)), 0);
	assert_string_equal(t.name, "ids");
	assert_true(t.type == 4 && t.operand_type == 2 && t.size == 16 && t.operand_size == 8);
	nnaccel_model_free(model);
}

TEST(test_states)
{
	struct nnaccel_model *model = model_open(cases, "states-lstm_goes_on.tflite", 0);
	struct nnaccel_model_state s;
	uint32_t count = nnaccel_model_state_count(model);

	assert_int_equal(count, 2);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(nnaccel_model_state(model, i, &s, sizeof(s)), 0);
		assert_int_equal(s.input, 1 + i);
		assert_true(s.output == 1 + i || s.output == 2 - i);
		assert_true(s.size == 4 && s.fill == 0 && s.reserved == 0);
	}
	assert_int_equal(nnaccel_model_state(model, count, &s, sizeof(s)), -EINVAL);
	nnaccel_model_free(model);
}

TEST(test_operations)
{
	struct nnaccel_model *model = model_open(models, "shapes_int8/model.tflite", 0);
	struct nnaccel_model_operation op;
	uint32_t count = nnaccel_model_operation_count(model), last = 0;

	assert_true(count > 2);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(nnaccel_model_operation(model, i, &op, sizeof(op)), 0);
		assert_non_null(op.name);
		if (!op.operator_name) {
			assert_int_equal(op.operator_number, NNACCEL_MODEL_NO_OPERATOR);
			continue;
		}
		assert_true(op.operator_number >= last);
		last = op.operator_number;
	}
	assert_int_equal(nnaccel_model_operation(model, count, &op, sizeof(op)), -EINVAL);
	nnaccel_model_free(model);
}

TEST(test_token)
{
	static const char *const names[] = { "shapes_int8/model.tflite", "shapes_int8/model.tflite",
					     "shapes_fp32/model.tflite",
					     "shapes_fp32/model.tflite" };
	static const uint32_t flags[] = { 0, 0, 0, NNACCEL_MODEL_RELAXED };
	uint8_t tokens[4][NNACCEL_MODEL_TOKEN_SIZE];

	for (int i = 0; i < 4; i++) {
		struct nnaccel_model *model = model_open(models, names[i], flags[i]);

		assert_int_equal(nnaccel_model_token(model, tokens[i]), 0);
		nnaccel_model_free(model);
	}
	assert_memory_equal(tokens[0], tokens[1], sizeof(tokens[0]));
	assert_memory_not_equal(tokens[1], tokens[2], sizeof(tokens[0]));
	assert_memory_not_equal(tokens[2], tokens[3], sizeof(tokens[0]));
}

/* The NNAPI model compiles, and needs nothing of the file. */
TEST(test_compiles)
{
	struct nnaccel_model *model = model_open(models, "motion/model.tflite", 0);
	ANeuralNetworksCompilation *compilation;

	assert_int_equal(ANeuralNetworksCompilation_create(nnaccel_model_nnapi(model),
							   &compilation),
			 ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(ANeuralNetworksCompilation_finish(compilation), ANEURALNETWORKS_NO_ERROR);
	ANeuralNetworksCompilation_free(compilation);
	nnaccel_model_free(model);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_tensors),
		cmocka_unit_test(test_sizes_of_structures),
		cmocka_unit_test(test_int64),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_compiles),
	};

	if (argc != 3)
		return 2;
	models = argv[1];
	cases = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
