// SPDX-License-Identifier: Apache-2.0
/*
 * A process that uses OpenBLAS itself keeps its number of threads and its own shutdown. The library
 * is opened by name, as the application's OpenBLAS is, each in a fresh process.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rt_test.h"

#define UNITS 1024u
#define SHORT 64u /* rows */
#define LONG 16384u /* 34 G operations: some seconds */

static void *library;

static void *symbol(void *of, const char *name)
{
	void *found = dlsym(of, name);

	if (!found)
		fail_msg("%s is missing", name);
	return found;
}

#define LOAD(name) __typeof__(&name) p_##name = (__typeof__(&name))symbol(library, #name)

static void open_library(void)
{
	library = dlopen("libneuralnetworks.so", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
}

/* FULLY_CONNECTED of @rows rows of UNITS ones by ones; an execution that has its buffers. */
static ANeuralNetworksExecution *fully_connected(uint32_t rows, float **out)
{
	LOAD(ANeuralNetworksModel_create);
	LOAD(ANeuralNetworksModel_addOperand);
	LOAD(ANeuralNetworksModel_setOperandValue);
	LOAD(ANeuralNetworksModel_addOperation);
	LOAD(ANeuralNetworksModel_identifyInputsAndOutputs);
	LOAD(ANeuralNetworksModel_finish);
	LOAD(ANeuralNetworksCompilation_create);
	LOAD(ANeuralNetworksCompilation_finish);
	LOAD(ANeuralNetworksExecution_create);
	LOAD(ANeuralNetworksExecution_setInput);
	LOAD(ANeuralNetworksExecution_setOutput);
	const uint32_t x_dims[] = { rows, UNITS }, w_dims[] = { UNITS, UNITS },
		       b_dims[] = { UNITS };
	const uint32_t in[] = { 0, 1, 2, 3 }, io[] = { 0 }, outs[] = { 4 };
	const ANeuralNetworksOperandType x = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, x_dims, 2);
	const ANeuralNetworksOperandType w = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, w_dims, 2);
	const ANeuralNetworksOperandType b = rt_type(ANEURALNETWORKS_TENSOR_FLOAT32, b_dims, 1);
	const ANeuralNetworksOperandType scalar = rt_type(ANEURALNETWORKS_INT32, NULL, 0);
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	float *weights = malloc(UNITS * UNITS * sizeof(float)),
	      *bias = calloc(UNITS, sizeof(float));
	float *image = malloc(rows * UNITS * sizeof(float));
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;

	*out = malloc(rows * UNITS * sizeof(float));
	assert_true(weights && bias && image && *out);
	for (uint32_t i = 0; i < UNITS * UNITS; i++)
		weights[i] = 1;
	for (uint32_t i = 0; i < rows * UNITS; i++)
		image[i] = 1;
	RT_OK(p_ANeuralNetworksModel_create(&model));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &x));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &w));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &b));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &scalar));
	RT_OK(p_ANeuralNetworksModel_addOperand(model, &x));
	RT_OK(p_ANeuralNetworksModel_setOperandValue(model, 1, weights,
						     UNITS * UNITS * sizeof(float)));
	RT_OK(p_ANeuralNetworksModel_setOperandValue(model, 2, bias, UNITS * sizeof(float)));
	RT_OK(p_ANeuralNetworksModel_setOperandValue(model, 3, &none, sizeof(none)));
	RT_OK(p_ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, 1,
						  outs));
	RT_OK(p_ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, io, 1, outs));
	RT_OK(p_ANeuralNetworksModel_finish(model));
	RT_OK(p_ANeuralNetworksCompilation_create(model, &compilation));
	RT_OK(p_ANeuralNetworksCompilation_finish(compilation));
	RT_OK(p_ANeuralNetworksExecution_create(compilation, &execution));
	RT_OK(p_ANeuralNetworksExecution_setInput(execution, 0, NULL, image,
						  rows * UNITS * sizeof(float)));
	RT_OK(p_ANeuralNetworksExecution_setOutput(execution, 0, NULL, *out,
						   rows * UNITS * sizeof(float)));
	return execution;
}

/* For LeakSanitizer: the processes here end while a device computes, on purpose. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

/*
 * @run in a process of its own, which must exit with 0. Output of cmocka's assertions ends there.
 */
static void in_child(void (*run)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		run();
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSIGNALED(status))
		fail_msg("the process ended by signal %d", WTERMSIG(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void keep_threads(void)
{
	void *blas = dlopen(OPENBLAS_PTHREAD, RTLD_NOW | RTLD_GLOBAL);
	void (*set)(int);
	int (*get)(void);
	uint32_t devices = 0;
	float *out;

	if (!blas)
		fail_msg("%s (Debian: libopenblas0-pthread, which make bootstrap installs)",
			 dlerror());
	set = (void (*)(int))symbol(blas, "openblas_set_num_threads");
	get = (int (*)(void))symbol(blas, "openblas_get_num_threads");
	set(4);
	assert_int_equal(get(), 4);
	open_library();
	{
		LOAD(ANeuralNetworks_getDeviceCount);
		LOAD(ANeuralNetworksExecution_compute);
		ANeuralNetworksExecution *execution;

		RT_OK(p_ANeuralNetworks_getDeviceCount(&devices));
		assert_true(devices > 0);
		assert_int_equal(get(), 4);
		execution = fully_connected(SHORT, &out);
		RT_OK(p_ANeuralNetworksExecution_compute(execution));
		for (uint32_t i = 0; i < SHORT * UNITS; i++)
			assert_true(out[i] == (float)UNITS);
	}
	assert_int_equal(get(), 4);
}

static void test_threads(void **state)
{
	(void)state;
	in_child(keep_threads);
}

/*
 * The process ends while a device computes: OpenBLAS's destructor would free buffers that are in
 * use.
 */
static void end_while_computing(void)
{
	float *out;

	open_library();
	LOAD(ANeuralNetworksExecution_startCompute);
	ANeuralNetworksEvent *event;

	RT_OK(p_ANeuralNetworksExecution_startCompute(fully_connected(LONG, &out), &event));
	/* no event says that the device computes; LONG takes seconds */
	nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
}

static void test_end(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		in_child(end_while_computing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
