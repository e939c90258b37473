// SPDX-License-Identifier: Apache-2.0
/*
 * NNAPI through the Support Library's table: differences from the API, and functions that only the
 * table has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rt_case.h"
#include "nnmodel.h"
#include "registry/nnr_registry.h"
#include "support_library/support_library.h"

static const NnApiSLDriverImplFL5 *sl(void)
{
	return (const NnApiSLDriverImplFL5 *)ANeuralNetworks_getSLDriverImpl();
}

static const NnApiSLDriverImplFL8 *sl8(void)
{
	return (const NnApiSLDriverImplFL8 *)ANeuralNetworks_getSLDriverImpl();
}

static ANeuralNetworksDevice *device(uint32_t index, const char *expected)
{
	ANeuralNetworksDevice *d = NULL;
	const char *name;

	RT_OK(sl()->ANeuralNetworks_getDevice(index, &d));
	RT_OK(sl()->ANeuralNetworksDevice_getName(d, &name));
	assert_string_equal(name, expected);
	return d;
}

TEST(devices_without_the_reference)
{
	ANeuralNetworksDevice *d;
	uint32_t count;

	RT_NULL(sl()->ANeuralNetworks_getDeviceCount(NULL));
	RT_NULL(sl()->ANeuralNetworks_getDevice(0, NULL));
	RT_OK(sl()->ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 2);
	assert_ptr_equal(device(0, "a"), rt_device("a"));
	device(1, "b");
	d = rt_device("a");
	RT_BAD_DATA(sl()->ANeuralNetworks_getDevice(2, &d));
	assert_null(d);
	RT_BAD_DATA(sl()->ANeuralNetworks_getDevice(UINT32_MAX, &d));
	/* behind the reference in the list */
	setenv("NNHAL_TEST_DEVICES", "name=late", 1);
	nnr_devices_rescan();
	RT_OK(sl()->ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 3);
	device(0, "a");
	device(2, "late");
	RT_OK(ANeuralNetworks_getDeviceCount(&count));
	assert_int_equal(count, 4);
	assert_int_equal(sl()->ANeuralNetworks_getRuntimeFeatureLevel(),
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
}

/*
 * A loader for levels 5 to 7, like TensorFlow Lite's: it refuses other tables, and uses the members
 * of its own level.
 */
static bool old_loader_takes(const NnApiSLDriverImpl *table)
{
	return table->implFeatureLevel == ANEURALNETWORKS_FEATURE_LEVEL_5 ||
	       table->implFeatureLevel == ANEURALNETWORKS_FEATURE_LEVEL_6 ||
	       table->implFeatureLevel == ANEURALNETWORKS_FEATURE_LEVEL_7;
}

static void expect_level(int64_t code, int64_t table_code)
{
	const NnApiSLDriverImpl *table = ANeuralNetworks_getSLDriverImpl();
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(2));
	const float x[] = { 1, 2 };
	float y[2] = { 0 };
	ANeuralNetworksCompilation *c;
	ANeuralNetworksExecution *e;
	int64_t level;

	assert_int_equal(table->implFeatureLevel, table_code);
	assert_int_equal(old_loader_takes(table), table_code < ANEURALNETWORKS_FEATURE_LEVEL_8);
	assert_int_equal(ANeuralNetworks_getRuntimeFeatureLevel(), code);
	assert_int_equal(sl()->ANeuralNetworks_getRuntimeFeatureLevel(), code);
	RT_OK(ANeuralNetworksDevice_getFeatureLevel(rt_device("new"), &level));
	assert_int_equal(level, code);
	RT_OK(ANeuralNetworksDevice_getFeatureLevel(rt_device("old"), &level));
	assert_int_equal(level, code < ANEURALNETWORKS_FEATURE_LEVEL_3
					? code
					: ANEURALNETWORKS_FEATURE_LEVEL_3);
	/* it says less and can do the same */
	c = rt_compile(model, "new", NULL);
	e = rt_execution(c);
	RT_OK(ANeuralNetworksExecution_setReusable(e, true));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, x, sizeof(x)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, x, sizeof(x)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, y, sizeof(y)));
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_true(y[0] == 2 && y[1] == 4);
	rt_free(e, c, model);
}

TEST(level_of_the_runtime)
{
	expect_level(ANEURALNETWORKS_FEATURE_LEVEL_8, ANEURALNETWORKS_FEATURE_LEVEL_8);
}

TEST(level_7_is_reported)
{
	expect_level(ANEURALNETWORKS_FEATURE_LEVEL_7, ANEURALNETWORKS_FEATURE_LEVEL_7);
}

/* No table is defined below 5. */
TEST(level_2_is_reported)
{
	expect_level(ANEURALNETWORKS_FEATURE_LEVEL_2, ANEURALNETWORKS_FEATURE_LEVEL_5);
}

TEST(level_of_the_file)
{
	temp_write(temp_path("conf"), "feature_level = 6\n", 18);
	setenv("NNAPI_CONFIG", temp_path("conf"), 1);
	expect_level(ANEURALNETWORKS_FEATURE_LEVEL_6, ANEURALNETWORKS_FEATURE_LEVEL_6);
}

TEST(extensions_whatever_the_allowlist_says)
{
	const uint32_t dims[] = { 2 }, in[] = { 0 }, out[] = { 1 };
	ANeuralNetworksModel *model, *other = rt_model();
	ANeuralNetworksOperandType t;
	int32_t type, operation;

	temp_write(temp_path("list"), "/data/other\n", 12);
	setenv("NNAPI_EXTENSION_ALLOWLIST", temp_path("list"), 1);
	RT_NULL(sl()->ANeuralNetworksModel_create(NULL));
	RT_OK(sl()->ANeuralNetworksModel_create(&model));
	RT_OK(sl()->ANeuralNetworksModel_getExtensionOperandType(model, "a.b", 0, &type));
	RT_OK(sl()->ANeuralNetworksModel_getExtensionOperationType(model, "a.b", 0, &operation));
	t = rt_type(type, dims, 1);
	RT_BAD_DATA(ANeuralNetworksModel_addOperand(other, &t));
	RT_OK(sl()->ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(sl()->ANeuralNetworksModel_addOperand(model, &t));
	RT_OK(sl()->ANeuralNetworksModel_addOperation(model, operation, 1, in, 1, out));
	sl()->ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(other);
}

TEST(numbers_of_cache_files)
{
	ANeuralNetworksDevice *d = device(0, "a");
	uint32_t model = 9, data = 9;

	RT_OK(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(d, &model, &data));
	assert_int_equal(model, 3);
	assert_int_equal(data, 1);
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(NULL, &model, &data));
	assert_int_equal(model, 0);
	assert_int_equal(data, 0);
	model = data = 9;
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(d, NULL, &data));
	assert_int_equal(data, 0);
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(d, &model, NULL));
	assert_int_equal(model, 0);
}

static void collect(SL_ANeuralNetworksOperandPerformanceInfo info, void *context)
{
	SL_ANeuralNetworksPerformanceInfo *all = context;

	assert_in_range(info.operandType, 0, NNMODEL_TYPE_COUNT - 1);
	all[info.operandType] = info.performanceInfo;
}

TEST(performance)
{
	SL_ANeuralNetworksPerformanceInfo info, all[NNMODEL_TYPE_COUNT] = { { 0 } };
	ANeuralNetworksDevice *d = device(0, "a");
	const float expected[] = { 2, 3, 4, 5 };

	for (int32_t kind = 0; kind < 4; kind++) {
		RT_OK(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(d, kind, &info));
		assert_true(info.execTime == expected[kind] && info.powerUsage == 0.5f);
	}
	RT_BAD_DATA(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(d, -1, &info));
	assert_true(info.execTime == 0 && info.powerUsage == 0);
	info.execTime = 1;
	RT_BAD_DATA(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(d, 4, &info));
	assert_true(info.execTime == 0);
	info.execTime = 1;
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(NULL, 0, &info));
	assert_true(info.execTime == 0);
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getPerformanceInfo(d, 0, NULL));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(NULL, all, collect));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(d, NULL, collect));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(d, all, NULL));
	RT_OK(sl()->SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(d, all, collect));
	for (int i = 0; i < NNMODEL_TYPE_COUNT; i++) {
		float time = i == NNMODEL_SUBGRAPH ? 0 : i == NNMODEL_TENSOR_FLOAT32 ? 7 : 1;

		assert_true(all[i].execTime == time);
	}
}

struct types {
	SL_ANeuralNetworksExtensionOperandTypeInformation info[4];
	uint32_t count;
};

static void collect_type(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *context)
{
	struct types *types = context;

	assert_true(types->count < 4);
	types->info[types->count++] = info;
}

TEST(vendor_extensions)
{
	ANeuralNetworksDevice *d = device(0, "a");
	struct types types = { .count = 0 };
	const char *name = "?";
	uint32_t count = 9;

	RT_NULL(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(NULL, &count));
	assert_int_equal(count, 0);
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(d, NULL));
	RT_OK(sl()->SL_ANeuralNetworksDevice_getVendorExtensionCount(d, &count));
	assert_int_equal(count, 2);
	RT_OK(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(d, 1, &name));
	assert_string_equal(name, "c.d");
	RT_BAD_DATA(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(d, 2, &name));
	assert_null(name);
	name = "?";
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(NULL, 0, &name));
	assert_null(name);
	RT_NULL(sl()->SL_ANeuralNetworksDevice_getVendorExtensionName(d, 0, NULL));
	RT_OK(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		d, 0, &types, collect_type));
	assert_int_equal(types.count, 2);
	assert_int_equal(types.info[0].type, 1);
	assert_int_equal(types.info[0].byteSize, 8);
	assert_false(types.info[0].isTensor);
	assert_int_equal(types.info[1].type, 7);
	assert_true(types.info[1].isTensor);
	types.count = 0;
	RT_OK(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		d, 1, &types, collect_type));
	assert_int_equal(types.count, 0);
	RT_BAD_DATA(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		d, 2, &types, collect_type));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		NULL, 0, &types, collect_type));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		d, 0, NULL, collect_type));
	RT_NULL(sl()->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		d, 0, &types, NULL));
}

static ANeuralNetworksCompilation *compilation(ANeuralNetworksModel *model)
{
	const ANeuralNetworksDevice *devices[] = { rt_device("a") };
	ANeuralNetworksCompilation *c;

	RT_OK(sl()->ANeuralNetworksCompilation_createForDevices(model, devices, 1, &c));
	return c;
}

TEST(caching_in_files)
{
	const uint8_t token[32] = "a token";
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *c;
	const char *calls = rt_empty_file("calls");
	int fds[2], bad[2];

	rt_devices("name=a,cache=1:1,count=%s", calls);
	model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	for (int i = 0; i < 2; i++)
		fds[i] = memfd_new(0);
	bad[0] = fds[0];
	bad[1] = -1;
	c = compilation(model);
	RT_NULL(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(NULL, fds, 1, fds + 1, 1,
								      token));
	RT_NULL(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, NULL, 1, fds + 1, 1,
								      token));
	RT_NULL(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, NULL, 1, token));
	RT_NULL(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, fds + 1, 1, NULL));
	RT_BAD_DATA(
		sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, bad, 2, NULL, 0, token));
	RT_BAD_DATA(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, bad + 1, 1,
									  token));
	/* the last call counts */
	RT_OK(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 2, NULL, 0, token));
	RT_OK(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, fds + 1, 1, token));
	RT_OK(sl()->ANeuralNetworksCompilation_finish(c));
	RT_BAD_STATE(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, fds + 1, 1,
									   token));
	sl()->ANeuralNetworksCompilation_free(c);
	assert_int_equal(lines_count(calls, "prepare_model ops=ADD"), 1);
	assert_int_equal(lines_count(calls, "model_cache=1 data_cache=1 token=1"), 1);
	/* the descriptors are still ours, and full */
	assert_true(lseek(fds[0], 0, SEEK_END) > 32 && lseek(fds[1], 0, SEEK_END) == 32);
	c = compilation(model);
	RT_OK(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 1, fds + 1, 1, token));
	RT_OK(sl()->ANeuralNetworksCompilation_finish(c));
	sl()->ANeuralNetworksCompilation_free(c);
	assert_int_equal(lines_count(calls, "prepare_model ops=ADD"), 1);
	assert_true(lines_count(calls, "prepare_model_from_cache") >= 1);
	/* not as many as the device needs: compiled without */
	c = compilation(model);
	RT_OK(sl()->SL_ANeuralNetworksCompilation_setCachingFromFds(c, fds, 2, NULL, 0, token));
	RT_OK(sl()->ANeuralNetworksCompilation_finish(c));
	sl()->ANeuralNetworksCompilation_free(c);
	assert_int_equal(lines_count(calls, "prepare_model ops=ADD"), 2);
	assert_int_equal(lines_count(calls, "model_cache=0 data_cache=0"), 1);
	ANeuralNetworksModel_free(model);
	close(fds[0]);
	close(fds[1]);
}

/* ---- diagnostics ---- */

struct heard {
	int compilations, executions;
	int32_t session, error;
	uint8_t hash[32];
	char ids[256];
	ANeuralNetworksDiagnosticDataClass in, out;
	ANeuralNetworksDiagnosticExecutionMode mode;
	uint64_t runtime_ns, driver_ns, hardware_ns;
	bool caching, control_flow, dynamic;
};

static void compilation_finished(const void *context,
				 const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	struct heard *h = (struct heard *)context;

	h->compilations++;
	h->session = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId(info);
	assert_int_equal(sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion(info),
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
	memcpy(h->hash, sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash(info),
	       32);
	snprintf(h->ids, sizeof(h->ids), "%s",
		 sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(info));
	h->error = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode(info);
	h->in = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass(info);
	h->out = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass(info);
	h->runtime_ns =
		sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(info);
	h->caching = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled(info);
	h->control_flow = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed(info);
	h->dynamic = sl()->SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed(info);
}

static void execution_finished(const void *context,
			       const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	struct heard *h = (struct heard *)context;

	h->executions++;
	h->session = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId(info);
	assert_int_equal(sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion(info),
			 ANEURALNETWORKS_FEATURE_LEVEL_8);
	memcpy(h->hash, sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(info), 32);
	snprintf(h->ids, sizeof(h->ids), "%s",
		 sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds(info));
	h->mode = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(info);
	h->error = (int32_t)sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode(info);
	h->in = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass(info);
	h->out = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass(info);
	h->runtime_ns =
		sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(info);
	h->driver_ns =
		sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(info);
	h->hardware_ns =
		sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos(info);
	h->caching = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled(info);
	h->control_flow = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed(info);
	h->dynamic = sl()->SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed(info);
}

TEST(compilations_are_reported)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksModel *other = rt_binary(ANEURALNETWORKS_MUL, RT_DIMS(4));
	const ANeuralNetworksDevice *devices[] = { rt_device("b"), rt_device("a") };
	const uint8_t token[32] = "t";
	ANeuralNetworksCompilation *c;
	struct heard h = { 0 };
	uint8_t hash[32];
	int32_t session;

	RT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &c));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(h.compilations, 0);
	sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(compilation_finished,
							     execution_finished, &h);
	RT_OK(ANeuralNetworksCompilation_createForDevices(model, devices, 2, &c));
	RT_OK(ANeuralNetworksCompilation_setCaching(c, temp_folder(), token));
	RT_OK(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(h.compilations, 1);
	assert_int_equal(h.error, ANEURALNETWORKS_NO_ERROR);
	assert_string_equal(h.ids, "a=1,b=2");
	assert_int_equal(h.in, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_int_equal(h.out, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_true(h.runtime_ns > 0 && h.runtime_ns < 60000000000ull);
	assert_true(h.caching);
	assert_false(h.control_flow || h.dynamic);
	memcpy(hash, h.hash, sizeof(hash));
	session = h.session;
	/* the same architecture has the same hash; another another */
	c = compilation(model);
	RT_OK(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksCompilation_free(c);
	assert_memory_equal(h.hash, hash, sizeof(hash));
	assert_int_equal(h.session, session);
	assert_false(h.caching);
	/* and failures are reported */
	c = compilation(other);
	RT_BAD_DATA(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(h.compilations, 3);
	assert_int_equal(h.error, ANEURALNETWORKS_BAD_DATA);
	assert_string_equal(h.ids, "a=1");
	assert_memory_not_equal(h.hash, hash, sizeof(hash));
	sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, NULL, NULL);
	c = compilation(model);
	RT_OK(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksCompilation_free(c);
	assert_int_equal(h.compilations, 3);
	ANeuralNetworksModel_free(model);
	ANeuralNetworksModel_free(other);
}

static ANeuralNetworksExecution *ready(ANeuralNetworksCompilation *c, float *out, bool measure)
{
	static const float a[] = { 1, 2, 3, 4 };
	ANeuralNetworksExecution *e = rt_execution(c);

	RT_OK(ANeuralNetworksExecution_setMeasureTiming(e, measure));
	RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
	RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(a)));
	return e;
}

TEST(executions_are_reported)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = rt_compile(model, "a", NULL);
	ANeuralNetworksExecution *e;
	ANeuralNetworksBurst *burst;
	ANeuralNetworksEvent *event;
	struct heard h = { 0 };
	float out[4];

	sl()->SL_ANeuralNetworksDiagnostic_registerCallbacks(NULL, execution_finished, &h);
	e = ready(c, out, true);
	RT_OK(ANeuralNetworksExecution_compute(e));
	assert_int_equal(h.executions, 1);
	assert_int_equal(h.mode, ANNDIAG_EXECUTION_MODE_SYNC);
	assert_int_equal(h.error, ANEURALNETWORKS_NO_ERROR);
	assert_string_equal(h.ids, "a=1");
	assert_true(h.driver_ns != UINT64_MAX && h.runtime_ns >= h.driver_ns);
	ANeuralNetworksExecution_free(e);

	e = ready(c, out, false);
	RT_OK(ANeuralNetworksBurst_create(c, &burst));
	RT_OK(ANeuralNetworksExecution_burstCompute(e, burst));
	assert_int_equal(h.executions, 2);
	assert_int_equal(h.mode, ANNDIAG_EXECUTION_MODE_BURST);
	assert_true(h.driver_ns == UINT64_MAX && h.hardware_ns == UINT64_MAX);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksExecution_free(e);

	e = ready(c, out, false);
	RT_OK(ANeuralNetworksExecution_startCompute(e, &event));
	RT_OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	assert_int_equal(h.executions, 3);
	assert_int_equal(h.mode, ANNDIAG_EXECUTION_MODE_ASYNC);
	ANeuralNetworksExecution_free(e);

	e = ready(c, out, false);
	RT_OK(ANeuralNetworksExecution_startComputeWithDependencies(e, NULL, 0, 0, &event));
	RT_OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	assert_int_equal(h.executions, 4);
	assert_int_equal(h.mode, ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS);
	assert_int_equal(h.in, ANNDIAG_DATA_CLASS_FLOAT32);
	assert_int_equal(h.compilations, 0);
	rt_free(e, c, model);
}

/* No function of level 8 behaves otherwise through the table. */
TEST(attributes)
{
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_ADD, RT_DIMS(4));
	ANeuralNetworksCompilation *c = compilation(model);

	RT_OK(sl8()->ANeuralNetworksCompilation_addExtensionAttribute(c, "a.b", 0, "x", 1));
	RT_BAD_DATA(sl8()->ANeuralNetworksCompilation_addExtensionAttribute(c, "a.b", 0, "x", 1));
	RT_NULL(sl8()->ANeuralNetworksExecution_addExtensionAttribute(NULL, "a.b", 0, "x", 1));
	rt_free(NULL, c, model);
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(devices_without_the_reference, "name=a name=b"),
		RT_CASE(level_of_the_runtime, "name=new name=old,level=3"),
		RT_CASE_ENV(level_7_is_reported, "name=new name=old,level=3",
			    "NNAPI_FEATURE_LEVEL=7"),
		RT_CASE_ENV(level_2_is_reported, "name=new name=old,level=3",
			    "NNAPI_FEATURE_LEVEL=2"),
		RT_CASE(level_of_the_file, "name=new name=old,level=3"),
		RT_CASE(extensions_whatever_the_allowlist_says, "name=a,ext=a.b/0:t4"),
		RT_CASE(numbers_of_cache_files, "name=a,cache=3:1"),
		RT_CASE(performance,
			"name=a,power=0.5,exec.RELAXED_SCALAR=2,exec.RELAXED_TENSOR=3,exec.IF=4,exec.WHILE=5,"
			"exec.TENSOR_FLOAT32=7"),
		RT_CASE(vendor_extensions, "name=a,ext=a.b/7:t4/1:s8+c.d"),
		RT_CASE(caching_in_files, NULL),
		RT_CASE(compilations_are_reported, "name=a,ops=ADD,cache=1:0 name=b,version=2"),
		RT_CASE(executions_are_reported, "name=a"),
		RT_CASE(attributes, "name=a"),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
