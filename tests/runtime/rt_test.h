/* SPDX-License-Identifier: Apache-2.0 */
/* Small models and their way to an execution, in few words. Failures end the test by cmocka. */
#ifndef RT_TEST_H
#define RT_TEST_H

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "NeuralNetworksExtensions.h"
#include "NeuralNetworksOEM.h"
#include "descriptors.h"
#include "test_case.h"

#define RT_OK(call) assert_int_equal(call, ANEURALNETWORKS_NO_ERROR)
#define RT_NULL(call) assert_int_equal(call, ANEURALNETWORKS_UNEXPECTED_NULL)
#define RT_BAD_DATA(call) assert_int_equal(call, ANEURALNETWORKS_BAD_DATA)
#define RT_BAD_STATE(call) assert_int_equal(call, ANEURALNETWORKS_BAD_STATE)
/** Dimensions and their number. */
#define RT_DIMS(...)                       \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)

/** The device of that name; NULL: there is none. */
static inline ANeuralNetworksDevice *rt_find_device(const char *name)
{
	ANeuralNetworksDevice *device;
	const char *found;
	uint32_t count;

	RT_OK(ANeuralNetworks_getDeviceCount(&count));
	for (uint32_t i = 0; i < count; i++) {
		RT_OK(ANeuralNetworks_getDevice(i, &device));
		RT_OK(ANeuralNetworksDevice_getName(device, &found));
		if (!strcmp(found, name))
			return device;
	}
	return NULL;
}

/** It must be there. */
static inline ANeuralNetworksDevice *rt_device(const char *name)
{
	ANeuralNetworksDevice *device = rt_find_device(name);

	assert_non_null(device);
	return device;
}

/** Without quantization; refers to @dims. */
static inline ANeuralNetworksOperandType rt_type(int32_t type, const uint32_t *dims, uint32_t rank)
{
	return (ANeuralNetworksOperandType){ .type = type,
					     .dimensionCount = rank,
					     .dimensions = rank ? dims : NULL };
}

static inline ANeuralNetworksModel *rt_model(void)
{
	ANeuralNetworksModel *model;

	RT_OK(ANeuralNetworksModel_create(&model));
	return model;
}

static inline void rt_operand(ANeuralNetworksModel *model, int32_t type, const uint32_t *dims,
			      uint32_t rank)
{
	const ANeuralNetworksOperandType t = rt_type(type, dims, rank);

	RT_OK(ANeuralNetworksModel_addOperand(model, &t));
}

/** A constant, which becomes operand number @index. */
static inline void rt_int32(ANeuralNetworksModel *model, int32_t index, int32_t value)
{
	rt_operand(model, ANEURALNETWORKS_INT32, NULL, 0);
	RT_OK(ANeuralNetworksModel_setOperandValue(model, index, &value, sizeof(value)));
}

/** out (3) = a (0) op b (1), of equal shapes, without activation (2); float32. Finished. */
static inline ANeuralNetworksModel *rt_binary(int32_t operation, const uint32_t *dims,
					      uint32_t rank)
{
	const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	ANeuralNetworksModel *model = rt_model();

	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, rank);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, rank);
	rt_int32(model, 2, ANEURALNETWORKS_FUSED_NONE);
	rt_operand(model, ANEURALNETWORKS_TENSOR_FLOAT32, dims, rank);
	RT_OK(ANeuralNetworksModel_addOperation(model, operation, 3, in, 1, out));
	RT_OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	RT_OK(ANeuralNetworksModel_finish(model));
	return model;
}

/**
 * For one or two devices (@second NULL: one), or as the runtime chooses (@first NULL); finished.
 */
static inline ANeuralNetworksCompilation *rt_compile(ANeuralNetworksModel *model, const char *first,
						     const char *second)
{
	const ANeuralNetworksDevice *devices[2] = { NULL };
	ANeuralNetworksCompilation *compilation;
	uint32_t n = 0;

	if (first)
		devices[n++] = rt_device(first);
	if (second)
		devices[n++] = rt_device(second);
	RT_OK(n ? ANeuralNetworksCompilation_createForDevices(model, devices, n, &compilation)
		: ANeuralNetworksCompilation_create(model, &compilation));
	RT_OK(ANeuralNetworksCompilation_finish(compilation));
	return compilation;
}

static inline ANeuralNetworksExecution *rt_execution(ANeuralNetworksCompilation *compilation)
{
	ANeuralNetworksExecution *execution;

	RT_OK(ANeuralNetworksExecution_create(compilation, &execution));
	return execution;
}

/** Free what there is; NULL: nothing. */
static inline void rt_free(ANeuralNetworksExecution *execution,
			   ANeuralNetworksCompilation *compilation, ANeuralNetworksModel *model)
{
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/** Memory of @size bytes, all 0; if @map is not NULL, where it is mapped. */
static inline ANeuralNetworksMemory *rt_memory(size_t size, int prot, float **map)
{
	int fd = memfd_new(size);
	ANeuralNetworksMemory *memory;

	if (map)
		*map = memfd_map(fd, size);
	RT_OK(ANeuralNetworksMemory_createFromFd(size, prot, fd, 0, &memory));
	close(fd);
	return memory;
}

#endif
