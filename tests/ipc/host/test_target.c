// SPDX-License-Identifier: Apache-2.0
/* Specifications of proxied devices: what is read from them, and what is refused with which word.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/nnipc_host.h"
#include "test_case.h"

TEST(test_accepted)
{
	char folder[PATH_MAX], relative[PATH_MAX + 16];
	const struct {
		const char *text;
		enum nnipc_how how;
		const char *path, *spec;
	} cases[] = {
		{ "worker", NNIPC_WORKER, "/lib/default.so", NULL },
		{ "worker:cpu", NNIPC_WORKER, "/lib/default.so", "cpu" },
		{ "worker:cpu:threads=2", NNIPC_WORKER, "/lib/default.so", "cpu:threads=2" },
		{ "worker:/dev/accel/accel0", NNIPC_WORKER, "/lib/default.so",
		  "/dev/accel/accel0" },
		{ "worker=/a/b.so", NNIPC_WORKER, "/a/b.so", NULL },
		{ "worker=/a/b.so:cpu", NNIPC_WORKER, "/a/b.so", "cpu" },
		{ "worker=a/b.so:cpu", NNIPC_WORKER, relative, "cpu" },
		{ "worker:workers", NNIPC_WORKER, "/lib/default.so", "workers" },
		{ "service", NNIPC_SERVICE, "/run/nnaccel/hald.sock", NULL },
		{ "service:accel0", NNIPC_SERVICE, "/run/nnaccel/hald.sock", "accel0" },
		{ "service=/tmp/s:cpu", NNIPC_SERVICE, "/tmp/s", "cpu" },
	};

	assert_non_null(getcwd(folder, sizeof(folder)));
	snprintf(relative, sizeof(relative), "%s/a/b.so", folder);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char message[256] = "";
		struct nnipc_target t, copy;

		if (nnipc_target_parse(cases[i].text, &t, message, sizeof(message)))
			fail_msg("%s: %s", cases[i].text, message);
		assert_int_equal(t.how, cases[i].how);
		assert_string_equal(t.path, cases[i].path);
		if (cases[i].spec)
			assert_string_equal(t.spec, cases[i].spec);
		else
			assert_null(t.spec);
		assert_int_equal(nnipc_target_copy(&copy, &t), 0);
		assert_true(nnipc_target_equal(&t, &copy));
		free(copy.spec);
		copy.spec = strdup("another");
		assert_false(nnipc_target_equal(&t, &copy));
		nnipc_target_free(&copy);
		nnipc_target_free(&t);
	}
}

TEST(test_refused)
{
	const struct {
		const char *text, *word;
	} cases[] = {
		{ "", "no target" },
		{ "cpu", "no target" },
		{ "workers", "no target" },
		{ "worker,cpu", "no target" },
		{ "Service", "no target" },
		{ "worker=", "folder" },
		{ "worker=:cpu", "folder" },
		{ "worker=libfoo.so", "folder" },
		{ "service=sock:cpu", "folder" },
		{ "worker:", "no device" },
		{ "service=/s:", "no device" },
		{ "worker:worker", "none of its own" },
		{ "worker:worker:cpu", "none of its own" },
		{ "service:worker=/a/b.so", "none of its own" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char message[256] = "";
		struct nnipc_target t;

		assert_int_equal(nnipc_target_parse(cases[i].text, &t, message, sizeof(message)),
				 -EINVAL);
		if (!strstr(message, cases[i].word))
			fail_msg("%s: %s", cases[i].text, message);
		assert_null(t.path);
		assert_null(t.spec);
		/* callers may pass no room for the reason */
		assert_int_equal(nnipc_target_parse(cases[i].text, &t, NULL, 0), -EINVAL);
	}
}

TEST(test_long_path)
{
	const size_t size = PATH_MAX + 100;
	char *text = malloc(size);
	struct nnipc_target t;

	assert_non_null(text);
	memset(text, '/', size - 1);
	text[size - 1] = '\0';
	memcpy(text, "worker=", 7);
	assert_int_equal(nnipc_target_parse(text, &t, NULL, 0), -EINVAL);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_path),
	};

	setenv("NNACCEL_WORKER_LIBRARY", "/lib/default.so", 1);
	unsetenv("NNACCEL_SERVICE");
	return cmocka_run_group_tests_name("ipc-target", tests, NULL, NULL);
}
