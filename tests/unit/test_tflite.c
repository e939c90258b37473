/* SPDX-License-Identifier: Apache-2.0 */
/* The .tflite reader and importer: real files, and files that lie. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importer.h"
#include "test_case.h"
#include "tflite.h"

static const char *models; /* folder of our own models */

static uint8_t *load(const char *name, size_t *size)
{
	char path[4096];
	uint8_t *bytes;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/model.tflite", models, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	bytes = malloc(*size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

/* Parse and translate; the verdict, NNIMPORT_FAILED when it does not parse. */
static enum nnimport_verdict try_bytes(const uint8_t *bytes, size_t size, char *error,
				       size_t error_size)
{
	struct nnimport result;
	struct tflite_model model;
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	error[0] = '\0';
	if (tflite_parse(bytes, size, &model, error, error_size)) {
		assert_true(error[0]);
		return NNIMPORT_FAILED;
	}
	tflite_import(&model, &result);
	if (result.verdict == NNIMPORT_OK) {
		/* Valid or not, the rules must be able to look at it. */
		nnmodel_validate(result.model, NULL, &err);
		nnimport_free(&result);
	} else {
		assert_true(result.message[0]);
		snprintf(error, error_size, "%s", result.message);
	}
	tflite_free(&model);
	return result.verdict;
}

static void check_model(const char *name, uint32_t input_type)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	struct nnimport result;
	struct tflite_model model;
	char error[160];
	size_t size;
	uint8_t *bytes = load(name, &size);

	assert_int_equal(tflite_parse(bytes, size, &model, error, sizeof(error)), 0);
	tflite_import(&model, &result);
	assert_string_equal(result.message, "");
	assert_int_equal(result.verdict, NNIMPORT_OK);
	assert_int_equal(result.pruned, 0);
	if (nnmodel_validate(result.model, NULL, &err))
		fail_msg("%s: %s", name, err.text);
	assert_int_equal(result.model->main.num_operations, model.num_operators);
	assert_int_equal(result.model->main.num_inputs, 1);
	assert_int_equal(result.model->main.operands[result.model->main.inputs[0]].type,
			 input_type);
	nnimport_free(&result);
	tflite_free(&model);
	free(bytes);
}

TEST(test_own_models)
{
	check_model("shapes_fp32", NNMODEL_TENSOR_FLOAT32);
	check_model("shapes_int8", NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED);
}

/* Cut at every length: each cut is refused, with an offset inside the file or at its end. */
TEST(test_truncation)
{
	char error[256];
	size_t size, offset;
	uint8_t *bytes = load("shapes_int8", &size);

	for (size_t n = 0; n < size; n += n < 512 || n > size - 512 ? 1 : 97) {
		/* its own block, so that ASan sees a read beyond it */
		uint8_t *cut = malloc(n + 1);

		assert_non_null(cut);
		memcpy(cut, bytes, n);
		if (try_bytes(cut, n, error, sizeof(error)) == NNIMPORT_FAILED &&
		    sscanf(error, "offset %zu", &offset) == 1)
			assert_true(offset <= UINT32_MAX);
		free(cut);
	}
	assert_int_equal(try_bytes(bytes, 7, error, sizeof(error)), NNIMPORT_FAILED);
	assert_non_null(strstr(error, "offset 0:"));
	free(bytes);
}

TEST(test_identifier_and_version)
{
	char error[256];
	size_t size;
	uint8_t *bytes = load("shapes_int8", &size);

	bytes[4] = 'X';
	assert_int_equal(try_bytes(bytes, size, error, sizeof(error)), NNIMPORT_FAILED);
	assert_non_null(strstr(error, "offset 4:"));
	assert_non_null(strstr(error, "TFL3"));
	free(bytes);
}

/* One operator's code made UNIQUE: named with its position. */
TEST(test_missing_operation)
{
	struct tflite_model model;
	struct nnimport result;
	char error[160];
	size_t size;
	uint8_t *bytes = load("shapes_int8", &size);

	assert_int_equal(tflite_parse(bytes, size, &model, error, sizeof(error)), 0);
	assert_true(model.num_operators > 3);
	model.operators[3].opcode = 103;
	tflite_import(&model, &result);
	assert_int_equal(result.verdict, NNIMPORT_LACKS);
	assert_int_equal(result.operation, 3);
	assert_string_equal(result.message, "operation 3 (UNIQUE): NNAPI has no such operation");
	tflite_free(&model);
	free(bytes);
}

/* Operations whose results are not needed are left out. */
TEST(test_pruning)
{
	struct tflite_model model;
	struct nnimport result;
	char error[160];
	size_t size;
	uint8_t *bytes = load("shapes_int8", &size);
	uint32_t last;

	assert_int_equal(tflite_parse(bytes, size, &model, error, sizeof(error)), 0);
	last = model.num_operators - 1;
	model.outputs[0] = model.operators[last].inputs[0];
	model.operators[last].opcode = 103;
	tflite_import(&model, &result);
	assert_int_equal(result.verdict, NNIMPORT_OK);
	assert_int_equal(result.pruned, 1);
	nnimport_free(&result);
	tflite_free(&model);
	free(bytes);
}

static void mutate(const char *name, unsigned int rounds)
{
	unsigned int verdicts[NNIMPORT_FAILED + 1] = { 0 };
	uint32_t x = 12345;
	char error[256];
	size_t size;
	uint8_t *bytes = load(name, &size), *copy = malloc(size);

	assert_non_null(copy);
	for (unsigned int i = 0; i < rounds; i++) {
		memcpy(copy, bytes, size);
		for (unsigned int k = 0; k <= i % 4; k++) {
			uint32_t value, pos;

			x = x * 1664525u + 1013904223u;
			/* Structure is at both ends of the file as much as in between. */
			pos = (uint32_t)((x >> 4) % size);
			x = x * 1664525u + 1013904223u;
			value = x >> 8;
			if (pos + 4 <= size && i % 3 == 0)
				memcpy(copy + pos, &value, 4);
			else if (i % 3 == 1)
				copy[pos] ^= (uint8_t)(1u << (value & 7));
			else
				copy[pos] = (uint8_t)value;
		}
		verdicts[try_bytes(copy, size, error, sizeof(error))]++;
	}
	/* The mutations must reach both sides of the reader. */
	assert_true(verdicts[NNIMPORT_OK] > 0);
	assert_true(verdicts[NNIMPORT_FAILED] > 0);
	free(copy);
	free(bytes);
}

TEST(test_mutations)
{
	mutate("shapes_int8", 6000);
	mutate("shapes_fp32", 1500);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_models),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_identifier_and_version),
		cmocka_unit_test(test_missing_operation),
		cmocka_unit_test(test_pruning),
		cmocka_unit_test(test_mutations),
	};

	if (argc != 2)
		return 2;
	models = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
