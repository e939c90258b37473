// SPDX-License-Identifier: Apache-2.0
/* NNAPI_LOG: which messages are written, and their text. */
#include <stdlib.h>
#include <unistd.h>

#include "rt_case.h"
#include "base/nnr_base.h"
#include "nnutil_log.h"
#include "NeuralNetworksSupportLibraryImpl.h"

/* One message of each level, a refused call, and a call that succeeds. */
static const char *say_all(void)
{
	ANeuralNetworksModel *model;

	rt_listen_begin();
	nnutil_log(NNUTIL_LOG_ERROR, "an error");
	nnutil_log(NNUTIL_LOG_WARNING, "a warning");
	nnutil_log(NNUTIL_LOG_INFO, "an info");
	nnutil_log(NNUTIL_LOG_DEBUG, "a detail");
	RT_NULL(ANeuralNetworksModel_create(NULL));
	RT_OK(ANeuralNetworksModel_create(&model));
	ANeuralNetworksModel_free(model);
	return rt_listen_end();
}

static void expect_levels(int error, int warning, int info, int detail)
{
	const char *log = say_all();

	assert_int_equal(lines_count(log, "nnapi: an error"), error);
	assert_int_equal(lines_count(log, "nnapi: a warning"), warning);
	assert_int_equal(lines_count(log, "nnapi: ANeuralNetworksModel_create: "),
			 warning + 2 * detail);
	assert_int_equal(lines_count(log, "nnapi: an info"), info);
	assert_int_equal(lines_count(log, "nnapi: a detail"), detail);
	/* each call, and how long it took */
	assert_int_equal(lines_count(log, " ms"), 3 * detail);
}

TEST(level_off)
{
	expect_levels(0, 0, 0, 0);
	assert_int_equal(lines_count(temp_path("log"), NULL), 0);
}

TEST(level_default)
{
	expect_levels(1, 0, 0, 0);
}

TEST(level_error)
{
	expect_levels(1, 0, 0, 0);
}

TEST(level_warning)
{
	expect_levels(1, 1, 0, 0);
}

TEST(level_info)
{
	expect_levels(1, 1, 1, 0);
}

TEST(level_debug)
{
	expect_levels(1, 1, 1, 1);
}

TEST(level_unknown)
{
	expect_levels(1, 0, 0, 0);
	assert_int_equal(lines_count(temp_path("log"), "NNAPI_LOG=\"verbose\" ignored"), 1);
}

TEST(settings_are_logged)
{
	static const char text[] = "step_ns = 5\n";

	temp_write(temp_path("conf"), text, sizeof(text) - 1);
	setenv("NNAPI_CONFIG", temp_path("conf"), 1);
	rt_listen_begin();
	nnr_config();
	rt_listen_end();
	assert_int_equal(lines_count(temp_path("log"), ":1: step_ns is \"5\""), 1);
	assert_int_equal(lines_count(temp_path("log"), "NNAPI_CPU_ONLY: cpu_only is \"yes\""), 1);
}

/* Lines of deeper rooms say which call they are about, on threads of the runtime too. */
TEST(lines_name_the_call)
{
	const float x[] = { 1, 2, 3, 4 };
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = rt_compile(model, "bad", NULL);
	ANeuralNetworksExecution *e[2] = { rt_execution(c), rt_execution(c) };
	ANeuralNetworksMemoryDesc *desc;
	ANeuralNetworksEvent *event;
	const char *log;
	float out[4];

	RT_OK(ANeuralNetworksMemoryDesc_create(&desc));
	for (int i = 0; i < 2; i++) {
		RT_OK(ANeuralNetworksExecution_setInput(e[i], 0, NULL, x, sizeof(x)));
		RT_OK(ANeuralNetworksExecution_setInput(e[i], 1, NULL, x, sizeof(x)));
		RT_OK(ANeuralNetworksExecution_setOutput(e[i], 0, NULL, out, sizeof(out)));
	}
	rt_listen_begin();
	assert_int_equal(ANeuralNetworksExecution_compute(e[0]), ANEURALNETWORKS_OP_FAILED);
	RT_OK(ANeuralNetworksExecution_startCompute(e[1], &event));
	assert_int_equal(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_OP_FAILED);
	RT_BAD_DATA(ANeuralNetworksMemoryDesc_addInputRole(desc, c, 7, 1.0f));
	log = rt_listen_end();
	/* the log shows an answer without a reason as such */
	assert_int_equal(
		lines_count(
			log,
			"nnapi: ANeuralNetworksExecution_compute: bad: execute: GENERAL_FAILURE: "
			"no reason given"),
		1);
	assert_int_equal(lines_count(log,
				     "nnapi: ANeuralNetworksExecution_startCompute: bad: execute: "
				     "GENERAL_FAILURE: no reason given"),
			 1);
	assert_int_equal(
		lines_count(log,
			    "nnapi: ANeuralNetworksMemoryDesc_addInputRole: input 7 does not exist"),
		1);
	assert_int_equal(lines_count(log, ": \n"), 0);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksExecution_free(e[0]);
	rt_free(e[1], c, model);
}

/* A function that refuses writes one line, and its name is in front. */
#define REFUSED(name, ...)                                                                \
	do {                                                                              \
		rt_listen_begin();                                                        \
		result = (int)name(__VA_ARGS__);                                          \
		rt_listen_end();                                                          \
		assert_int_not_equal(result, ANEURALNETWORKS_NO_ERROR);                   \
		assert_int_equal(lines_count(temp_path("log"), "nnapi: " #name ": "), 1); \
		assert_int_equal(lines_count(temp_path("log"), NULL), 1);                 \
	} while (0)

TEST(every_refusal_has_a_line)
{
	ANeuralNetworksModel *model = rt_model();
	ANeuralNetworksMemory *memory;
	ANeuralNetworksEvent *event;
	ANeuralNetworksBurst *burst;
	int result;

	REFUSED(ANeuralNetworks_getDeviceCount, NULL);
	REFUSED(ANeuralNetworks_getDevice, 0, NULL);
	REFUSED(ANeuralNetworksDevice_getName, NULL, NULL);
	REFUSED(ANeuralNetworksDevice_getVersion, NULL, NULL);
	REFUSED(ANeuralNetworksDevice_getType, NULL, NULL);
	REFUSED(ANeuralNetworksDevice_getFeatureLevel, NULL, NULL);
	REFUSED(ANeuralNetworksDevice_wait, NULL);
	REFUSED(ANeuralNetworksDevice_getExtensionSupport, NULL, NULL, NULL);
	REFUSED(ANeuralNetworksModel_getSupportedOperationsForDevices, NULL, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_create, NULL);
	REFUSED(ANeuralNetworksModel_finish, NULL);
	REFUSED(ANeuralNetworksModel_finish, model);
	REFUSED(ANeuralNetworksModel_addOperand, NULL, NULL);
	REFUSED(ANeuralNetworksModel_setOperandValue, NULL, 0, NULL, 0);
	REFUSED(ANeuralNetworksModel_setOperandValueFromMemory, NULL, 0, NULL, 0, 0);
	REFUSED(ANeuralNetworksModel_setOperandValueFromModel, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_setOperandExtensionData, NULL, 0, NULL, 0);
	REFUSED(ANeuralNetworksModel_addOperation, NULL, 0, 0, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_identifyInputsAndOutputs, NULL, 0, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_relaxComputationFloat32toFloat16, NULL, true);
	REFUSED(ANeuralNetworksModel_getExtensionOperandType, NULL, NULL, 0, NULL);
	REFUSED(ANeuralNetworksModel_getExtensionOperationType, NULL, NULL, 0, NULL);
	REFUSED(ANeuralNetworksCompilation_create, NULL, NULL);
	REFUSED(ANeuralNetworksCompilation_createForDevices, NULL, NULL, 0, NULL);
	REFUSED(ANeuralNetworksCompilation_setPreference, NULL, 0);
	REFUSED(ANeuralNetworksCompilation_setCaching, NULL, NULL, NULL);
	REFUSED(ANeuralNetworksCompilation_setPriority, NULL, 0);
	REFUSED(ANeuralNetworksCompilation_setTimeout, NULL, 0);
	REFUSED(ANeuralNetworksCompilation_addExtensionAttribute, NULL, NULL, 0, NULL, 0);
	REFUSED(ANeuralNetworksCompilation_finish, NULL);
	REFUSED(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput, NULL, 0, NULL);
	REFUSED(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput, NULL, 0, NULL);
	REFUSED(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput, NULL, 0, NULL);
	REFUSED(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput, NULL, 0, NULL);
	REFUSED(ANeuralNetworksMemory_createFromFd, 1, 0, -1, 0, NULL);
	REFUSED(ANeuralNetworksMemory_createFromFd, 1, 0, -1, 0, &memory);
	REFUSED(ANeuralNetworksMemory_createFromAHardwareBuffer, NULL, NULL);
	REFUSED(ANeuralNetworksMemory_createFromAHardwareBuffer, (AHardwareBuffer *)model, &memory);
	REFUSED(ANeuralNetworksMemory_createFromDesc, NULL, NULL);
	REFUSED(ANeuralNetworksMemory_copy, NULL, NULL);
	REFUSED(ANeuralNetworksMemoryDesc_create, NULL);
	REFUSED(ANeuralNetworksMemoryDesc_addInputRole, NULL, NULL, 0, 1.0f);
	REFUSED(ANeuralNetworksMemoryDesc_addOutputRole, NULL, NULL, 0, 1.0f);
	REFUSED(ANeuralNetworksMemoryDesc_setDimensions, NULL, 0, NULL);
	REFUSED(ANeuralNetworksMemoryDesc_finish, NULL);
	REFUSED(ANeuralNetworksExecution_create, NULL, NULL);
	REFUSED(ANeuralNetworksExecution_setInput, NULL, 0, NULL, NULL, 0);
	REFUSED(ANeuralNetworksExecution_setInputFromMemory, NULL, 0, NULL, NULL, 0, 0);
	REFUSED(ANeuralNetworksExecution_setOutput, NULL, 0, NULL, NULL, 0);
	REFUSED(ANeuralNetworksExecution_setOutputFromMemory, NULL, 0, NULL, NULL, 0, 0);
	REFUSED(ANeuralNetworksExecution_setReusable, NULL, true);
	REFUSED(ANeuralNetworksExecution_enableInputAndOutputPadding, NULL, true);
	REFUSED(ANeuralNetworksExecution_setMeasureTiming, NULL, true);
	REFUSED(ANeuralNetworksExecution_setTimeout, NULL, 0);
	REFUSED(ANeuralNetworksExecution_setLoopTimeout, NULL, 0);
	REFUSED(ANeuralNetworksExecution_addExtensionAttribute, NULL, NULL, 0, NULL, 0);
	REFUSED(ANeuralNetworksExecution_compute, NULL);
	REFUSED(ANeuralNetworksExecution_startCompute, NULL, NULL);
	REFUSED(ANeuralNetworksExecution_startCompute, NULL, &event);
	REFUSED(ANeuralNetworksExecution_burstCompute, NULL, NULL);
	REFUSED(ANeuralNetworksExecution_startComputeWithDependencies, NULL, NULL, 0, 0, NULL);
	REFUSED(ANeuralNetworksExecution_getOutputOperandRank, NULL, 0, NULL);
	REFUSED(ANeuralNetworksExecution_getOutputOperandDimensions, NULL, 0, NULL);
	REFUSED(ANeuralNetworksExecution_getDuration, NULL, 0, NULL);
	REFUSED(ANeuralNetworksBurst_create, NULL, NULL);
	REFUSED(ANeuralNetworksBurst_create, NULL, &burst);
	REFUSED(ANeuralNetworksEvent_wait, NULL);
	REFUSED(ANeuralNetworksEvent_createFromSyncFenceFd, -1, &event);
	REFUSED(ANeuralNetworksEvent_getSyncFenceFd, NULL, NULL);
	ANeuralNetworksModel_free(model);
}

/* Those that only the Support Library's table has. */
#define SL_REFUSED(name, ...)                                                                    \
	do {                                                                                     \
		__typeof__(((const NnApiSLDriverImplFL5 *)0)->name) name =                       \
			((const NnApiSLDriverImplFL5 *)ANeuralNetworks_getSLDriverImpl())->name; \
		REFUSED(name, __VA_ARGS__);                                                      \
	} while (0)

TEST(every_refusal_of_the_table_has_a_line)
{
	ANeuralNetworksDevice *device = rt_device("a");
	SL_ANeuralNetworksPerformanceInfo info;
	const char *name;
	int result;

	SL_REFUSED(SL_ANeuralNetworksCompilation_setCachingFromFds, NULL, NULL, 0, NULL, 0, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded, NULL, NULL, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getPerformanceInfo, NULL, 0, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getPerformanceInfo, device, 99, &info);
	SL_REFUSED(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo, NULL, NULL, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getVendorExtensionCount, NULL, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getVendorExtensionName, NULL, 0, NULL);
	SL_REFUSED(SL_ANeuralNetworksDevice_getVendorExtensionName, device, 7, &name);
	SL_REFUSED(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation, NULL, 0,
		   NULL, NULL);
}

TEST(reasons_of_preparing)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	const ANeuralNetworksDevice *device = rt_device("bad");
	ANeuralNetworksCompilation *c;
	const char *log;

	RT_OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	rt_listen_begin();
	assert_int_equal(ANeuralNetworksCompilation_finish(c), ANEURALNETWORKS_OP_FAILED);
	log = rt_listen_end();
	assert_true(lines_count(log, "GENERAL_FAILURE") > 0);
	assert_int_equal(lines_count(log, ": \n"), 0);
	rt_free(NULL, c, model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE_ENV(level_off, NULL, "NNAPI_LOG=off"),
		RT_CASE_ENV(level_default, NULL, "NNAPI_LOG"),
		RT_CASE_ENV(level_error, NULL, "NNAPI_LOG=error"),
		RT_CASE_ENV(level_warning, NULL, "NNAPI_LOG=warning"),
		RT_CASE_ENV(level_info, NULL, "NNAPI_LOG=info"),
		RT_CASE_ENV(level_debug, NULL, "NNAPI_LOG=debug"),
		RT_CASE_ENV(level_unknown, NULL, "NNAPI_LOG=verbose"),
		RT_CASE_ENV(settings_are_logged, NULL, "NNAPI_LOG=debug", "NNAPI_CPU_ONLY=yes"),
		RT_CASE_ENV(lines_name_the_call, "name=bad,fail=execute:GENERAL_FAILURE",
			    "NNAPI_LOG=warning"),
		RT_CASE_ENV(every_refusal_has_a_line, "name=a", "NNAPI_LOG=warning"),
		RT_CASE_ENV(every_refusal_of_the_table_has_a_line, "name=a", "NNAPI_LOG=warning"),
		RT_CASE_ENV(reasons_of_preparing, "name=bad,fail=prepare:GENERAL_FAILURE",
			    "NNAPI_LOG=warning"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
