// SPDX-License-Identifier: Apache-2.0
#include "rt_case.h"
#include "child.h"
#include "descriptors.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rt_empty_file(const char *name)
{
	const char *path = temp_path("%s", name);

	temp_write_text(path, "");
	return path;
}

void rt_devices(const char *format, ...)
{
	char *devices;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&devices, format, args) >= 0);
	va_end(args);
	setenv("NNHAL_TEST_DEVICES", devices, 1);
	free(devices);
}

static int run_here(const struct rt_case *c)
{
	const struct CMUnitTest test = { .name = c->name, .test_func = c->run };

	return _cmocka_run_group_tests(c->name, &test, 1, NULL, NULL);
}

/* 0: the case passed. */
static int run_process(const struct rt_case *c)
{
	char *argv[] = { (char *)"test", (char *)"--case", (char *)c->name, NULL };
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		unsetenv("NNHAL_TEST_DEVICES");
		if (c->devices)
			setenv("NNHAL_TEST_DEVICES", c->devices, 1);
		for (const char *const *e = c->environment; e && *e; e++)
			putenv((char *)(uintptr_t)*e);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	status = child_wait(pid);
	if (status < 0)
		fprintf(stderr, "%s: killed by signal %d\n", c->name, -status);
	return status;
}

static bool wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

int rt_main(int argc, char **argv, const struct rt_case *cases, size_t num_cases)
{
	unsigned int failed = 0, ran = 0;

	if (argc == 3 && !strcmp(argv[1], "--case")) {
		/* the profile of the tests' vendor library names it */
		setenv("NNHAL_TEST_FOLDER", temp_folder(), 1);
		for (size_t i = 0; i < num_cases; i++)
			if (!strcmp(cases[i].name, argv[2]))
				return run_here(&cases[i]);
		return 1;
	}
	for (size_t i = 0; i < num_cases; i++) {
		if (!wanted(argc, argv, cases[i].name))
			continue;
		ran++;
		if (run_process(&cases[i])) {
			failed++;
			fprintf(stderr, "FAILED: %s\n", cases[i].name);
		}
	}
	printf("%u of %u cases passed\n", ran - failed, ran);
	return failed || !ran;
}

/* ---- what the runtime writes to stderr ---- */

static int real_stderr = -1;

void rt_listen_begin(void)
{
	int fd = open(temp_path("log"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	real_stderr = descriptors_begin_stderr(fd);
	close(fd);
}

const char *rt_listen_end(void)
{
	descriptors_end_stderr(real_stderr);
	return temp_path("log");
}

unsigned int rt_listen_count(const char *text)
{
	return lines_count(rt_listen_end(), text);
}
