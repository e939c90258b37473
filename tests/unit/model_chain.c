// SPDX-License-Identifier: Apache-2.0
/* A small valid model to spoil. */
#include <errno.h>
#include <string.h>

#include "model_chain.h"
#include "test_case.h"

uint32_t model_valid(const struct nnmodel *model)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	uint32_t level = 0;
	const int ret = nnmodel_validate(model, &level, &err);

	if (ret)
		print_error("%s\n", err.text);
	assert_int_equal(ret, 0);
	return level;
}

void model_refused(const struct nnmodel *model, uint32_t operation, uint32_t operand,
		   const char *text)
{
	struct nnmodel_error err = NNMODEL_ERROR_INIT;

	assert_int_equal(nnmodel_validate(model, NULL, &err), -EINVAL);
	assert_non_null(text);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" lacks \"%s\"", err.text, text);
	assert_int_equal(err.operation, operation);
	assert_int_equal(err.operand, operand);
	/* without anyone to tell */
	assert_int_equal(nnmodel_validate(model, NULL, NULL), -EINVAL);
}

struct nnmodel *model_chain(void)
{
	static const uint32_t dims[] = { 2, 3 };
	struct nnmodel *m = nnmodel_new();

	assert_non_null(m);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     NNMODEL_TEMPORARY_VARIABLE, dims, 2, 0, 0),
				 i);
	assert_int_equal(nnmodel_add_int32(m, NNMODEL_FUSED_NONE), 2);
	for (uint32_t i = 3; i < 5; i++)
		assert_int_equal(nnmodel_add_operand(m, NNMODEL_TENSOR_FLOAT32,
						     NNMODEL_TEMPORARY_VARIABLE, dims, 2, 0, 0),
				 i);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_ADD, (uint32_t[]){ 0, 1, 2 }, 3,
					       (uint32_t[]){ 3 }, 1),
			 0);
	assert_int_equal(nnmodel_add_operation(m, NNMODEL_RELU, (uint32_t[]){ 3 }, 1,
					       (uint32_t[]){ 4 }, 1),
			 1);
	assert_int_equal(nnmodel_set_io(m, (uint32_t[]){ 0, 1 }, 2, (uint32_t[]){ 4 }, 1), 0);
	return m;
}
