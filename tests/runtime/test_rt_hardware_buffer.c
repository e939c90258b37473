// SPDX-License-Identifier: Apache-2.0
/* AHardwareBuffers as memory of models and executions. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "android/hardware_buffer.h"
#include "rt_case.h"

/* RT_DEVICE: another than the test's own, a card. */
static const char *device(void)
{
	const char *name = getenv("RT_DEVICE");

	return name ? name : "a";
}

#define CPU (AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN | AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN)

static AHardwareBuffer *blob(uint32_t bytes, uint64_t more)
{
	const AHardwareBuffer_Desc desc = {
		.width = bytes,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = CPU | more,
	};
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

static void fill(AHardwareBuffer *buffer, size_t offset, const float *values, size_t count)
{
	uint8_t *data;

	assert_int_equal(AHardwareBuffer_lock(buffer, CPU, -1, NULL, (void **)&data), 0);
	memcpy(data + offset, values, count * sizeof(*values));
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static void expect(AHardwareBuffer *buffer, size_t offset, const float *values, size_t count)
{
	uint8_t *data;

	assert_int_equal(AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_CPU_READ_RARELY, -1,
					      NULL, (void **)&data),
			 0);
	assert_memory_equal(data + offset, values, count * sizeof(*values));
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
}

static ANeuralNetworksMemory *memory_of(AHardwareBuffer *buffer)
{
	ANeuralNetworksMemory *memory;

	RT_OK(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
	assert_non_null(memory);
	return memory;
}

TEST(pointers_and_addresses)
{
	AHardwareBuffer *buffer = blob(20, 0);
	ANeuralNetworksMemory *memory = (void *)1;

	RT_NULL(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, NULL));
	RT_NULL(ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &memory));
	assert_null(memory);
	/* only looked for, never followed */
	RT_BAD_DATA(
		ANeuralNetworksMemory_createFromAHardwareBuffer((AHardwareBuffer *)16, &memory));
	assert_null(memory);
	AHardwareBuffer_release(buffer);
	RT_BAD_DATA(ANeuralNetworksMemory_createFromAHardwareBuffer(buffer, &memory));
}

TEST(ranges_of_arguments)
{
	const uint32_t bad_dims[] = { 3 };
	const ANeuralNetworksOperandType bad = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, bad_dims, 1);
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2));
	ANeuralNetworksCompilation *c = rt_compile(model, device(), NULL);
	ANeuralNetworksExecution *e = rt_execution(c), *padded = rt_execution(c);
	AHardwareBuffer *buffer = blob(20, 0);
	ANeuralNetworksMemory *m = memory_of(buffer);

	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 20));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 21, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 13, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, SIZE_MAX - 3, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, &bad, m, 0, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 0, 20));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 21, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 13, 8));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, &bad, m, 0, 8));
	RT_OK(ANeuralNetworksExecution_enableInputAndOutputPadding(padded, true));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(padded, 0, NULL, m, 0, 7));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(padded, 0, NULL, m, 0, 7));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(padded, 0, NULL, m, 0, 20));
	ANeuralNetworksExecution_free(padded);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(m);
	AHardwareBuffer_release(buffer);
	rt_free(NULL, c, model);
}

/* out = (in + constant): all three in one buffer, which the memory outlives. */
static void compute_in_one_buffer(const char *name)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const float a[] = { 1, 2, 3 }, b[] = { 10, 20, 30 }, sum[] = { 11, 22, 33 };
	ANeuralNetworksModel *model = rt_model();
	AHardwareBuffer *buffer = blob(3 * 4096, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER);
	ANeuralNetworksMemory *m = memory_of(buffer);
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;

	fill(buffer, 4096, b, 3);
	for (int i = 0; i < 2; i++)
		rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(3));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, m, 3 * 4096 - 8, 12));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, m, 3 * 4096 + 1, 12));
	RT_OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, m, 4096, 12));
	rt_int32(model, 2, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, RT_DIMS(3));
	RT_OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	c = rt_compile(model, name, NULL);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 12));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 2 * 4096, 12));
	fill(buffer, 0, a, 3);
	RT_OK(ANeuralNetworksExecution_compute(e));
	expect(buffer, 2 * 4096, sum, 3);
	/* the memory has the buffer's file, and lives on */
	AHardwareBuffer_release(buffer);
	RT_OK(ANeuralNetworksExecution_compute(e));
	rt_free(e, c, model);
	ANeuralNetworksMemory_free(m);
}

TEST(computing)
{
	compute_in_one_buffer(device());
	compute_in_one_buffer("nnapi-reference");
	compute_in_one_buffer(NULL);
}

TEST(fenced)
{
	const float a[] = { 1, 2 }, b[] = { 5, 6 }, sum[] = { 6, 8 };
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2));
	ANeuralNetworksCompilation *c = rt_compile(model, device(), NULL);
	ANeuralNetworksExecution *e = rt_execution(c);
	AHardwareBuffer *buffer = blob(24, 0);
	ANeuralNetworksMemory *m = memory_of(buffer);
	ANeuralNetworksEvent *event;

	fill(buffer, 0, a, 2);
	fill(buffer, 8, b, 2);
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 8));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, m, 8, 8));
	RT_OK(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 16, 8));
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event));
	RT_OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	expect(buffer, 16, sum, 2);
	rt_free(e, c, model);
	ANeuralNetworksMemory_free(m);
	AHardwareBuffer_release(buffer);
}

TEST(copies)
{
	const float a[] = { 1, 2, 3, 4 };
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = rt_compile(model, device(), NULL);
	AHardwareBuffer *from = blob(16, 0), *to = blob(16, 0), *small = blob(8, 0);
	ANeuralNetworksMemory *m_from = memory_of(from), *m_to = memory_of(to),
			      *m_small = memory_of(small), *own;
	ANeuralNetworksMemoryDesc *desc;

	fill(from, 0, a, 4);
	RT_OK(ANeuralNetworksMemory_copy(m_from, m_to));
	expect(to, 0, a, 4);
	RT_BAD_DATA(ANeuralNetworksMemory_copy(m_from, m_small));
	/* through a device's own memory */
	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	RT_OK(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 0, 1.0f));
	RT_OK(ANeuralNetworksMemoryDesc_finish(desc));
	RT_OK(ANeuralNetworksMemory_createFromDesc(desc, &own));
	ANeuralNetworksMemoryDesc_free(desc);
	fill(to, 0, (const float[]){ 0, 0, 0, 0 }, 4);
	RT_OK(ANeuralNetworksMemory_copy(m_from, own));
	RT_OK(ANeuralNetworksMemory_copy(own, m_to));
	expect(to, 0, a, 4);
	ANeuralNetworksMemory_free(own);
	ANeuralNetworksMemory_free(m_small);
	ANeuralNetworksMemory_free(m_to);
	ANeuralNetworksMemory_free(m_from);
	AHardwareBuffer_release(small);
	AHardwareBuffer_release(to);
	AHardwareBuffer_release(from);
	rt_free(NULL, c, model);
}

/* From a peer that gives memory to be read: an input, and no output. */
TEST(memory_that_can_only_be_read)
{
	static const struct {
		char magic[8];
		uint32_t width, height, layers, format;
		uint64_t usage;
	} message = { "nnahwb1", 4096, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU };
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2));
	ANeuralNetworksCompilation *c = rt_compile(model, device(), NULL);
	const float a[] = { 1, 2 };
	int memfd = memfd_sealed(4096, F_SEAL_SHRINK), fd, s[2], result;
	ANeuralNetworksExecution *e = rt_execution(c);
	ANeuralNetworksMemory *m;
	AHardwareBuffer *buffer;
	float out[2];

	assert_int_equal(pwrite(memfd, a, sizeof(a), 0), sizeof(a));
	fd = descriptors_reopen(memfd, O_RDONLY);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	assert_int_equal(unix_send(s[0], &message, sizeof(message), &fd, 1), sizeof(message));
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(s[1], &buffer), 0);
	m = memory_of(buffer);
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 8));
	RT_OK(ANeuralNetworksExecution_setInputFromMemory(e, 1, NULL, m, 0, 8));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_true(out[0] == 2 && out[1] == 4);
	ANeuralNetworksExecution_free(e);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
	result = ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 8, 8);
	if (result == ANEURALNETWORKS_NO_ERROR)
		result = ANeuralNetworksExecution_compute(e);
	assert_int_not_equal(result, ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(pread(memfd, out, sizeof(out), 8), sizeof(out));
	assert_true(out[0] == 0 && out[1] == 0);
	ANeuralNetworksExecution_free(e);
	ANeuralNetworksMemory_free(m);
	AHardwareBuffer_release(buffer);
	close(fd);
	close(memfd);
	close(s[0]);
	close(s[1]);
	rt_free(NULL, c, model);
}

/* They can be described, and every use of them is refused. */
TEST(images)
{
	const AHardwareBuffer_Desc desc = {
		.width = 16,
		.height = 16,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM,
		.usage = CPU,
	};
	const uint32_t one[] = { 1 };
	const ANeuralNetworksOperandType type = {
		.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
		.dimensionCount = 1,
		.dimensions = one,
		.scale = 1.0f,
	};
	ANeuralNetworksModel *model = rt_model(),
			     *add = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(256));
	ANeuralNetworksCompilation *c = rt_compile(add, device(), NULL);
	ANeuralNetworksExecution *e = rt_execution(c);
	AHardwareBuffer *image, *bytes = blob(1024, 0);
	ANeuralNetworksMemory *m, *other = memory_of(bytes);

	assert_int_equal(AHardwareBuffer_allocate(&desc, &image), 0);
	m = memory_of(image);
	RT_OK(ANeuralNetworksModel_addOperand(model, &type));
	RT_BAD_DATA(ANeuralNetworksModel_setOperandValueFromMemory(model, 0, m, 0, 1));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 1024));
	RT_BAD_DATA(ANeuralNetworksExecution_setInputFromMemory(e, 0, NULL, m, 0, 0));
	RT_BAD_DATA(ANeuralNetworksExecution_setOutputFromMemory(e, 0, NULL, m, 0, 1024));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(m, other));
	RT_BAD_DATA(ANeuralNetworksMemory_copy(other, m));
	ANeuralNetworksMemory_free(other);
	ANeuralNetworksMemory_free(m);
	AHardwareBuffer_release(bytes);
	AHardwareBuffer_release(image);
	rt_free(e, c, add);
	ANeuralNetworksModel_free(model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(pointers_and_addresses, NULL),
		RT_CASE(ranges_of_arguments, "name=a"),
		RT_CASE(computing, "name=a"),
		RT_CASE(fenced, "name=a"),
		RT_CASE(copies, "name=a"),
		RT_CASE(memory_that_can_only_be_read, "name=a"),
		RT_CASE(images, "name=a"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
