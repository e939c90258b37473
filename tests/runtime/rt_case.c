// SPDX-License-Identifier: Apache-2.0
#include "rt_case.h"
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char folder[64];

static void remove_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

const char *rt_folder(void)
{
	if (!folder[0]) {
		scratch_path(folder, sizeof(folder), "nnapi-test-XXXXXX");
		assert_non_null(mkdtemp(folder));
		/* the profile of the tests' vendor library names it */
		setenv("NNHAL_TEST_FOLDER", folder, 1);
		atexit(remove_folder);
	}
	return folder;
}

const char *rt_path(const char *name)
{
	static char path[256];

	assert_true((size_t)snprintf(path, sizeof(path), "%s/%s", rt_folder(), name) <
		    sizeof(path));
	return path;
}

const char *rt_empty_file(const char *name)
{
	const char *path = rt_path(name);

	rt_write_file(path, "", 0);
	return path;
}

unsigned int rt_count_lines(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	unsigned int count = 0;
	char line[8192];

	while (file && fgets(line, sizeof(line), file))
		count += !text || strstr(line, text);
	if (file)
		fclose(file);
	return count;
}

void rt_write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static int run_here(const struct rt_case *c)
{
	const struct CMUnitTest test = { .name = c->name, .test_func = c->run };

	return _cmocka_run_group_tests(c->name, &test, 1, NULL, NULL);
}

/* Returns whether the case failed. The case's environment is restored. */
static int run_process(const struct rt_case *c)
{
	char *argv[] = { (char *)"test", (char *)"--case", (char *)c->name, NULL };
	char *saved[16] = { 0 };
	unsigned int n = 0;
	pid_t pid = -1;
	int status;

	if (c->devices)
		setenv("NNHAL_TEST_DEVICES", c->devices, 1);
	else
		unsetenv("NNHAL_TEST_DEVICES");
	for (const char *const *e = c->environment; e && *e && n < 16; e++, n++) {
		char *name = strndup(*e, strcspn(*e, "="));
		const char *value = getenv(name);

		saved[n] = value ? strdup(value) : NULL;
		if (strchr(*e, '='))
			setenv(name, *e + strlen(name) + 1, 1);
		else
			unsetenv(name);
		free(name);
	}
	fflush(NULL);
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ))
		pid = -1;
	for (unsigned int i = 0; i < n; i++) {
		char *name = strndup(c->environment[i], strcspn(c->environment[i], "="));

		if (saved[i])
			setenv(name, saved[i], 1);
		else
			unsetenv(name);
		free(saved[i]);
		free(name);
	}
	if (pid < 0)
		return 1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 1;
	if (WIFSIGNALED(status))
		fprintf(stderr, "%s: killed by signal %d\n", c->name, WTERMSIG(status));
	return !WIFEXITED(status) || WEXITSTATUS(status);
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
