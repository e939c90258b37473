// SPDX-License-Identifier: Apache-2.0
/*
 * The library as it is installed or built, without a word of configuration: nnaccel's own devices.
 */
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "rt_test.h"

TEST(the_vendor_library_is_found)
{
	ANeuralNetworksDevice *device;
	uint32_t count;
	const char *name, *version;
	int32_t type;
	bool has;

	RT_OK(ANeuralNetworks_getDeviceCount(&count));
	assert_true(count >= 2);
	for (uint32_t i = 0; i < count; i++) {
		RT_OK(ANeuralNetworks_getDevice(i, &device));
		RT_OK(ANeuralNetworksDevice_getName(device, &name));
		RT_OK(ANeuralNetworksDevice_getVersion(device, &version));
		RT_OK(ANeuralNetworksDevice_getType(device, &type));
		if (i == count - 1)
			assert_string_equal(name, "nnapi-reference");
		else if (i == count - 2)
			assert_string_equal(name, "nnaccel-cpu");
		else
			assert_memory_equal(name, "nnaccel-card", 12);
		assert_int_equal(type, i < count - 2 ? ANEURALNETWORKS_DEVICE_ACCELERATOR
						     : ANEURALNETWORKS_DEVICE_CPU);
		assert_true(version[0] != '\0');
		RT_OK(ANeuralNetworksDevice_getExtensionSupport(device, "com.example.fibonacci",
								&has));
		assert_int_equal(has, i < count - 1);
	}
}

/* By default no worker is needed for them. */
TEST(they_are_in_the_process)
{
	assert_int_equal(lines_count("/proc/self/maps", "libnnipc"), 0);
}

TEST(they_compute)
{
	static const char *const names[] = { "nnaccel-cpu", "nnapi-reference" };
	ANeuralNetworksModel *model = rt_binary(ANEURALNETWORKS_MUL, RT_DIMS(3));
	const float a[] = { 1, 2, 3 };

	for (int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c = rt_compile(model, names[i], NULL);
		ANeuralNetworksExecution *e = rt_execution(c);
		float out[3] = { 0 };

		RT_OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setInput(e, 1, NULL, a, sizeof(a)));
		RT_OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
		RT_OK(ANeuralNetworksExecution_compute(e));
		assert_true(out[0] == 1 && out[1] == 4 && out[2] == 9);
		ANeuralNetworksExecution_free(e);
		ANeuralNetworksCompilation_free(c);
	}
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vendor_library_is_found),
		cmocka_unit_test(they_compute),
		cmocka_unit_test(they_are_in_the_process),
	};

	unsetenv("NNAPI_HAL_DIR");
	unsetenv("NNAPI_DEVICES");
	unsetenv("NNAPI_ISOLATION");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
