// SPDX-License-Identifier: Apache-2.0
/*
 * What is left when an application has freed its objects: Documentation/manners.rst has the bounds.
 * Everything runs on large arguments, by pointer and in memory objects, many at a time; then all is
 * freed, and the process must shrink to what it was. Memory of files counts for the whole system,
 * with that of other processes: RT_LEFT_SYSTEM=1 checks it, in a guest of our own.
 */
#include "rt_test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eventually.h"
#include "lines.h"

#define ELEMENTS (4u << 20)
#define BYTES (ELEMENTS * sizeof(float))
#define AT_ONCE 60
/* The permanent rest: allocators, thread stacks, page tables of files. */
#define SLACK_KIB (8 * 1024)

static ANeuralNetworksModel *model;
static ANeuralNetworksDevice *device;
static float *a, *out;

/*
 * Memory of the process, and (system-wide) of files that are no longer mapped but held by a device.
 */
static long used_kib(void)
{
	long kib = lines_number("/proc/self/status", "VmRSS:");

	if (getenv("RT_LEFT_SYSTEM"))
		kib += lines_number("/proc/meminfo", "Shmem:");
	return kib;
}

static ANeuralNetworksCompilation *compile(void)
{
	const ANeuralNetworksDevice *one = device;
	ANeuralNetworksCompilation *compilation;

	RT_OK(ANeuralNetworksCompilation_createForDevices(model, &one, 1, &compilation));
	RT_OK(ANeuralNetworksCompilation_finish(compilation));
	return compilation;
}

/* One argument each: a + a. */
static void by_pointer(ANeuralNetworksCompilation *compilation)
{
	ANeuralNetworksExecution *executions[AT_ONCE];
	ANeuralNetworksEvent *events[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++) {
		RT_OK(ANeuralNetworksExecution_create(compilation, &executions[i]));
		RT_OK(ANeuralNetworksExecution_setInput(executions[i], 0, NULL, a, BYTES));
		RT_OK(ANeuralNetworksExecution_setInput(executions[i], 1, NULL, a, BYTES));
		RT_OK(ANeuralNetworksExecution_setOutput(executions[i], 0, NULL, out, BYTES));
		RT_OK(ANeuralNetworksExecution_startCompute(executions[i], &events[i]));
		/* some at a time: the machine need not have room for all */
		if (i >= 8)
			RT_OK(ANeuralNetworksEvent_wait(events[i - 8]));
	}
	for (int i = 0; i < AT_ONCE; i++) {
		RT_OK(ANeuralNetworksEvent_wait(events[i]));
		ANeuralNetworksEvent_free(events[i]);
		ANeuralNetworksExecution_free(executions[i]);
	}
}

static void in_memory(ANeuralNetworksCompilation *compilation)
{
	ANeuralNetworksBurst *burst;

	RT_OK(ANeuralNetworksBurst_create(compilation, &burst));
	for (int i = 0; i < AT_ONCE; i++) {
		ANeuralNetworksExecution *execution;
		ANeuralNetworksMemory *memory;
		int fd = memfd_sealed(2 * BYTES, F_SEAL_SHRINK);

		RT_OK(ANeuralNetworksMemory_createFromFd(2 * BYTES, PROT_READ | PROT_WRITE, fd, 0,
							 &memory));
		close(fd);
		RT_OK(ANeuralNetworksExecution_create(compilation, &execution));
		RT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory, 0,
								  BYTES));
		RT_OK(ANeuralNetworksExecution_setInputFromMemory(execution, 1, NULL, memory, 0,
								  BYTES));
		RT_OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory,
								   BYTES, BYTES));
		RT_OK(i % 2 ? ANeuralNetworksExecution_compute(execution)
			    : ANeuralNetworksExecution_burstCompute(execution, burst));
		ANeuralNetworksExecution_free(execution);
		ANeuralNetworksMemory_free(memory);
	}
	ANeuralNetworksBurst_free(burst);
}

/* The memory in use once it is no more than @enough; a thread may take its time to return it. */
static long used_soon(long enough)
{
	long kib;

	EVENTUALLY((kib = used_kib()) <= enough);
	return kib;
}

static void check_left(const char *what, void (*use)(ANeuralNetworksCompilation *))
{
	ANeuralNetworksCompilation *compilation = compile();
	long before, at_once, soon;
	const char *name;

	/* the libraries and threads of a first use are not counted */
	ANeuralNetworksCompilation_free(compilation);
	before = used_kib();
	compilation = compile();
	use(compilation);
	ANeuralNetworksCompilation_free(compilation);
	at_once = used_kib();
	soon = used_soon(before + SLACK_KIB);
	RT_OK(ANeuralNetworksDevice_getName(device, &name));
	print_message("%s, %s: %.1f MiB are left at once, %.1f MiB soon\n", name, what,
		      (double)(at_once - before) / 1024, (double)(soon - before) / 1024);
	if (soon > before + SLACK_KIB)
		fail_msg("%.1f MiB stay", (double)(soon - before) / 1024);
}

TEST(test_left)
{
	const char *wanted = getenv("RT_LEFT_DEVICE"), *name;
	uint32_t count;

	/* of the application, all the time */
	a = malloc(BYTES);
	out = malloc(BYTES);
	memset(a, 1, BYTES);
	memset(out, 1, BYTES);
	model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(ELEMENTS));
	RT_OK(ANeuralNetworks_getDeviceCount(&count));
	for (uint32_t i = 0; i < count; i++) {
		RT_OK(ANeuralNetworks_getDevice(i, &device));
		RT_OK(ANeuralNetworksDevice_getName(device, &name));
		if (wanted && strcmp(wanted, name))
			continue;
		check_left("by pointer", by_pointer);
		check_left("in memory", in_memory);
	}
	ANeuralNetworksModel_free(model);
	free(a);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_left) };

	return cmocka_run_group_tests_name("rt-left", tests, NULL, NULL);
}
