// SPDX-License-Identifier: Apache-2.0
/*
 * Devices behind other processes, where libnnipc is missing or something else is in its place: each
 * is refused with a message that says what to do, and a later call looks again. tests/ipc has what
 * works.
 */
#include "hal_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int never(void *cookie, const char *spec)
{
	(void)cookie;
	fail_msg("found %s", spec);
	return 1;
}

static int first(void *cookie, const char *spec)
{
	*(const char **)cookie = strdup(spec);
	return 7;
}

/* Devices of the library itself need no other one. */
TEST(own_devices)
{
	char *spec = NULL;

	setenv("NNACCEL_IPC", "/nonexistent/libnnipc.so.1", 1);
	assert_int_equal(nnhal_enumerate(NULL, first, &spec, NULL, 0), 7);
	assert_non_null(spec);
	free(spec);
}

static void refused(const char *spec, int error, const char *part)
{
	struct nnhal_device *dev = (struct nnhal_device *)-1;
	char message[256] = "";

	assert_int_equal(nnhal_open(spec, &dev, message, sizeof(message)), error);
	assert_null(dev);
	if (!strstr(message, part))
		fail_msg("no \"%s\" in \"%s\"", part, message);
	/* a message is not needed */
	assert_int_equal(nnhal_open(spec, &dev, NULL, 0), error);
	message[0] = '\0';
	assert_int_equal(nnhal_enumerate(spec, never, NULL, message, sizeof(message)), error);
	if (!strstr(message, error == -EINVAL ? "no devices behind" : part))
		fail_msg("no \"%s\" in \"%s\"", part, message);
	assert_int_equal(nnhal_enumerate(spec, never, NULL, NULL, 0), error);
}

TEST(library_missing)
{
	static const char *const specs[] = { "worker",	"worker:cpu", "worker=/a/b:cpu",
					     "service", "service:",   "service=/run/x" };

	setenv("NNACCEL_IPC", "/nonexistent/libnnipc.so.1", 1);
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		refused(specs[i], -ENOENT, specs[i]);
		refused(specs[i], -ENOENT, "/nonexistent/libnnipc.so.1");
		refused(specs[i], -ENOENT, "Install it, or set NNACCEL_IPC");
	}
}

TEST(no_driver)
{
	setenv("NNACCEL_IPC", "libm.so.6", 1);
	refused("worker:cpu", -ELIBBAD, "libm.so.6 is not libnnipc");
}

/* It has a driver, which would ask itself for ever. */
TEST(own_library)
{
	const char *library = getenv("NNHAL_TEST_LIBRARY");

	assert_non_null(library);
	setenv("NNACCEL_IPC", library, 1);
	refused("worker:cpu", -ELIBBAD, "is not libnnipc");
}

TEST(other_names)
{
	static const char *const specs[] = { "workers", "work", "service2:cpu", "Worker:cpu" };

	setenv("NNACCEL_IPC", "/nonexistent/libnnipc.so.1", 1);
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		refused(specs[i], -EINVAL, "no device");
}

/* Its worker reads the values of the device behind it. */
TEST(not_calibrated)
{
	static const char *const specs[] = { "worker:cpu", "service", "worker=/a" };

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		for (int how = NNHAL_CALIBRATE_SHOW; how <= NNHAL_CALIBRATE_STORE; how++) {
			struct nnhal_calibration_report report = { .size = sizeof(report) };
			char message[256] = "";

			assert_int_equal(nnhal_calibrate(specs[i], (enum nnhal_calibrate)how,
							 &report, message, sizeof(message)),
					 -EOPNOTSUPP);
			assert_non_null(strstr(message, specs[i]));
			assert_non_null(strstr(message, "calibrate the device itself"));
			assert_int_equal(report.num_programs, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_missing), cmocka_unit_test(no_driver),
		cmocka_unit_test(own_library),	   cmocka_unit_test(other_names),
		cmocka_unit_test(not_calibrated),  cmocka_unit_test(own_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
