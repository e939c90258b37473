// SPDX-License-Identifier: Apache-2.0
/*
 * A client like TFLite's delegate: it opens the library by its unversioned name, finds every
 * function by dlsym(), shares memory by shm_open(), maps its weights from a model file, and checks
 * feature levels.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt_test.h"
#include "temp.h"

static void *library;

static void *symbol(const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		fail_msg("%s is missing", name);
	return found;
}

/* The function in a variable of its own name, as the delegate's table has it. */
#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))symbol(#name)

FIXTURE(setup)
{
	library = dlopen("libneuralnetworks.so", RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		print_error("%s\n", dlerror());
	return !library;
}

TEST(test_level)
{
	LOAD(ANeuralNetworks_getRuntimeFeatureLevel);

	assert_true(p_ANeuralNetworks_getRuntimeFeatureLevel() >= ANEURALNETWORKS_FEATURE_LEVEL_8);
	/* a symbol stands for its level to clients that cannot ask for it */
	symbol("ANeuralNetworksModel_relaxComputationFloat32toFloat16");
	symbol("ANeuralNetworks_getDeviceCount");
	symbol("ANeuralNetworksModel_setOperandValueFromModel");
	symbol("ANeuralNetworksExecution_enableInputAndOutputPadding");
	symbol("ANeuralNetworks_getSLDriverImpl");
}

/* The delegate's emulation of ASharedMemory_create(). */
static int shared_memory(size_t size, void **map)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/nnaccel-test-%d", (int)getpid());
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	shm_unlink(name);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	*map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(*map, MAP_FAILED);
	return fd;
}

/*
 * Weights at an offset that is aligned to 4 bytes only, in a file that is read-only and closed
 * after use.
 */
static ANeuralNetworksMemory *weights(void)
{
	LOAD(ANeuralNetworksMemory_createFromFd);
	static const float values[] = { 2, 3, 4, 5 };
	ANeuralNetworksMemory *memory;
	int file = temp_file(0), fd = descriptors_reopen(file, O_RDONLY);

	assert_int_equal(pwrite(file, values, sizeof(values), 20), sizeof(values));
	close(file);
	RT_OK(p_ANeuralNetworksMemory_createFromFd(20 + sizeof(values), PROT_READ, fd, 0, &memory));
	close(fd);
	return memory;
}

static ANeuralNetworksModel *model_of(ANeuralNetworksMemory *memory)
{
	LOAD(ANeuralNetworksModel_create);
	LOAD(ANeuralNetworksModel_addOperand);
	LOAD(ANeuralNetworksModel_setOperandValue);
	LOAD(ANeuralNetworksModel_setOperandValueFromMemory);
	LOAD(ANeuralNetworksModel_addOperation);
	LOAD(ANeuralNetworksModel_identifyInputsAndOutputs);
	LOAD(ANeuralNetworksModel_finish);
	const uint32_t dims[] = { 1, 4 }, in[] = { 0, 1, 2 }, io[] = { 0 }, out[] = { 3 };
	const ANeuralNetworksOperandType t = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, dims, 2);
	const ANeuralNetworksOperandType scalar = rt_type(ANEURALNETWORKS_INT32, NULL, 0);
	const int32_t relu = ANEURALNETWORKS_FUSED_RELU;
	ANeuralNetworksModel *model;

	RT_OK(p_ANeuralNetworksModel_create(&model));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &scalar));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(p_ANeuralNetworksModel_setOperandValueFromMemory(model, 1, memory, 20, 16));
	RT_OK(p_ANeuralNetworksModel_setOperandValue(model, 2, &relu, sizeof(relu)));
	RT_OK(p_ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_MUL, 3, in, 1, out));
	RT_OK(p_ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, io, 1, out));
	RT_OK(p_ANeuralNetworksModel_finish(model));
	return model;
}

TEST(test_inference)
{
	LOAD(ANeuralNetworksCompilation_create);
	LOAD(ANeuralNetworksCompilation_setPreference);
	LOAD(ANeuralNetworksCompilation_finish);
	LOAD(ANeuralNetworksCompilation_free);
	LOAD(ANeuralNetworksExecution_create);
	LOAD(ANeuralNetworksExecution_setInputFromMemory);
	LOAD(ANeuralNetworksExecution_setOutputFromMemory);
	LOAD(ANeuralNetworksExecution_startCompute);
	LOAD(ANeuralNetworksExecution_free);
	LOAD(ANeuralNetworksEvent_wait);
	LOAD(ANeuralNetworksEvent_free);
	LOAD(ANeuralNetworksMemory_createFromFd);
	LOAD(ANeuralNetworksMemory_free);
	LOAD(ANeuralNetworksModel_free);
	ANeuralNetworksMemory *constants = weights(), *in, *out;
	ANeuralNetworksModel *model = model_of(constants);
	ANeuralNetworksCompilation *compilation;
	void *in_map, *out_map;
	int in_fd = shared_memory(4096, &in_map), out_fd = shared_memory(4096, &out_map);

	RT_OK(p_ANeuralNetworksCompilation_create(model, &compilation));
	RT_OK(p_ANeuralNetworksCompilation_setPreference(compilation,
							 ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
	RT_OK(p_ANeuralNetworksCompilation_finish(compilation));
	RT_OK(p_ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, in_fd, 0, &in));
	RT_OK(p_ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, out_fd, 0, &out));
	for (int round = 0; round < 3; round++) {
		ANeuralNetworksExecution *execution;
		ANeuralNetworksEvent *event;

		for (int i = 0; i < 4; i++)
			((float *)in_map)[i] = (float)(i - 1 + round);
		RT_OK(p_ANeuralNetworksExecution_create(compilation, &execution));
		RT_OK(p_ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, in, 0, 16));
		RT_OK(p_ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, out, 0,
								     16));
		RT_OK(p_ANeuralNetworksExecution_startCompute(execution, &event));
		RT_OK(p_ANeuralNetworksEvent_wait(event));
		for (int i = 0; i < 4; i++) {
			const float product = (float)(i - 1 + round) * (float)(i + 2);

			assert_true(((float *)out_map)[i] == (product > 0 ? product : 0));
		}
		p_ANeuralNetworksEvent_free(event);
		p_ANeuralNetworksExecution_free(execution);
	}
	p_ANeuralNetworksMemory_free(in);
	p_ANeuralNetworksMemory_free(out);
	p_ANeuralNetworksCompilation_free(compilation);
	p_ANeuralNetworksModel_free(model);
	p_ANeuralNetworksMemory_free(constants);
	munmap(in_map, 4096);
	munmap(out_map, 4096);
	close(in_fd);
	close(out_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_inference),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
