// SPDX-License-Identifier: Apache-2.0
/*
 * Which operands there can be, as addOperand() judges; sizes and shapes as the rest of the runtime
 * sees them.
 */
#include <math.h>

#include "model/nnr_model.h"
#include "registry/nnr_registry.h"
#include "rt_case.h"

#define EXTENSION "vendor.test.one"

static int add_type(int32_t type, uint32_t rank, const uint32_t *dims, float scale,
		    int32_t zero_point)
{
	const ANeuralNetworksOperandType t = { type, rank, dims, scale, zero_point };
	ANeuralNetworksModel *model = rt_model();
	int result = ANeuralNetworksModel_addOperand(model, &t);

	ANeuralNetworksModel_free(model);
	return result;
}

static const uint32_t shape[] = { 2, 3 };

static bool is_scalar(int32_t type)
{
	return type < 3 || type == ANEURALNETWORKS_BOOL || type == ANEURALNETWORKS_FLOAT16 ||
	       type == ANEURALNETWORKS_MODEL || type == ANEURALNETWORKS_OEM_SCALAR;
}

TEST(there_are_these_types)
{
	const float scale[] = { 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0 };

	for (int32_t type = 0; type < 16; type++) {
		RT_OK(add_type(type, is_scalar(type) ? 0 : 2, is_scalar(type) ? NULL : shape,
			       scale[type], 0));
		/* dimensions are there or they are not */
		RT_BAD_DATA(add_type(type, 2, NULL, scale[type], 0));
		RT_BAD_DATA(add_type(type, 0, shape, scale[type], 0));
		if (is_scalar(type)) {
			RT_BAD_DATA(add_type(type, 2, shape, scale[type], 0));
			RT_BAD_DATA(add_type(type, 0, NULL, 1, 0));
			RT_BAD_DATA(add_type(type, 0, NULL, 0, 1));
		} else {
			/* of a rank or an extent that is not known yet */
			RT_OK(add_type(type, 0, NULL, scale[type], 0));
			RT_OK(add_type(type, 2, (const uint32_t[]){ 0, 3 }, scale[type], 0));
		}
	}
	RT_BAD_DATA(add_type(-1, 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(16, 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(9999, 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(10002, 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(0xffff, 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(0x10000, 0, NULL, 0, 0));
	RT_OK(add_type(ANEURALNETWORKS_OEM_SCALAR, 0, NULL, 0.5f, 7));
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_OEM_BYTE, 2, shape, 0.5f, 7));
	RT_BAD_DATA(add_type(ANEURALNETWORKS_OEM_SCALAR, 2, shape, 0, 0));
}

TEST(quantization_is_of_the_type)
{
	const struct {
		int32_t type, least, most;
	} quantized[] = {
		{ ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 0, 255 },
		{ ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED, -128, 127 },
		{ ANEURALNETWORKS_TENSOR_QUANT8_SYMM, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_QUANT16_ASYMM, 0, 65535 },
		{ ANEURALNETWORKS_TENSOR_QUANT16_SYMM, 0, 0 },
	};
	const int32_t plain[] = {
		ANEURALNETWORKS_TENSOR_FLOAT32,
		ANEURALNETWORKS_TENSOR_FLOAT16,
		ANEURALNETWORKS_TENSOR_BOOL8,
		ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
	};

	for (uint32_t i = 0; i < sizeof(quantized) / sizeof(quantized[0]); i++) {
		const int32_t type = quantized[i].type;

		RT_OK(add_type(type, 2, shape, 0.5f, quantized[i].least));
		RT_OK(add_type(type, 2, shape, 0.5f, quantized[i].most));
		RT_BAD_DATA(add_type(type, 2, shape, 0.5f, quantized[i].least - 1));
		RT_BAD_DATA(add_type(type, 2, shape, 0.5f, quantized[i].most + 1));
		RT_BAD_DATA(add_type(type, 2, shape, 0, quantized[i].least));
		RT_BAD_DATA(add_type(type, 2, shape, -0.5f, quantized[i].least));
		RT_BAD_DATA(add_type(type, 2, shape, NAN, quantized[i].least));
		RT_BAD_DATA(add_type(type, 2, shape, INFINITY, quantized[i].least));
	}
	for (uint32_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		RT_BAD_DATA(add_type(plain[i], 2, shape, 1, 0));
		RT_BAD_DATA(add_type(plain[i], 2, shape, NAN, 0));
		RT_BAD_DATA(add_type(plain[i], 2, shape, 0, 1));
	}
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_INT32, 2, shape, 0.25f, 0));
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_INT32, 2, shape, -0.25f, 3));
}

TEST(sizes_fit_32_bits)
{
	RT_BAD_DATA(add_type(ANEURALNETWORKS_TENSOR_FLOAT32, 9,
			     (const uint32_t[]){ 5, 4, 4, 786433, 5, 3, 16777216, 4, 5 }, 0, 0));
	RT_BAD_DATA(
		add_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, (const uint32_t[]){ 1u << 30 }, 0, 0));
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_FLOAT32, 1, (const uint32_t[]){ (1u << 30) - 1 }, 0,
		       0));
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_BOOL8, 1, (const uint32_t[]){ UINT32_MAX }, 0, 0));
	RT_BAD_DATA(add_type(ANEURALNETWORKS_TENSOR_BOOL8, 2, (const uint32_t[]){ 65536, 65536 }, 0,
			     0));
	/* the known extents alone are too many; the product of all but the first would wrap to 0 */
	RT_BAD_DATA(add_type(ANEURALNETWORKS_TENSOR_BOOL8, 3, (const uint32_t[]){ 0, 65536, 65536 },
			     0, 0));
	RT_BAD_DATA(add_type(ANEURALNETWORKS_TENSOR_BOOL8, 3,
			     (const uint32_t[]){ 3, 1u << 31, 1u << 31 }, 0, 0));
}

/* Of more dimensions than any list of them in the runtime has room for. */
TEST(ranks_are_bounded)
{
	uint32_t dims[NNR_MAX_RANK + 1];

	for (uint32_t i = 0; i <= NNR_MAX_RANK; i++)
		dims[i] = 1;
	RT_OK(add_type(ANEURALNETWORKS_TENSOR_FLOAT32, NNR_MAX_RANK, dims, 0, 0));
	RT_BAD_DATA(add_type(ANEURALNETWORKS_TENSOR_FLOAT32, NNR_MAX_RANK + 1, dims, 0, 0));
}

static int32_t extension_type(uint16_t code)
{
	ANeuralNetworksModel *model = rt_model();
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, code, &type));
	ANeuralNetworksModel_free(model);
	return type;
}

TEST(extensions_have_types)
{
	static const uint8_t data[64];
	ANeuralNetworksModel *model = rt_model();
	int32_t other;

	RT_OK(add_type(extension_type(0), 2, shape, 0, 0));
	RT_OK(add_type(extension_type(0), 0, NULL, 0, 0));
	RT_OK(add_type(extension_type(1), 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(extension_type(1), 2, shape, 0, 0));
	RT_BAD_DATA(add_type(extension_type(0), 2, shape, 1, 0));
	RT_BAD_DATA(add_type(extension_type(0), 2, shape, 0, 1));
	RT_BAD_DATA(add_type(extension_type(1), 0, NULL, 1, 0));
	RT_BAD_DATA(add_type(extension_type(2), 0, NULL, 0, 0));
	RT_BAD_DATA(add_type(extension_type(0), 2, (const uint32_t[]){ 65536, 65536 }, 0, 0));
	/* a name that no device reports has a prefix, but no types */
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "com.android.unknown", 0,
							   &other));
	RT_BAD_DATA(add_type(other, 2, shape, 0, 0));
	/* values have the registered size */
	rt_operand(model, extension_type(0), shape, 2);
	rt_operand(model, extension_type(1), NULL, 0);
	rt_operand(model, extension_type(0), NULL, 0);
	rt_operand(model, extension_type(0), RT_DIMS(2, 0));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, data, 24));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 0, data, 23));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, data, 8));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 1, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 2, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 3, data, 8));
	ANeuralNetworksModel_free(model);
}

TEST(the_allowlist_keeps_extensions_away)
{
	const uint32_t in[] = { 0 }, out[] = { 1 };
	ANeuralNetworksModel *model = rt_model();
	int32_t type, operation;

	assert_false(nnr_extensions_allowed());
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, 0, &type));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, EXTENSION, 0, &operation));
	RT_BAD_DATA(add_type(type, 2, shape, 0, 0));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, operation, 1, in, 1, out));
	/* a Support Library is not subject to it */
	model->support_library = true;
	RT_OK(ANeuralNetworksModel_addOperation(model, operation, 1, in, 1, out));
	ANeuralNetworksModel_free(model);
}

TEST(oem_values_have_any_size)
{
	static const uint8_t data[1000];
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_OEM_SCALAR, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_OEM_BYTE, RT_DIMS(4));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, data, 1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, data, 3));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, data, sizeof(data)));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 0, data, 0));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, data, 4));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 1, data, 3));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValue(model, 1, data, 5));
	ANeuralNetworksModel_free(model);
}

/* ---- helpers of the other rooms ---- */

TEST(bytes_of_types)
{
	assert_int_equal(nnr_type_bytes(NNMODEL_TENSOR_FLOAT32, shape, 2), 24);
	assert_int_equal(nnr_type_bytes(NNMODEL_TENSOR_FLOAT32, NULL, 0), 0);
	assert_int_equal(nnr_type_bytes(NNMODEL_TENSOR_FLOAT32, (const uint32_t[]){ 2, 0 }, 2), 0);
	assert_int_equal(nnr_type_bytes(NNMODEL_INT32, NULL, 0), 4);
	assert_int_equal(nnr_type_bytes(NNMODEL_SUBGRAPH, NULL, 0), 0);
	assert_int_equal(nnr_type_bytes(ANEURALNETWORKS_TENSOR_OEM_BYTE, shape, 2), 6);
	assert_true(nnr_type_bytes(NNMODEL_TENSOR_FLOAT32, (const uint32_t[]){ 1u << 30 }, 1) ==
		    UINT64_MAX);
	assert_true(nnr_type_bytes(NNMODEL_TENSOR_FLOAT32,
				   (const uint32_t[]){ 1u << 31, 1u << 31, 4 }, 3) == UINT64_MAX);
	for (uint32_t type = 0; type < NNMODEL_TYPE_COUNT; type++)
		assert_int_equal(nnr_type_is_tensor(type), !is_scalar((int32_t)type));
	assert_true(nnr_type_is_tensor(ANEURALNETWORKS_TENSOR_OEM_BYTE));
	assert_false(nnr_type_is_tensor(ANEURALNETWORKS_OEM_SCALAR));
	assert_false(nnr_type_is_tensor(9999));
}

TEST(shapes_merge)
{
	uint32_t rank = 0, dims[NNR_MAX_RANK];

	assert_true(nnr_dims_merge(&rank, dims, 0, NULL));
	assert_int_equal(rank, 0);
	assert_true(nnr_dims_merge(&rank, dims, 3, (const uint32_t[]){ 2, 0, 0 }));
	assert_true(nnr_dims_merge(&rank, dims, 3, (const uint32_t[]){ 0, 3, 0 }));
	assert_int_equal(rank, 3);
	assert_memory_equal(dims, ((const uint32_t[]){ 2, 3, 0 }), 12);
	assert_false(nnr_dims_merge(&rank, dims, 2, shape));
	/* one axis fits, another does not: the shape is unchanged */
	assert_false(nnr_dims_merge(&rank, dims, 3, (const uint32_t[]){ 2, 4, 5 }));
	assert_memory_equal(dims, ((const uint32_t[]){ 2, 3, 0 }), 12);
	assert_true(nnr_dims_merge(&rank, dims, 0, NULL));
	assert_int_equal(rank, 3);
	assert_true(nnr_dims_complete(NNMODEL_TENSOR_FLOAT32, dims, 2));
	assert_false(nnr_dims_complete(NNMODEL_TENSOR_FLOAT32, dims, 3));
	assert_false(nnr_dims_complete(NNMODEL_TENSOR_FLOAT32, dims, 0));
	assert_true(nnr_dims_complete(NNMODEL_INT32, NULL, 0));
}

TEST(arguments_must_be_complete)
{
	ANeuralNetworksOperandType t = { ANEURALNETWORKS_TENSOR_FLOAT32, 2,
					 (const uint32_t[]){ 2, 0 }, 0, 0 };

	RT_OK(nnr_operand_type_validate(&t, true));
	RT_BAD_DATA(nnr_operand_type_validate(&t, false));
	t.dimensions = shape;
	RT_OK(nnr_operand_type_validate(&t, false));
	t = (ANeuralNetworksOperandType){ .type = ANEURALNETWORKS_TENSOR_FLOAT32 };
	RT_OK(nnr_operand_type_validate(&t, true));
	RT_BAD_DATA(nnr_operand_type_validate(&t, false));
	t.type = ANEURALNETWORKS_INT32;
	RT_OK(nnr_operand_type_validate(&t, false));
}

int main(int argc, char **argv)
{
	static const char with_types[] = "name=a,ext=" EXTENSION "/0:t4/1:s8";
	const struct rt_case cases[] = {
		RT_CASE(there_are_these_types, NULL),
		RT_CASE(quantization_is_of_the_type, NULL),
		RT_CASE(sizes_fit_32_bits, NULL),
		RT_CASE(ranks_are_bounded, NULL),
		RT_CASE(extensions_have_types, with_types),
		RT_CASE_ENV(the_allowlist_keeps_extensions_away, with_types,
			    "NNAPI_EXTENSION_ALLOWLIST=/dev/null",
			    "NNAPI_EXTENSION_PARTITIONS=/nowhere"),
		RT_CASE(oem_values_have_any_size, NULL),
		RT_CASE(bytes_of_types, NULL),
		RT_CASE(shapes_merge, NULL),
		RT_CASE(arguments_must_be_complete, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
