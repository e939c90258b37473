// SPDX-License-Identifier: Apache-2.0
/* nnapi.conf and the environment; hostile ones too. */
#include <stdlib.h>

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"
#include "rt_case.h"

/* Before the first use of the library. */
static const struct nnr_settings *with_file(const char *text, size_t size)
{
	const char *path = temp_path("nnapi.conf");

	temp_write(path, text, size);
	setenv("NNAPI_CONFIG", path, 1);
	return nnr_settings();
}

TEST(defaults)
{
	const struct nnr_settings *s = nnr_settings();

	assert_int_equal(s->config.partitioning, NNR_PARTITION_WITH_FALLBACK);
	assert_non_null(strstr(s->allowlist, ":/vendor/etc/nnapi_extensions_app_allowlist"));
	assert_false(s->config.cpu_only);
	assert_true(s->config.transfer_ns_per_kib > 0 && s->config.step_ns > 0);
	assert_string_equal(s->devices, "");
	assert_string_equal(s->exclude_devices, "");
	assert_int_equal(s->isolation, NNR_ISOLATION_AUTO);
	assert_true(s->amx);
	assert_string_equal(s->partitions, "/product /vendor /odm /data");
	assert_int_equal(s->device_wait_ms, 10000);
	assert_int_equal(s->feature_level, 8);
	assert_ptr_equal(nnr_config(), &s->config);
}

TEST(the_file_says_all)
{
	static const char text[] = "# a comment\n"
				   "\n"
				   "devices = nnaccel-card[0-9]+ nnaccel-cpu\n"
				   "  exclude_devices=nothing  \r\n"
				   "cpu_only = yes\n"
				   "partition = without-fallback\n"
				   "transfer_ns_per_kib = 12.5\n"
				   "step_ns = 0\n"
				   "hal_dir = /a:/b\n"
				   "isolation = worker\n"
				   "amx = no\n"
				   "extension_allowlist = /etc/list\n"
				   "extension_partitions = /opt /usr/local\n"
				   "feature_level = 6\n"
				   "capture = /captures\n"
				   "capture_first = 3\n"
				   "device_wait_ms = 7";
	const struct nnr_settings *s = with_file(text, sizeof(text) - 1);

	assert_string_equal(s->devices, "nnaccel-card[0-9]+ nnaccel-cpu");
	assert_string_equal(s->exclude_devices, "nothing");
	assert_true(s->config.cpu_only);
	assert_int_equal(s->config.partitioning, NNR_PARTITION_WITHOUT_FALLBACK);
	assert_true(s->config.transfer_ns_per_kib == 12.5);
	assert_true(s->config.step_ns == 0);
	assert_string_equal(s->hal_dirs, "/a:/b");
	assert_int_equal(s->isolation, NNR_ISOLATION_WORKER);
	assert_false(s->amx);
	assert_string_equal(s->allowlist, "/etc/list");
	assert_string_equal(s->partitions, "/opt /usr/local");
	assert_int_equal(s->device_wait_ms, 7);
	assert_int_equal(s->feature_level, 6);
	assert_string_equal(s->capture, "/captures");
	assert_int_equal(s->capture_first, 3);
}

TEST(the_environment_wins)
{
	static const char text[] = "partition = 2\nstep_ns = 1\ndevices = x\n"
				   "isolation = worker\namx = no\n";
	const struct nnr_settings *s = with_file(text, sizeof(text) - 1);

	assert_int_equal(s->config.partitioning, NNR_PARTITION_NO);
	assert_int_equal(s->isolation, NNR_ISOLATION_SERVICE);
	assert_true(s->amx);
	assert_true(s->config.step_ns == 1);
	assert_string_equal(s->devices, "");
}

TEST(wrong_values_are_ignored)
{
	static const char text[] = "step_ns = 5\n"
				   "partition = 3\n"
				   "partition = 10\n"
				   "cpu_only = maybe\n"
				   "device_wait_ms = 99999999999999999999999\n"
				   "device_wait_ms = -1\n"
				   "feature_level = 0\n"
				   "feature_level = 9\n"
				   "feature_level = 1000005\n"
				   "devices = good [bad\n"
				   "hal_dir = relative/folder\n"
				   "extension_allowlist = here\n"
				   "extension_partitions = /opt /system\n"
				   "extension_partitions = /system/xbin\n"
				   "extension_partitions = /\n"
				   "extension_partitions = /opt/\n"
				   "exclude_devices = b\n";
	const struct nnr_settings *s = with_file(text, sizeof(text) - 1);

	assert_true(s->config.step_ns == 5);
	assert_int_equal(s->config.partitioning, NNR_PARTITION_WITH_FALLBACK);
	assert_false(s->config.cpu_only);
	assert_int_equal(s->device_wait_ms, 10000);
	assert_int_equal(s->feature_level, 8);
	assert_string_equal(s->devices, "");
	assert_string_equal(s->partitions, "/product /vendor /odm /data");
	assert_string_equal(s->exclude_devices, "b");
}

TEST(wrong_captures_are_ignored)
{
	static const char text[] = "capture = here\n"
				   "capture_first = 1001\n"
				   "capture_first = -1\n";
	const struct nnr_settings *s = with_file(text, sizeof(text) - 1);

	assert_string_equal(s->capture, "");
	assert_int_equal(s->capture_first, 0);
}

TEST(wrong_lines_are_ignored)
{
	static const char text[] = "step_ns = 5\n"
				   "step_ns = -1\n"
				   "step_ns = nan\n"
				   "step_ns = inf\n"
				   "step_ns = 6 apples\n"
				   "step_ns =\n"
				   "step_ns\n"
				   "= 5\n"
				   "unknown = 5\n"
				   "isolation = service\n"
				   "isolation = workers\n"
				   "isolation =\n"
				   "devi\0ces = x\n"
				   "step_ns = 6\0\n"
				   "exclude_devices = b\n";
	const struct nnr_settings *s = with_file(text, sizeof(text) - 1);

	assert_true(s->config.step_ns == 5);
	assert_int_equal(s->isolation, NNR_ISOLATION_SERVICE);
	assert_string_equal(s->devices, "");
	assert_string_equal(s->exclude_devices, "b");
}

/* A file that is not a configuration is not read to its end. */
TEST(there_is_an_end_to_complaints)
{
	static const char invalid[] = "invalid\n", last[] = "exclude_devices = b\n";
	static char text[1000];
	size_t n = 0;

	for (int i = 0; i < 50; i++, n += sizeof(invalid) - 1)
		memcpy(text + n, invalid, sizeof(invalid) - 1);
	memcpy(text + n, last, sizeof(last));
	assert_string_equal(with_file(text, n + sizeof(last) - 1)->exclude_devices, "");
}

TEST(a_wrong_environment_is_ignored)
{
	const struct nnr_settings *s = nnr_settings();

	assert_int_equal(s->config.partitioning, NNR_PARTITION_WITH_FALLBACK);
	assert_string_equal(s->devices, "");
	assert_false(s->config.cpu_only);
}

TEST(a_huge_file_is_ignored)
{
	size_t size = 1024 * 1024;
	const struct nnr_settings *s;
	char *text = malloc(size);

	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = "step_ns = 9\n"[i % 12];
	s = with_file(text, size);
	assert_true(s->config.step_ns != 9);
	free(text);
}

TEST(a_folder_is_no_file)
{
	setenv("NNAPI_CONFIG", temp_folder(), 1);
	assert_int_equal(nnr_config()->partitioning, NNR_PARTITION_WITH_FALLBACK);
}

TEST(random_files_do_no_harm)
{
	static char text[65536];
	uint32_t seed = 12345;

	for (size_t i = 0; i < sizeof(text); i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = "devicstp_n =\n\n\0#[(*\\/:.0123\x80\xff"[(seed >> 16) % 30];
	}
	assert_non_null(with_file(text, sizeof(text)));
}

int main(int argc, char **argv)
{
	const struct rt_case cases[] = {
		RT_CASE_ENV(defaults, NULL, "NNAPI_EXTENSION_ALLOWLIST", "NNAPI_ISOLATION"),
		RT_CASE_ENV(the_file_says_all, NULL, "NNAPI_HAL_DIR", "NNAPI_EXTENSION_ALLOWLIST",
			    "NNAPI_ISOLATION"),
		RT_CASE_ENV(the_environment_wins, NULL, "NNAPI_PARTITION=0",
			    "NNAPI_DEVICES=", "NNAPI_ISOLATION=service", "NNACCEL_AMX=1"),
		RT_CASE(wrong_values_are_ignored, NULL),
		RT_CASE(wrong_captures_are_ignored, NULL),
		RT_CASE_ENV(wrong_lines_are_ignored, NULL, "NNAPI_ISOLATION"),
		RT_CASE(there_is_an_end_to_complaints, NULL),
		RT_CASE_ENV(a_wrong_environment_is_ignored, NULL, "NNAPI_PARTITION=7",
			    "NNAPI_DEVICES=(", "NNAPI_CPU_ONLY=?"),
		RT_CASE(a_huge_file_is_ignored, NULL),
		RT_CASE(a_folder_is_no_file, NULL),
		RT_CASE(random_files_do_no_harm, NULL),
	};

	return rt_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
