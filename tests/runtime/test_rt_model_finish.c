// SPDX-License-Identifier: Apache-2.0
/* finish(): what it accepts, and the model that results. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "descriptors.h"
#include "model/nnr_model.h"
#include "rt_case.h"

#define EXTENSION "vendor.test.one"

static const uint32_t shape[] = { 2, 3 };

/* A model of tensors of shape [2, 3], numbered from 0. */
static ANeuralNetworksModel *tensors(uint32_t num)
{
	ANeuralNetworksModel *model = rt_model();

	while (num--)
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	return model;
}

/* @to = ABS(@from) */
static int abs_of(ANeuralNetworksModel *model, uint32_t from, uint32_t to)
{
	return ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &from, 1, &to);
}

static int border(ANeuralNetworksModel *model, uint32_t in, uint32_t out)
{
	return ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out);
}

static void expect(ANeuralNetworksModel *model, int result)
{
	assert_int_equal(ANeuralNetworksModel_finish(model), result);
	assert_int_equal(ANeuralNetworksModel_finish(model), ANEURALNETWORKS_BAD_STATE);
	ANeuralNetworksModel_free(model);
}

/* ---- validity ---- */

TEST(models_must_have_something)
{
	ANeuralNetworksModel *model = rt_model();

	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(2);
	RT_OK(border(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(1);
	expect(model, ANEURALNETWORKS_BAD_DATA);
}

TEST(every_order_will_do)
{
	ANeuralNetworksModel *model = tensors(5);
	const uint32_t expected[] = { 3, 2, 0, 1 };

	/* 0 -> 2 -> 1 -> 3 -> 4 */
	RT_OK(abs_of(model, 3, 4));
	RT_OK(abs_of(model, 1, 3));
	RT_OK(abs_of(model, 0, 2));
	RT_OK(abs_of(model, 2, 1));
	RT_OK(border(model, 0, 4));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_int_equal(model->data->num_added, 4);
	assert_memory_equal(model->data->added_to_run, expected, sizeof(expected));
	ANeuralNetworksModel_free(model);
	/* operations keep their order where it is valid: 0 -> 1, 0 -> 2, 2 -> 3 */
	model = tensors(4);
	RT_OK(abs_of(model, 0, 1));
	RT_OK(abs_of(model, 0, 2));
	RT_OK(abs_of(model, 2, 3));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (const uint32_t[]){ 0 }, 2,
							    (const uint32_t[]){ 3, 1 }));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_memory_equal(model->data->added_to_run, ((const uint32_t[]){ 0, 1, 2 }), 12);
	ANeuralNetworksModel_free(model);
}

TEST(cycles_are_refused)
{
	ANeuralNetworksModel *model = tensors(4);

	RT_OK(abs_of(model, 0, 3));
	RT_OK(abs_of(model, 1, 2));
	RT_OK(abs_of(model, 2, 1));
	RT_OK(border(model, 0, 3));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(3);
	RT_OK(abs_of(model, 0, 1));
	RT_OK(abs_of(model, 2, 2));
	RT_OK(border(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
}

TEST(operands_are_written_once)
{
	ANeuralNetworksModel *model = tensors(3);

	RT_OK(abs_of(model, 1, 2)); /* reads an operand that is never written */
	RT_OK(border(model, 0, 2));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(3); /* a temporary that is neither written nor read */
	RT_OK(abs_of(model, 0, 1));
	RT_OK(border(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(3); /* an output that is never written */
	RT_OK(abs_of(model, 0, 1));
	RT_OK(border(model, 0, 2));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(2); /* written twice */
	RT_OK(abs_of(model, 0, 1));
	RT_OK(abs_of(model, 0, 1));
	RT_OK(border(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(3); /* an input that is written */
	RT_OK(abs_of(model, 0, 1));
	RT_OK(abs_of(model, 1, 2));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){ 0, 1 }, 1,
							    (const uint32_t[]){ 2 }));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(2); /* a constant that is written */
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 1, (const float[6]){ 0 }, 24));
	RT_OK(abs_of(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	model = tensors(3); /* an input that gets a value later */
	RT_OK(abs_of(model, 0, 1));
	RT_OK(border(model, 0, 1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, (const float[6]){ 0 }, 24));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, (const float[6]){ 0 }, 24));
	expect(model, ANEURALNETWORKS_BAD_DATA);
}

TEST(lists_that_are_replaced_leave_operands_behind)
{
	ANeuralNetworksModel *model = tensors(4);

	RT_OK(abs_of(model, 0, 1));
	RT_OK(abs_of(model, 2, 3));
	RT_OK(border(model, 0, 1));
	RT_OK(border(model, 2, 3));
	expect(model, ANEURALNETWORKS_BAD_DATA);
}

TEST(no_inputs_or_outputs_are_needed)
{
	ANeuralNetworksModel *model = tensors(2);

	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, (const float[6]){ 0 }, 24));
	RT_OK(abs_of(model, 0, 1));
	expect(model, ANEURALNETWORKS_NO_ERROR);
}

/*
 * 2 = ADD(input 0, constant 1), 5 = TRANSPOSE(2, input 4); the known part of the constant's shape
 * varies.
 */
TEST(constants_need_shapes)
{
	const struct {
		uint32_t rank, dims[2];
		bool valid;
	} cases[] = { { 2, { 2, 1 }, true },
		      { 2, { 2, 0 }, false },
		      { 2, { 0, 1 }, false },
		      { 0, { 0 }, false } };
	const uint32_t add_in[] = { 0, 1, 3 }, transpose_in[] = { 2, 4 }, inputs[] = { 0, 4 };
	static const float value[2];

	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksModel *model = rt_model();

		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, cases[i].dims, cases[i].rank);
		assert_int_equal(
			ANeuralNetworksModel_setOperandValue(model, 1, value, sizeof(value)),
			cases[i].valid ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA);
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 0);
		rt_int32(model, 3, ANEURALNETWORKS_FUSED_NONE);
		rt_operand(model, ANEURALNETWORKS_TENSOR_INT32, RT_DIMS(0));
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(3, 0));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add_in, 1,
							(const uint32_t[]){ 2 }));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_TRANSPOSE, 2,
							transpose_in, 1, (const uint32_t[]){ 5 }));
		RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, inputs, 1,
								    (const uint32_t[]){ 5 }));
		expect(model, cases[i].valid ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA);
	}
}

TEST(channels_need_scales)
{
	for (int with = 0; with < 2; with++) {
		const ANeuralNetworksSymmPerChannelQuantParams params = { 0, 2,
									  (const float[]){ 1, 2 } };
		ANeuralNetworksModel *model = rt_model();

		rt_operand(model, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, shape, 2);
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		if (with)
			RT_OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 0,
										       &params));
		RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_DEQUANTIZE, 1,
							(const uint32_t[]){ 0 }, 1,
							(const uint32_t[]){ 1 }));
		RT_OK(border(model, 0, 1));
		expect(model, with ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA);
	}
}

TEST(dead_operands_go)
{
	ANeuralNetworksModel *model = tensors(4);
	static const float large[100];

	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, (const float[6]){ 0 }, 24));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT16, RT_DIMS(2));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 4, NULL, 0));
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(100));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 5, large, sizeof(large)));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FLOOR, 1,
						(const uint32_t[]){ 1 }, 1,
						(const uint32_t[]){ 2 }));
	/* of two inputs one is read */
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){ 3, 1 }, 1,
							    (const uint32_t[]){ 2 }));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_int_equal(model->data->model->main.num_operands, 3);
	assert_int_equal(model->data->model->num_pools, 0);
	assert_int_equal(model->data->model->main.num_inputs, 2);
	assert_int_equal(model->data->model->main.inputs[0], 2);
	assert_int_equal(model->data->model->main.inputs[1], 0);
	assert_int_equal(model->data->model->main.operations[0].outputs[0], 1);
	/* together with the operations that only they need */
	assert_int_equal(model->data->feature_level, 1);
	ANeuralNetworksModel_free(model);
}

/* ---- constants ---- */

/* output = ADD(input, constants...) in a chain; constants of @sizes elements come from set(). */
struct chain {
	ANeuralNetworksModel *model;
	uint32_t next; /* operand */
};

static int32_t chain_constant(struct chain *c, uint32_t elements)
{
	const uint32_t in[] = { c->next - 1, c->next, c->next + 1 }, out[] = { c->next + 2 };

	rt_operand(c->model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(elements));
	rt_int32(c->model, (int32_t)in[2], ANEURALNETWORKS_FUSED_NONE);
	rt_operand(c->model, ANEURALNETWORKS_TENSOR_FLOAT32, NULL, 0);
	RT_OK(ANeuralNetworksModel_addOperation(c->model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	c->next += 3;
	return (int32_t)in[1];
}

static struct chain chain_begin(void)
{
	struct chain c = { rt_model(), 1 };

	rt_operand(c.model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(1));
	return c;
}

static const struct nnmodel *chain_end(struct chain *c)
{
	RT_OK(border(c->model, 0, c->next - 1));
	RT_OK(ANeuralNetworksModel_finish(c->model));
	return c->model->data->model;
}

static const struct nnmodel_operand *constant(const struct nnmodel *m, uint32_t operation)
{
	return &m->main.operands[m->main.operations[operation].inputs[1]];
}

TEST(large_constants_share_a_pool)
{
	static float first[33], second[50], small[32];
	struct chain c = chain_begin();
	const struct nnmodel_location *location;
	const struct nnmodel *m;
	float *mapped;

	for (int i = 0; i < 50; i++)
		second[i] = (float)i + 100;
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, chain_constant(&c, 33), first,
						   sizeof(first)));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, chain_constant(&c, 32), small,
						   sizeof(small)));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, chain_constant(&c, 50), second,
						   sizeof(second)));
	/* small ones were copied when they were set, large ones are when all is finished */
	first[7] = 7;
	small[7] = 7;
	m = chain_end(&c);
	assert_int_equal(m->num_pools, 1);
	assert_int_equal(constant(m, 1)->lifetime, NNMODEL_CONSTANT_COPY);
	assert_true(((const float *)(const void *)(m->values +
						   constant(m, 1)->location.offset))[7] == 0);
	mapped = mmap(NULL, m->pools[0].size, PROT_READ, MAP_SHARED, m->pools[0].fd, 0);
	assert_true(mapped != MAP_FAILED);
	assert_true(mmap(NULL, m->pools[0].size, PROT_WRITE, MAP_SHARED, m->pools[0].fd, 0) ==
		    MAP_FAILED);
	location = &constant(m, 0)->location;
	assert_int_equal(constant(m, 0)->lifetime, NNMODEL_CONSTANT_REFERENCE);
	assert_int_equal(location->offset % 64, 0);
	assert_int_equal(location->length, sizeof(first));
	assert_memory_equal(mapped + location->offset / 4, first, sizeof(first));
	location = &constant(m, 2)->location;
	assert_int_equal(location->offset % 64, 0);
	assert_memory_equal(mapped + location->offset / 4, second, sizeof(second));
	assert_int_equal(m->pools[0].size, location->offset + location->length);
	munmap(mapped, m->pools[0].size);
	ANeuralNetworksModel_free(c.model);
}

TEST(the_last_value_wins)
{
	static const float large[40] = { 1 }, other[40] = { 2 };
	const struct nnmodel *m;
	struct chain c = chain_begin();
	ANeuralNetworksMemory *memory = rt_memory(4096, PROT_READ, NULL);
	int32_t operand[3];

	for (int i = 0; i < 3; i++)
		operand[i] = chain_constant(&c, 40);
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(c.model, operand[0], memory, 160,
							     160));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand[0], large, sizeof(large)));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand[0], other, sizeof(other)));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand[1], large, sizeof(large)));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(c.model, operand[1], memory, 320,
							     160));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand[2], NULL, 0));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(c.model, operand[2], memory, 480,
							     160));
	m = chain_end(&c);
	assert_int_equal(m->num_pools, 2);
	assert_int_not_equal(constant(m, 0)->location.pool, constant(m, 1)->location.pool);
	assert_int_equal(m->pools[constant(m, 0)->location.pool].size, sizeof(other));
	assert_int_equal(constant(m, 1)->location.pool, constant(m, 2)->location.pool);
	assert_int_equal(constant(m, 1)->location.offset, 320);
	assert_int_equal(constant(m, 2)->location.offset, 480);
	assert_int_equal(m->pools[constant(m, 1)->location.pool].size, 4096);
	ANeuralNetworksModel_free(c.model);
	ANeuralNetworksMemory_free(memory);
}

/*
 * In a file that can be read only, at odd places, and gone from the application before the model is
 * finished.
 */
TEST(constants_in_files)
{
	static uint8_t bytes[1000];
	const struct nnmodel *m;
	struct chain c = chain_begin();
	ANeuralNetworksMemory *memory;
	struct nnmodel_maps *maps;
	const void *data;
	size_t size;
	int fd;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	temp_write(temp_path("weights"), bytes, sizeof(bytes));
	fd = open(temp_path("weights"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	RT_OK(ANeuralNetworksMemory_createFromFd(sizeof(bytes), PROT_READ, fd, 0, &memory));
	close(fd);
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(c.model, chain_constant(&c, 6), memory,
							     20, 24));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(c.model, chain_constant(&c, 6), memory,
							     200, 24));
	ANeuralNetworksMemory_free(memory);
	m = chain_end(&c);
	assert_int_equal(m->num_pools, 1);
	assert_int_equal(nnmodel_map_pools(m, &maps), 0);
	assert_int_equal(nnmodel_constant(m, maps, constant(m, 0), &data, &size), 0);
	assert_memory_equal(data, bytes + 20, 24);
	assert_int_equal(nnmodel_constant(m, maps, constant(m, 1), &data, &size), 0);
	assert_memory_equal(data, bytes + 200, 24);
	nnmodel_unmap_pools(maps);
	ANeuralNetworksModel_free(c.model);
}

/* A buffer that is gone is no crash, and the model can still be made valid. */
TEST(buffers_that_are_gone)
{
	static const float good[40];
	struct chain c = chain_begin();
	int32_t operand = chain_constant(&c, 40);
	void *gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(gone != MAP_FAILED);
	RT_OK(border(c.model, 0, c.next - 1));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand, gone, sizeof(good)));
	RT_BAD_DATA(ANeuralNetworksModel_finish(c.model));
	RT_OK(ANeuralNetworksModel_setOperandValue(c.model, operand, good, sizeof(good)));
	RT_OK(ANeuralNetworksModel_finish(c.model));
	ANeuralNetworksModel_free(c.model);
	munmap(gone, 4096);
}

/* ---- extensions and OEM ---- */

static ANeuralNetworksModel *extension_model(const char *name)
{
	const uint32_t in[] = { 0 }, out[] = { 1 };
	ANeuralNetworksModel *model = tensors(2);
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, name, 5, &type));
	RT_OK(ANeuralNetworksModel_addOperation(model, type, 1, in, 1, out));
	RT_OK(border(model, 0, 1));
	return model;
}

TEST(extension_names_come_along)
{
	ANeuralNetworksModel *model;
	const uint8_t blob[] = { 1, 2, 3 };
	int32_t type;

	/* a name that no device reports is unknown */
	expect(extension_model("com.android.unknown"), ANEURALNETWORKS_BAD_DATA);
	expect(extension_model("Not A Name"), ANEURALNETWORKS_BAD_DATA);
	/* an operation that it may not have is its device's business */
	model = extension_model("vendor.test.two");
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, 0, &type));
	rt_operand(model, type, shape, 2); /* dead */
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, NULL, 0));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_true(model->data->has_extensions);
	assert_int_equal(model->data->feature_level, 3);
	assert_int_equal(model->data->model->num_extensions, 1);
	assert_string_equal(model->data->model->extensions[0].name, "vendor.test.two");
	ANeuralNetworksModel_free(model);
	/* types of another extension, with data */
	model = rt_model();
	rt_operand(model, type, shape, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	RT_OK(ANeuralNetworksModel_setOperandExtensionData(model, 0, blob, sizeof(blob)));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "vendor.test.two", 0, &type));
	RT_OK(ANeuralNetworksModel_addOperation(model, type, 1, (const uint32_t[]){ 0 }, 1,
						(const uint32_t[]){ 1 }));
	RT_OK(border(model, 0, 1));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_int_equal(model->data->model->num_extensions, 2);
	assert_int_equal(model->data->model->main.operands[0].extension_size, 3);
	assert_memory_equal(model->data->model->main.operands[0].extension_data, blob, 3);
	ANeuralNetworksModel_free(model);
}

TEST(standard_operations_take_no_extension_types)
{
	ANeuralNetworksModel *model = rt_model();
	int32_t type;

	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, EXTENSION, 0, &type));
	rt_operand(model, type, shape, 2);
	rt_operand(model, type, shape, 2);
	RT_BAD_DATA(abs_of(model, 0, 1));
	ANeuralNetworksModel_free(model);
}

TEST(no_device_has_oem_operations)
{
	const uint32_t in[] = { 1, 2 }, out[] = { 3 };
	const ANeuralNetworksDevice *device = rt_device("nnapi-reference");
	ANeuralNetworksModel *model = tensors(2);
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemoryDesc *desc;
	bool supported[2];
	uint32_t alignment;

	rt_operand(model, ANEURALNETWORKS_OEM_SCALAR, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_OEM_BYTE, RT_DIMS(4));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 2, "any length", 10));
	RT_BAD_DATA(abs_of(model, 0, 3));
	RT_OK(abs_of(model, 0, 1));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_OEM_OPERATION, 2, in, 1,
						out));
	RT_OK(border(model, 0, 3));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_true(model->data->has_oem);
	RT_OK(ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, supported));
	assert_true(supported[0]);
	assert_false(supported[1]);
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	RT_BAD_DATA(ANeuralNetworksCompilation_finish(compilation));
	RT_BAD_STATE(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(compilation, 0,
										    &alignment));
	RT_BAD_STATE(ANeuralNetworksExecution_create(compilation, &execution));
	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1));
	ANeuralNetworksMemoryDesc_free(desc);
	rt_free(NULL, compilation, model);
	/* invalid models are still refused */
	model = tensors(3);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_OEM_OPERATION, 1,
						(const uint32_t[]){ 0 }, 1,
						(const uint32_t[]){ 1 }));
	RT_OK(border(model, 0, 1));
	expect(model, ANEURALNETWORKS_BAD_DATA);
}

/* ---- referenced models ---- */

static ANeuralNetworksModel *leaf(void)
{
	ANeuralNetworksModel *model = tensors(2);

	RT_OK(abs_of(model, 0, 1));
	RT_OK(border(model, 0, 1));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/* IF(condition, @yes, @no) of an input. */
static ANeuralNetworksModel *choice(const ANeuralNetworksModel *yes, const ANeuralNetworksModel *no)
{
	const uint32_t in[] = { 0, 1, 2, 3 }, out[] = { 4 }, inputs[] = { 3 };
	ANeuralNetworksModel *model = rt_model();
	const uint8_t condition = 1;

	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	RT_OK(ANeuralNetworksModel_setOperandValue(model, 0, &condition, 1));
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, in, 1, out));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, yes));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, in, 1, out));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, no));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, out));
	return model;
}

TEST(referenced_models_are_there_once)
{
	ANeuralNetworksModel *a = leaf(), *b = leaf(), *inner = choice(a, b), *outer, *same;

	RT_OK(ANeuralNetworksModel_finish(inner));
	assert_int_equal(inner->data->model->num_referenced, 2);
	assert_int_equal(inner->data->feature_level, 4);
	same = choice(a, a);
	RT_OK(ANeuralNetworksModel_finish(same));
	assert_int_equal(same->data->model->num_referenced, 1);
	/* referenced models count, too: inner, a, b; and same, which equals a */
	outer = choice(inner, a);
	RT_OK(ANeuralNetworksModel_finish(outer));
	assert_int_equal(outer->data->model->num_referenced, 3);
	ANeuralNetworksModel_free(outer);
	outer = choice(same, inner);
	RT_OK(ANeuralNetworksModel_finish(outer));
	assert_int_equal(outer->data->model->num_referenced, 4);
	/* a value that was replaced is gone */
	ANeuralNetworksModel_free(outer);
	outer = choice(inner, b);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(outer, 1, a));
	RT_OK(ANeuralNetworksModel_finish(outer));
	assert_int_equal(outer->data->model->num_referenced, 2);
	ANeuralNetworksModel_free(outer);
	/* and all of it is a copy */
	outer = choice(inner, b);
	ANeuralNetworksModel_free(a);
	ANeuralNetworksModel_free(b);
	ANeuralNetworksModel_free(inner);
	ANeuralNetworksModel_free(same);
	RT_OK(ANeuralNetworksModel_finish(outer));
	assert_int_equal(outer->data->model->num_referenced, 3);
	ANeuralNetworksModel_free(outer);
}

TEST(pools_of_referenced_models_are_there_once)
{
	static const float large[40] = { 1 };
	ANeuralNetworksMemory *memory = rt_memory(4096, PROT_READ, NULL);
	ANeuralNetworksModel *leaves[2], *outer;

	for (int i = 0; i < 2; i++) {
		/*
		 * two additions: of a constant in the memory and of one in a buffer, to which the
		 * input is broadcast
		 */
		const uint32_t in[] = { 0, 1, 2 }, sum[] = { 3 }, more[] = { 3, 4, 2 },
			       out[] = { 5 };

		leaves[i] = rt_model();
		rt_operand(leaves[i], ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		rt_operand(leaves[i], ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		rt_int32(leaves[i], 2, ANEURALNETWORKS_FUSED_NONE);
		rt_operand(leaves[i], ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		rt_operand(leaves[i], ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(40));
		rt_operand(leaves[i], ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
		RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(leaves[i], 1, memory,
								     64 * (size_t)i + 64, 24));
		RT_OK(ANeuralNetworksModel_setOperandValue(leaves[i], 4, large, sizeof(large)));
		RT_OK(ANeuralNetworksModel_addOperation(leaves[i], ANEURALNETWORKS_ADD, 3, in, 1,
							sum));
		RT_OK(ANeuralNetworksModel_addOperation(leaves[i], ANEURALNETWORKS_ADD, 3, more, 1,
							out));
		RT_OK(border(leaves[i], 0, 5));
		RT_OK(ANeuralNetworksModel_finish(leaves[i]));
	}
	outer = choice(leaves[0], leaves[1]);
	RT_OK(ANeuralNetworksModel_finish(outer));
	/* the memory, and the large value of each */
	assert_int_equal(outer->data->model->num_pools, 3);
	for (int i = 0; i < 2; i++) {
		const struct nnmodel_subgraph *g = &outer->data->model->referenced[i];
		const struct nnmodel_location *shared =
			&g->operands[g->operations[0].inputs[1]].location;
		const struct nnmodel_location *own =
			&g->operands[g->operations[1].inputs[1]].location;
		float value;

		assert_int_equal(outer->data->model->pools[shared->pool].size, 4096);
		assert_int_equal(shared->offset, 64 * i + 64);
		assert_int_equal(pread(outer->data->model->pools[own->pool].fd, &value, 4,
				       (off_t)own->offset),
				 4);
		assert_true(value == 1);
	}
	ANeuralNetworksModel_free(outer);
	ANeuralNetworksModel_free(leaves[0]);
	ANeuralNetworksModel_free(leaves[1]);
	ANeuralNetworksMemory_free(memory);
}

TEST(branches_must_fit)
{
	ANeuralNetworksModel *a = leaf(), *other = rt_binary(ANEURALNETWORKS_ADD, shape, 2),
			     *model = rt_model();
	const uint32_t in[] = { 0, 1, 2, 3 }, out[] = { 4 };

	rt_operand(model, ANEURALNETWORKS_TENSOR_BOOL8, RT_DIMS(1));
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_MODEL, NULL, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 2);
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 1, a));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, other));
	RT_BAD_DATA(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, in, 1, out));
	/* judged again at the end: by then the branch is another */
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, a));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4, in, 1, out));
	RT_OK(ANeuralNetworksModel_setOperandValueFromModel(model, 2, other));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){ 0, 3 }, 1,
							    out));
	expect(model, ANEURALNETWORKS_BAD_DATA);
	ANeuralNetworksModel_free(a);
	ANeuralNetworksModel_free(other);
}

TEST(relaxed_is_of_the_main_model)
{
	ANeuralNetworksModel *a = leaf(), *model = choice(a, a);

	RT_OK(ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, true));
	RT_OK(ANeuralNetworksModel_finish(model));
	assert_true(model->data->model->relaxed);
	assert_false(a->data->model->relaxed);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(a);
}

static void no_descriptor_is_left(void **state)
{
	unsigned int before;

	(void)state;
	rt_device("nnapi-reference");
	before = descriptors_open();
	pools_of_referenced_models_are_there_once(state);
	large_constants_share_a_pool(state);
	buffers_that_are_gone(state);
	assert_int_equal(descriptors_open(), before);
}

int main(int argc, char **argv)
{
	static const char with_types[] = "name=a,ext=" EXTENSION "/0:t4+vendor.test.two";
	const struct rt_case cases[] = {
		RT_CASE(models_must_have_something, NULL),
		RT_CASE(every_order_will_do, NULL),
		RT_CASE(cycles_are_refused, NULL),
		RT_CASE(operands_are_written_once, NULL),
		RT_CASE(lists_that_are_replaced_leave_operands_behind, NULL),
		RT_CASE(no_inputs_or_outputs_are_needed, NULL),
		RT_CASE(constants_need_shapes, NULL),
		RT_CASE(channels_need_scales, NULL),
		RT_CASE(dead_operands_go, NULL),
		RT_CASE(large_constants_share_a_pool, NULL),
		RT_CASE(the_last_value_wins, NULL),
		RT_CASE(constants_in_files, NULL),
		RT_CASE(buffers_that_are_gone, NULL),
		RT_CASE(extension_names_come_along, with_types),
		RT_CASE(standard_operations_take_no_extension_types, with_types),
		RT_CASE(no_device_has_oem_operations, NULL),
		RT_CASE(referenced_models_are_there_once, NULL),
		RT_CASE(pools_of_referenced_models_are_there_once, NULL),
		RT_CASE(branches_must_fit, NULL),
		RT_CASE(relaxed_is_of_the_main_model, NULL),
		RT_CASE(no_descriptor_is_left, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
