// SPDX-License-Identifier: Apache-2.0
/* Memory objects and descriptors: every misuse with its result code, and device memory in use. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt_test.h"

static const char devices[] =
	"name=plain name=other,ops=MUL name=adder,ops=ADD,exec=0.1 name=none,fail=allocate:GENERAL_FAILURE "
	"name=old,level=3";

static ANeuralNetworksMemoryDesc *desc_new(void)
{
	ANeuralNetworksMemoryDesc *desc;

	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	return desc;
}

/* Of one role; freed here. */
static int from_role(ANeuralNetworksCompilation *c, bool input, uint32_t index,
		     ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemoryDesc *desc = desc_new();
	int result;

	RT_OK(input ? ANeuralNetworksMemoryDesc_addInputRole(desc, c, index, 1.0f)
		    : ANeuralNetworksMemoryDesc_addOutputRole(desc, c, index, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	result = ANeuralNetworksMemory_createFromDesc(desc, memory);
	ANeuralNetworksMemoryDesc_free(desc);
	return result;
}

TEST(test_from_fd)
{
	ANeuralNetworksMemory *memory = (void *)1;

	RT_NULL(ANeuralNetworksMemory_createFromFd(4, PROT_READ, 0, 0, NULL));
	assert_int_equal(ANeuralNetworksMemory_createFromFd(4, PROT_READ, -1, 0, &memory),
			 ANEURALNETWORKS_OP_FAILED);
	assert_null(memory);
	assert_int_equal(ANeuralNetworksMemory_createFromFd(4, PROT_READ, 9999, 0, &memory),
			 ANEURALNETWORKS_OP_FAILED);
	RT_NULL(ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &memory));
	ANeuralNetworksMemory_free(NULL);
	ANeuralNetworksMemoryDesc_free(NULL);
}

TEST(test_desc_misuse)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksModel *wide = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2, 2));
	ANeuralNetworksCompilation *c = rt_compile(model, "plain", NULL),
				   *w = rt_compile(wide, "plain", NULL), *open;
	ANeuralNetworksMemoryDesc *desc = desc_new();
	ANeuralNetworksMemory *memory = (void *)1;
	const uint32_t four[] = { 4 }, five[] = { 5 }, unknown[] = { 0 };

	RT_OK(ANeuralNetworksCompilation_create(model, &open));
	RT_NULL(ANeuralNetworksMemoryDesc_create(NULL));
	RT_NULL(ANeuralNetworksMemoryDesc_addInputRole(NULL, c, 0, 1.0f));
	RT_NULL(ANeuralNetworksMemoryDesc_addOutputRole(desc, NULL, 0, 1.0f));
	RT_NULL(ANeuralNetworksMemoryDesc_setDimensions(NULL, 1, four));
	RT_NULL(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, NULL));
	RT_NULL(ANeuralNetworksMemoryDesc_finish(NULL));
	RT_NULL(ANeuralNetworksMemory_createFromDesc(NULL, &memory));
	assert_null(memory);
	RT_NULL(ANeuralNetworksMemory_createFromDesc(desc, NULL));
	RT_BAD_STATE(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_finish(desc));

	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, open, 0, 1.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 2, 1.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 1, 1.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 0.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, -1.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 10.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, __builtin_nanf("")));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 0.5f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 0.5f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, w, 0, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 1, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, c, 0, 1.0f));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, five));
	RT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, unknown));
	RT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	RT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 0, NULL));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_BAD_STATE(ANeuralNetworksMemoryDesc_finish(desc));
	RT_BAD_STATE(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1.0f));
	RT_BAD_STATE(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	/* either order of freeing */
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksMemory_free(memory);

	desc = desc_new();
	RT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, five));
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1.0f));
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksCompilation_free(open);
	ANeuralNetworksCompilation_free(c);
	rt_free(NULL, w, model);
	ANeuralNetworksModel_free(wide);
}

/* The device that allocates, and its failure to do so. */
TEST(test_allocation)
{
	static const struct {
		const char *device;
		uint32_t extent;
		int result;
	} cases[] = {
		{ "plain", 4, ANEURALNETWORKS_NO_ERROR },
		{ "plain", 0, ANEURALNETWORKS_OP_FAILED },
		{ "nnapi-reference", 4, ANEURALNETWORKS_NO_ERROR },
		{ "nnapi-reference", 0, ANEURALNETWORKS_OP_FAILED },
		{ "none", 4, ANEURALNETWORKS_OP_FAILED },
		{ "old", 4, ANEURALNETWORKS_OP_FAILED },
		{ NULL, 4, ANEURALNETWORKS_NO_ERROR },
		{ NULL, 0, ANEURALNETWORKS_OP_FAILED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ANeuralNetworksModel *model =
			rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(cases[i].extent));
		ANeuralNetworksCompilation *c = rt_compile(model, cases[i].device, NULL);
		ANeuralNetworksMemory *memory = (void *)1;

		assert_int_equal(from_role(c, true, 0, &memory), cases[i].result);
		if (cases[i].result)
			assert_null(memory);
		ANeuralNetworksMemory_free(memory);
		rt_free(NULL, c, model);
	}
}

/* t = a + b on one device, out = t * a on the other: a is read by both. */
static ANeuralNetworksModel *two_steps(void)
{
	ANeuralNetworksModel *model = rt_model();
	const uint32_t add[] = { 0, 1, 2 }, mul[] = { 3, 0, 2 }, t[] = { 3 }, out[] = { 4 },
		       io[] = { 0, 1 };
	const uint32_t dims[] = { 4 };

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_int32(model, 2, 0);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, add, 1, t));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, mul, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, io, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

TEST(test_partitions)
{
	ANeuralNetworksModel *model = two_steps();
	ANeuralNetworksCompilation *c = rt_compile(model, "adder", "other");
	ANeuralNetworksMemory *memory;

	assert_int_equal(from_role(c, true, 0, &memory), ANEURALNETWORKS_OP_FAILED);
	RT_OK(from_role(c, true, 1, &memory));
	ANeuralNetworksMemory_free(memory);
	RT_OK(from_role(c, false, 0, &memory));
	ANeuralNetworksMemory_free(memory);
	rt_free(NULL, c, model);
}

TEST(test_arguments)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4)),
			     *builder = rt_model();
	ANeuralNetworksCompilation *c = rt_compile(model, "plain", NULL),
				   *d = rt_compile(model, "plain", NULL);
	ANeuralNetworksExecution *e = rt_execution(c), *f = rt_execution(d);
	ANeuralNetworksMemory *in, *plain = rt_memory(64, PROT_READ | PROT_WRITE, NULL);
	const uint32_t dims[] = { 4 };

	RT_OK(from_role(c, true, 0, &in));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, in, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, in, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(f, 0, NULL, in, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 0, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 4, 0));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 0, 0));
	RT_BAD_STATE(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, plain, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, plain, 52, 16));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, plain, SIZE_MAX, 16));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, plain, 48, 16));
	rt_operand(builder, ANEURALNETWORKS_TENSOR_FLOAT32, dims, 1);
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(builder, 0, in, 0, 16));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(builder, 0, plain, 52, 16));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(builder, 0, plain, 4, 16));
	ANeuralNetworksModel_free(builder);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksExecution_free(f);
	ANeuralNetworksMemory_free(in);
	ANeuralNetworksMemory_free(plain);
	ANeuralNetworksCompilation_free(c);
	rt_free(NULL, d, model);
}

/* Memory is copied in, read by an execution, written by another, copied out. */
static void round_trip(const char *device)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = rt_compile(model, device, NULL);
	ANeuralNetworksMemory *in, *out, *small = rt_memory(12, PROT_READ | PROT_WRITE, NULL),
					 *host, *back;
	ANeuralNetworksExecution *e = rt_execution(c);
	const float b[] = { 10, 20, 30, 40 };
	float *host_map, *back_map;

	host = rt_memory(16, PROT_READ | PROT_WRITE, &host_map);
	back = rt_memory(16, PROT_READ | PROT_WRITE, &back_map);
	RT_OK(from_role(c, true, 0, &in));
	RT_OK(from_role(c, false, 0, &out));
	RT_NULL(ANeuralNetworksMemory_copy(NULL, host));
	RT_NULL(ANeuralNetworksMemory_copy(host, NULL));
	RT_OK(ANeuralNetworksMemory_copy(host, host));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(in, host));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(small, in));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(small, host));

	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, in, 0, 0));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, out, 0, 0));
	/* the memory is uninitialised */
	assert_int_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_OP_FAILED);
	RT_BAD_DATA(ANeuralNetworksMemory_copy(out, back));
	for (int i = 0; i < 4; i++)
		host_map[i] = (float)i;
	RT_OK(ANeuralNetworksMemory_copy(host, in));
	RT_OK(ANeuralNetworksExecution_compute(e));
	RT_OK(ANeuralNetworksMemory_copy(out, back));
	for (int i = 0; i < 4; i++)
		assert_true(back_map[i] == (float)i + b[i]);
	/* from one to the other, and again */
	RT_OK(ANeuralNetworksMemory_copy(out, in));
	RT_OK(ANeuralNetworksExecution_compute(e));
	RT_OK(ANeuralNetworksMemory_copy(out, back));
	for (int i = 0; i < 4; i++)
		assert_true(back_map[i] == (float)i + 2 * b[i]);
	/* a failed copy leaves the memory uninitialised */
	RT_BAD_DATA(ANeuralNetworksMemory_copy(small, in));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(in, host));
	assert_int_equal(ANeuralNetworksExecution_compute(e), ANEURALNETWORKS_OP_FAILED);
	RT_BAD_DATA(ANeuralNetworksMemory_copy(out, back));

	munmap(host_map, 16);
	munmap(back_map, 16);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(in);
	ANeuralNetworksMemory_free(out);
	ANeuralNetworksMemory_free(host);
	ANeuralNetworksMemory_free(back);
	ANeuralNetworksMemory_free(small);
	rt_free(NULL, c, model);
}

TEST(test_round_trip)
{
	round_trip("plain");
	round_trip("nnapi-reference");
	round_trip(NULL);
}

/* Shapes of the memory, of the source of a copy, of the execution. */
TEST(test_shapes)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(0));
	ANeuralNetworksCompilation *c = rt_compile(model, "plain", NULL);
	ANeuralNetworksMemoryDesc *desc = desc_new();
	const uint32_t four[] = { 4 }, two[] = { 2 };
	const ANeuralNetworksOperandType type = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, four, 1);
	const ANeuralNetworksOperandType other = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, two, 1);
	ANeuralNetworksExecution *e = rt_execution(c);
	ANeuralNetworksMemory *memory, *host = rt_memory(16, PROT_READ | PROT_WRITE, NULL);
	const float b[] = { 1, 2, 3, 4 };
	float out[4];

	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	RT_OK(ANeuralNetworksMemory_copy(host, memory));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, &other, memory, 0, 0));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, &type, memory, 0, 0));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, &type, b, sizeof(b)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_memory_equal(out, b, sizeof(b));
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksMemory_free(host);
	ANeuralNetworksMemoryDesc_free(desc);
	rt_free(NULL, c, model);
}

/* Memory that cannot be mapped is reported by its first use. */
TEST(test_unmappable)
{
	int fd = memfd_new(0);
	ANeuralNetworksMemory *memory, *good = rt_memory(4096, PROT_READ | PROT_WRITE, NULL);

	RT_OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 0, &memory));
	assert_int_equal(ANeuralNetworksMemory_copy(memory, good), ANEURALNETWORKS_UNMAPPABLE);
	ANeuralNetworksMemory_free(memory);
	RT_OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, SIZE_MAX - 100, &memory));
	assert_int_equal(ANeuralNetworksMemory_copy(memory, good), ANEURALNETWORKS_UNMAPPABLE);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksMemory_free(good);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_fd),	   cmocka_unit_test(test_desc_misuse),
		cmocka_unit_test(test_allocation), cmocka_unit_test(test_partitions),
		cmocka_unit_test(test_arguments),  cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_shapes),	   cmocka_unit_test(test_unmappable),
	};

	setenv("NNHAL_TEST_DEVICES", devices, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
