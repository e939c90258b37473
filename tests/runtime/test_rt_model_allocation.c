// SPDX-License-Identifier: Apache-2.0
/*
 * Out of memory at every allocation in turn: each call says so and can be repeated, but for
 * finish(), which makes the model invalid. Linked with --wrap for the allocator.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/nnr_memory.h"
#include "rt_case.h"

/* Allocations until one fails; negative: none fails. */
static int countdown = -1;
static bool failed;

static bool fails(void)
{
	if (countdown < 0 || countdown--)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t num, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
/* the sanitizers' library refers to these names, too, once they are wrapped */
#pragma GCC visibility push(default)
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
#pragma GCC visibility pop

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

/* A call that is repeated as long as it finds no memory. */
#define REPEAT(call)                                                             \
	do {                                                                     \
		int result;                                                      \
                                                                                 \
		failed = false;                                                  \
		result = (call);                                                 \
		if (failed) {                                                    \
			assert_int_equal(result, ANEURALNETWORKS_OUT_OF_MEMORY); \
			result = (call);                                         \
		}                                                                \
		assert_int_equal(result, ANEURALNETWORKS_NO_ERROR);              \
	} while (0)

static const uint32_t shape[] = { 40 };
static const float large[40];
static ANeuralNetworksMemory *memory;
static int32_t extension_type, extension_operation;

static void add(ANeuralNetworksModel *model, int32_t type, const uint32_t *dims, uint32_t rank)
{
	const ANeuralNetworksOperandType t = { type, rank, dims, 0, 0 };

	REPEAT(ANeuralNetworksModel_addOperand(model, &t));
}

/* 0 input, 1 large constant, 2 activation, 3 inner, 4 constant in memory, 5 output */
static ANeuralNetworksModel *build_leaf(void)
{
	const int32_t none = 0;
	ANeuralNetworksModel *model = NULL;

	REPEAT(ANeuralNetworksModel_create(&model));
	add(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 1);
	add(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 1);
	add(model, ANEURALNETWORKS_INT32, NULL, 0);
	for (int i = 0; i < 3; i++)
		add(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 1);
	REPEAT(ANeuralNetworksModel_setOperandValue(model, 1, large, sizeof(large)));
	REPEAT(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	REPEAT(ANeuralNetworksModel_setOperandValueFromMemory(model, 4, memory, 64, sizeof(large)));
	REPEAT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3,
						 (const uint32_t[]){ 0, 1, 2 }, 1,
						 (const uint32_t[]){ 3 }));
	REPEAT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3,
						 (const uint32_t[]){ 3, 4, 2 }, 1,
						 (const uint32_t[]){ 5 }));
	REPEAT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, (const uint32_t[]){ 0 }, 1,
							     (const uint32_t[]){ 5 }));
	return model;
}

/* 0 condition, 1 and 2 models, 3 input, 4 inner, 5 output of an extension, 6 OEM, 7 channels */
static ANeuralNetworksModel *build_main(const ANeuralNetworksModel *leaf)
{
	const ANeuralNetworksSymmPerChannelQuantParams params = { 0, 2, (const float[]){ 1, 2 } };
	ANeuralNetworksModel *model = NULL;

	REPEAT(ANeuralNetworksModel_create(&model));
	add(model, ANEURALNETWORKS_TENSOR_BOOL8, (const uint32_t[]){ 1 }, 1);
	add(model, ANEURALNETWORKS_MODEL, NULL, 0);
	add(model, ANEURALNETWORKS_MODEL, NULL, 0);
	add(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 1);
	add(model, ANEURALNETWORKS_TENSOR_FLOAT32, shape, 1);
	add(model, extension_type, shape, 1);
	add(model, ANEURALNETWORKS_OEM_SCALAR, NULL, 0);
	add(model, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, (const uint32_t[]){ 2 }, 1);
	REPEAT(ANeuralNetworksModel_setOperandValueFromModel(model, 1, leaf));
	REPEAT(ANeuralNetworksModel_setOperandValueFromModel(model, 2, leaf));
	REPEAT(ANeuralNetworksModel_setOperandExtensionData(model, 5, large, 10));
	REPEAT(ANeuralNetworksModel_setOperandValue(model, 6, large, 3));
	REPEAT(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, 7, &params));
	REPEAT(ANeuralNetworksModel_setOperandValue(model, 7, large, 2));
	REPEAT(ANeuralNetworksModel_addOperation(model, extension_operation, 2,
						 (const uint32_t[]){ 4, 7 }, 1,
						 (const uint32_t[]){ 5 }));
	REPEAT(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_IF, 4,
						 (const uint32_t[]){ 0, 1, 2, 3 }, 1,
						 (const uint32_t[]){ 4 }));
	REPEAT(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, (const uint32_t[]){ 3, 0 },
							     1, (const uint32_t[]){ 5 }));
	return model;
}

/* False: it found no memory. */
static bool finish(ANeuralNetworksModel *model)
{
	int result;

	failed = false;
	result = ANeuralNetworksModel_finish(model);
	assert_int_equal(result, failed ? ANEURALNETWORKS_OUT_OF_MEMORY : ANEURALNETWORKS_NO_ERROR);
	return !failed;
}

static bool ask(const ANeuralNetworksModel *model, const ANeuralNetworksDevice *device)
{
	bool supported[2];
	int result;

	failed = false;
	result =
		ANeuralNetworksModel_getSupportedOperationsForDevices(model, &device, 1, supported);
	/* a failure inside the device makes every operation unsupported */
	assert_true(result == ANEURALNETWORKS_NO_ERROR ||
		    (failed && result == ANEURALNETWORKS_OUT_OF_MEMORY));
	return !failed;
}

/*
 * Run all calls with allocation number @n failing. True: none failed, every allocation has had its
 * turn.
 */
static bool try(int n, const ANeuralNetworksDevice *device)
{
	ANeuralNetworksModel *leaf = NULL, *model = NULL;
	bool through;

	countdown = n;
	leaf = build_leaf();
	through = finish(leaf);
	if (through) {
		model = build_main(leaf);
		through = finish(model) && ask(model, device);
	}
	through = through && countdown >= 0;
	countdown = -1;
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(leaf);
	return through;
}

TEST(every_allocation_fails_once)
{
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksDevice *device = rt_device("old");
	int n = 0;

	RT_OK(nnr_memory_create_host(4096, &memory));
	RT_OK(ANeuralNetworksModel_getExtensionOperandType(model, "vendor.test.one", 0,
							   &extension_type));
	RT_OK(ANeuralNetworksModel_getExtensionOperationType(model, "vendor.test.one", 0,
							     &extension_operation));
	ANeuralNetworksModel_free(model);
	while (!try(n, device))
		n++;
	print_message("%d allocations failed in turn\n", n);
	assert_true(n > 100);
	ANeuralNetworksMemory_free(memory);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(every_allocation_fails_once,
			"name=old,level=3 name=with,ext=vendor.test.one/0:t4"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
