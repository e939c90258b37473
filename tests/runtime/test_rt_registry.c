// SPDX-License-Identifier: Apache-2.0
/* Devices: the list, its order, their properties, and devices that are left out silently. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnaccel_runtime.h"
#include "rt_case.h"
#include "registry/nnr_registry.h"

#define NAMES_SIZE 1024

/* The names of all devices, each followed by a blank. */
static const char *names(void)
{
	static char list[NAMES_SIZE];
	ANeuralNetworksDevice *device;
	const char *name;
	uint32_t count;

	list[0] = '\0';
	assert_int_equal(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
		assert_int_equal(ANeuralNetworksDevice_getName(device, &name),
				 ANEURALNETWORKS_NO_ERROR);
		assert_true(strlen(list) + strlen(name) + 2 < sizeof(list));
		strcat(strcat(list, name), " ");
	}
	return list;
}

TEST(functions_check_their_pointers)
{
	ANeuralNetworksDevice *device = rt_device("a"), *none;
	int64_t level;
	uint32_t count;
	const char *text;
	int32_t type;

	assert_int_equal(ANeuralNetworks_getDeviceCount(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworks_getDevice(0, NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
	none = device;
	assert_int_equal(ANeuralNetworks_getDevice(count, &none), ANEURALNETWORKS_BAD_DATA);
	assert_null(none);
	none = device;
	assert_int_equal(ANeuralNetworks_getDevice(UINT32_MAX, &none), ANEURALNETWORKS_BAD_DATA);
	assert_null(none);
	assert_int_equal(ANeuralNetworksDevice_getName(NULL, &text),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getName(device, NULL),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getVersion(NULL, &text),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getVersion(device, NULL),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getType(NULL, &type),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getType(device, NULL),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getFeatureLevel(NULL, &level),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_getFeatureLevel(device, NULL),
			 ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_wait(NULL), ANEURALNETWORKS_UNEXPECTED_NULL);
	assert_int_equal(ANeuralNetworksDevice_wait(device), ANEURALNETWORKS_NO_ERROR);
}

TEST(the_runtime_is_of_level_8)
{
	assert_int_equal(ANeuralNetworks_getRuntimeFeatureLevel(), ANEURALNETWORKS_FEATURE_LEVEL_8);
	assert_int_equal(ANeuralNetworks_getRuntimeFeatureLevel(), 1000008);
	assert_int_equal(ANeuralNetworks_getDefaultLoopTimeout(), 2000000000ull);
	assert_int_equal(ANeuralNetworks_getMaximumLoopTimeout(), 15000000000ull);
}

TEST(devices_say_what_they_are)
{
	static const struct {
		const char *name, *version;
		int32_t type;
		int64_t level;
	} expected[] = {
		{ "one", "1.0-a", ANEURALNETWORKS_DEVICE_GPU, 27 },
		{ "two", "1", ANEURALNETWORKS_DEVICE_CPU, 28 },
		{ "three", "1", ANEURALNETWORKS_DEVICE_OTHER, 29 },
		{ "four", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 30 },
		{ "five", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 31 },
		{ "six", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 1000006 },
		{ "seven", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 1000007 },
		{ "eight", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 1000008 },
		{ "nine", "1", ANEURALNETWORKS_DEVICE_ACCELERATOR, 1000008 },
	};
	ANeuralNetworksDevice *device, *again;
	const char *text;
	int64_t level;
	int32_t type;

	for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(ANeuralNetworks_getDevice(i, &device), ANEURALNETWORKS_NO_ERROR);
		assert_int_equal(ANeuralNetworksDevice_getName(device, &text),
				 ANEURALNETWORKS_NO_ERROR);
		assert_string_equal(text, expected[i].name);
		assert_int_equal(ANeuralNetworksDevice_getVersion(device, &text),
				 ANEURALNETWORKS_NO_ERROR);
		assert_string_equal(text, expected[i].version);
		assert_int_equal(ANeuralNetworksDevice_getType(device, &type),
				 ANEURALNETWORKS_NO_ERROR);
		assert_int_equal(type, expected[i].type);
		assert_int_equal(ANeuralNetworksDevice_getFeatureLevel(device, &level),
				 ANEURALNETWORKS_NO_ERROR);
		assert_int_equal(level, expected[i].level);
		assert_true(level <= ANeuralNetworks_getRuntimeFeatureLevel());
		assert_int_equal(ANeuralNetworks_getDevice(i, &again), ANEURALNETWORKS_NO_ERROR);
		assert_ptr_equal(again, device);
	}
}

TEST(the_reference_is_last)
{
	ANeuralNetworksDevice *device;
	const char *version;
	int64_t level;
	uint32_t count;
	int32_t type;

	assert_string_equal(names(), "b a nnapi-reference ");
	assert_int_equal(ANeuralNetworks_getDeviceCount(&count), ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(ANeuralNetworks_getDevice(count - 1, &device), ANEURALNETWORKS_NO_ERROR);
	assert_ptr_equal(device, nnr_reference_device());
	assert_int_equal(ANeuralNetworksDevice_getType(device, &type), ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(type, ANEURALNETWORKS_DEVICE_CPU);
	assert_int_equal(ANeuralNetworksDevice_getVersion(device, &version),
			 ANEURALNETWORKS_NO_ERROR);
	assert_true(strlen(version) > 0);
	assert_int_equal(ANeuralNetworksDevice_getFeatureLevel(device, &level),
			 ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(level, ANeuralNetworks_getRuntimeFeatureLevel());
	assert_int_equal(ANeuralNetworksDevice_wait(device), ANEURALNETWORKS_NO_ERROR);
	assert_true(device->is_reference);
	assert_int_equal(device->num_model_cache + device->num_data_cache + device->num_extensions,
			 0);
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++) {
		assert_true(device->capabilities.operand[i].exec_time == 1.0f);
		assert_true(device->capabilities.operand[i].power_usage == 1.0f);
	}
	assert_true(device->capabilities.relaxed_tensor.exec_time == 1.0f);
	assert_true(device->capabilities.while_performance.power_usage == 1.0f);
}

TEST(capabilities_are_the_devices)
{
	const ANeuralNetworksDevice *device = rt_device("a");

	assert_true(device->capabilities.operand[NNMODEL_TENSOR_FLOAT32].exec_time == 0.25f);
	assert_true(device->capabilities.operand[NNMODEL_TENSOR_INT32].exec_time == 0.5f);
	assert_true(device->capabilities.operand[NNMODEL_TENSOR_INT32].power_usage == 2.0f);
	assert_true(device->capabilities.if_performance.exec_time == 3.0f);
	assert_int_equal(device->num_model_cache, 2);
	assert_int_equal(device->num_data_cache, 32);
}

/* Devices that fail a query or report impossible values are left out; the others stay. */
TEST(invalid_devices_are_absent)
{
	assert_string_equal(names(), "good nnapi-reference ");
}

TEST(names_are_unique)
{
	assert_string_equal(names(), "a a-2 nnapi-reference-2 a-3 nnapi-reference ");
}

TEST(only_the_cpu)
{
	assert_string_equal(names(), "nnapi-reference ");
}

TEST(without_vendor_libraries)
{
	assert_string_equal(names(), "nnapi-reference ");
}

/*
 * Workers without libnnipc: there is no vendor device, and the log has the reason; the library is
 * not loaded into the process instead.
 */
TEST(isolation_needs_libnnipc)
{
	const char *log;

	rt_listen_begin();
	assert_string_equal(names(), "nnapi-reference ");
	log = rt_listen_end();
	assert_true(lines_count(log, "/nonexistent/libnnipc.so.1") > 0);
	assert_true(lines_count(log, "Install it, or set NNACCEL_IPC") > 0);
	assert_int_equal(lines_count("/proc/self/maps", "libnnhal-testdev"), 0);
}

TEST(devices_are_chosen_and_ordered)
{
	assert_string_equal(names(), "c a2 a1 nnapi-reference ");
}

TEST(devices_are_excluded)
{
	assert_string_equal(names(), "b nnapi-reference ");
}

/* The same for a library that opens devices none of which can be used. */
TEST(broken_libraries_are_left_out)
{
	assert_string_equal(names(), "nnapi-reference ");
}

/* The choice that the vendor library got is in the environment (plugin/library.c). */
TEST(amx_is_the_default)
{
	rt_device("a");
	assert_null(getenv("NNHAL_TEST_AMX"));
	RT_OK(nnaccelRuntime_setAmx(true));
	RT_BAD_STATE(nnaccelRuntime_setAmx(false));
}

TEST(a_program_forbids_amx)
{
	RT_OK(nnaccelRuntime_setAmx(true));
	RT_OK(nnaccelRuntime_setAmx(false));
	rt_device("a");
	assert_string_equal(getenv("NNHAL_TEST_AMX"), "no");
	RT_OK(nnaccelRuntime_setAmx(false));
	RT_BAD_STATE(nnaccelRuntime_setAmx(true));
}

TEST(the_environment_forbids_amx)
{
	rt_device("a");
	assert_string_equal(getenv("NNHAL_TEST_AMX"), "no");
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE(functions_check_their_pointers, "name=a"),
		RT_CASE(the_runtime_is_of_level_8, NULL),
		RT_CASE(devices_say_what_they_are,
			"name=one,version=1.0-a,type=gpu,level=1 name=two,type=cpu,level=2 "
			"name=three,type=other,level=3 name=four,level=4 name=five,level=5 name=six,level=6 name=seven,level=7 name=eight "
			"name=nine,level=9"),
		RT_CASE(the_reference_is_last, "name=b name=a"),
		RT_CASE(capabilities_are_the_devices,
			"name=a,exec=0.5,power=2,exec.TENSOR_FLOAT32=0.25,exec.IF=3,cache=2:32"),
		RT_CASE(invalid_devices_are_absent,
			"name=c,fail=capabilities:GENERAL_FAILURE name=e,fail=extensions:GENERAL_FAILURE "
			"name=f,fail=cache_files:GENERAL_FAILURE name=m,cache=33:0 name=d,cache=0:33 name=t,type=-1 "
			"name=u,type=0 name=v,type=5 name=p,exec=0 name=n,exec.TENSOR_INT32=nan "
			"name=q,power.WHILE=-1 name=x,ext=NoDots name=y,ext=Upper.Case name=z,ext=a.b+a.b "
			"name=w,ext=a.b/3:t4/3:s4 name=good name="),
		RT_CASE(names_are_unique,
			"name=a name=a,version=2 name=nnapi-reference name=a,version=3"),
		RT_CASE_ENV(amx_is_the_default, "name=a", "NNACCEL_AMX", "NNAPI_ISOLATION=none"),
		RT_CASE_ENV(a_program_forbids_amx, "name=a", "NNACCEL_AMX", "NNAPI_ISOLATION=none"),
		RT_CASE_ENV(the_environment_forbids_amx, "name=a", "NNACCEL_AMX=0",
			    "NNAPI_ISOLATION=none"),
		RT_CASE_ENV(only_the_cpu, "name=a", "NNAPI_CPU_ONLY=1"),
		RT_CASE_ENV(without_vendor_libraries, "name=a", "NNAPI_HAL_DIR=/nonexistent"),
		RT_CASE_ENV(isolation_needs_libnnipc, "name=a", "NNAPI_ISOLATION=worker",
			    "NNACCEL_IPC=/nonexistent/libnnipc.so.1"),
		RT_CASE_ENV(isolation_needs_libnnipc, "name=a", "NNAPI_ISOLATION=service",
			    "NNACCEL_IPC=/nonexistent/libnnipc.so.1"),
		RT_CASE_ENV(devices_are_chosen_and_ordered, "name=a1 name=b name=a2 name=c name=ca",
			    "NNAPI_DEVICES=c a2 a. nothing"),
		RT_CASE_ENV(devices_are_excluded, "name=a1 name=b name=a2 name=nnapi-x",
			    "NNAPI_EXCLUDE_DEVICES=a. nnapi-.*"),
		RT_CASE_ENV(broken_libraries_are_left_out, "name=a",
			    "NNAPI_HAL_DIR=" RT_BROKEN_DIR),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
