// SPDX-License-Identifier: Apache-2.0
/*
 * Capabilities from a stored calibration: measured once, read after that, refused when it is not what it should
 * be. Every case is a process of its own, since one process learns only once.
 */
#include "hal_test.h"

#include <dirent.h>
#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], path[512];

static int setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/nnhal-calibration-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

/* The one file there is, in @path. */
static void find_file(void)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	int found = 0;

	assert_non_null(dir);
	while ((e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		found++;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		assert_int_equal(strncmp(e->d_name, "calibration-nnaccel-", 20), 0);
	}
	closedir(dir);
	assert_int_equal(found, 1);
}

/* In a child: the capabilities, and how long they took. */
struct asked {
	struct nnhal_capabilities caps;
	int64_t ns;
};

static struct asked ask(const char *where)
{
	struct asked a = { .ns = -1 };
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		char message[256];
		const char *spec = getenv("NNHAL_TEST_DEVICE");
		struct nnhal_device *dev;

		setenv("NNACCEL_CALIBRATION", where, 1);
		if (nnhal_open(spec ? spec : "cpu:threads=2", &dev, message, sizeof(message)))
			_exit(1);
		a.ns = hal_now_ns();
		if (dev->ops->get_capabilities(dev, &a.caps))
			_exit(2);
		a.ns = hal_now_ns() - a.ns;
		dev->ops->destroy(dev);
		_exit(write(pipes[1], &a, sizeof(a)) == sizeof(a) ? 0 : 3);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &a, sizeof(a)), sizeof(a));
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return a;
}

static bool conservative(const struct nnhal_capabilities *c)
{
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		if (c->operand[i].exec_time != 1.0f && c->operand[i].exec_time != FLT_MAX)
			return false;
	return c->operand[NNMODEL_TENSOR_FLOAT32].exec_time == 1.0f;
}

static void test_measured_once(void **state)
{
	struct asked first = ask(folder), second;
	struct stat st;

	(void)state;
	assert_false(conservative(&first.caps));
	for (uint32_t i = 0; i < NNMODEL_SUBGRAPH; i++)
		assert_true(first.caps.operand[i].exec_time > 0 && first.caps.operand[i].power_usage > 0);
	assert_true(first.caps.operand[NNMODEL_SUBGRAPH].exec_time == FLT_MAX);
	assert_true(first.caps.if_performance.exec_time > 0);
	assert_true(first.caps.while_performance.exec_time > 0);
	find_file();
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	/* another process: the same numbers to the bit, without measuring */
	second = ask(folder);
	assert_memory_equal(&first.caps, &second.caps, sizeof(first.caps));
	assert_true(second.ns < first.ns / 4);
	printf("measured in %.1f ms, read in %.2f ms; float %.3f, int8 %.3f, if %.3f, while %.3f\n",
	       (double)first.ns / 1e6, (double)second.ns / 1e6,
	       (double)first.caps.operand[NNMODEL_TENSOR_FLOAT32].exec_time,
	       (double)first.caps.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time,
	       (double)first.caps.if_performance.exec_time,
	       (double)first.caps.while_performance.exec_time);
}

static void test_switched_off(void **state)
{
	struct asked a = ask("off");

	(void)state;
	assert_true(conservative(&a.caps));
}

static char text[65536];
static size_t text_size;

static void read_text(void)
{
	FILE *f;

	find_file();
	f = fopen(path, "r");
	assert_non_null(f);
	text_size = fread(text, 1, sizeof(text) - 1, f);
	text[text_size] = '\0';
	fclose(f);
}

static void write_text(const char *what)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(what, f) >= 0);
	fclose(f);
}

/* Replace the value of the first @name behind @from. */
static void spoil_behind(const char *from, const char *name, const char *value)
{
	char *at = strstr(text, from), *copy = malloc(sizeof(text) + 256);
	size_t length;

	assert_non_null(at);
	at = strstr(at, name);
	assert_non_null(at);
	at += strlen(name);
	at += strspn(at, "\": \t");
	length = strcspn(at, ",}\n\"");
	snprintf(copy, sizeof(text) + 256, "%.*s%s%s", (int)(at - text), text, value, at + length);
	write_text(copy);
	free(copy);
}

static void spoil(const char *name, const char *value)
{
	spoil_behind("{", name, value);
}

/* What is stored counts, and only from the file. */
static void test_stored_values_count(void **state)
{
	struct asked a;

	(void)state;
	ask(folder);
	read_text();
	spoil_behind("\"int8_conv\"", "\"device_ns\"", "59000000000");
	a = ask(folder);
	assert_true(a.caps.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time > 1000.0f);
}

/* Hostile or foreign: measured anew, and replaced by a good one. */
static void test_bad_files(void **state)
{
	static const char *const whole[] = { "", "{", "null", "[]", "{}", "{\"format\": 1}", "\xff\xfe" };
	static const char *const fields[][2] = {
		{ "\"format\"", "2" }, { "\"opset\"", "77" }, { "\"device_ns\"", "0" }, { "\"device_ns\"", "-5" },
		{ "\"device_ns\"", "1e300" }, { "\"device_ns\"", "1e999" }, { "\"device_ns\"", "true" },
		{ "\"reference_ns\"", "\"1\"" }, { "\"device\"", "nnaccel-other" }, { "\"firmware\"", "9.9.9" },
		{ "\"cpu\"", "another" }, { "\"float_conv\"", "5" },
	};
	struct asked a;

	(void)state;
	ask(folder);
	read_text();
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		write_text(whole[i]);
		a = ask(folder);
		assert_true(a.caps.operand[NNMODEL_TENSOR_FLOAT32].exec_time < 1e4f);
		find_file();
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct stat before, after;

		spoil(fields[i][0], fields[i][1]);
		assert_int_equal(stat(path, &before), 0);
		ask(folder);
		assert_int_equal(stat(path, &after), 0);
		assert_int_not_equal(before.st_ino, after.st_ino);
	}
}

/* One that others may write, a link, a pipe, a folder: not read. */
static void test_untrusted_files(void **state)
{
	struct stat st;

	(void)state;
	ask(folder);
	read_text();
	spoil_behind("\"int8_conv\"", "\"device_ns\"", "59000000000");
	assert_int_equal(chmod(path, 0666), 0);
	assert_true(ask(folder).caps.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time < 1000.0f);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	ask(folder);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	ask(folder);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

/* A folder that cannot be written: measured all the same. */
static void test_no_folder(void **state)
{
	struct asked a = ask("/proc/nnaccel");

	(void)state;
	assert_false(conservative(&a.caps));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_measured_once, setup, teardown),
		cmocka_unit_test(test_switched_off),
		cmocka_unit_test_setup_teardown(test_stored_values_count, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untrusted_files, setup, teardown),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests_name("hal-calibration", tests, NULL, NULL);
}
