// SPDX-License-Identifier: Apache-2.0
/*
 * Capabilities from a stored calibration: measured and stored on request only, and refused when
 * malformed. Every case is a process of its own, because a process reads the file only once.
 */
#include "child.h"
#include "hal_test.h"
#include "temp.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path;

/* The one file there is, in @path. */
static void find_file(void)
{
	assert_int_equal(temp_count("*", NULL), 1);
	assert_int_equal(temp_count("calibration-nnaccel-*", &path), 1);
}

static const char *spec_under_test(void)
{
	const char *spec = getenv("NNHAL_TEST_DEVICE");

	return spec ? spec : "cpu:threads=2";
}

/* In a child: the answer of nnhal_calibrate(). */
struct calibrated {
	int ret;
	struct nnhal_calibration_report report;
	char message[256];
};

static struct calibrated calibrate(const char *where, enum nnhal_calibrate how)
{
	static struct calibrated c;
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		setenv("NNACCEL_CALIBRATION", where, 1);
		c.report.size = sizeof(c.report);
		c.ret = nnhal_calibrate(spec_under_test(), how, &c.report, c.message,
					sizeof(c.message));
		_exit(write(pipes[1], &c, sizeof(c)) == sizeof(c) ? 0 : 3);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &c, sizeof(c)), sizeof(c));
	close(pipes[0]);
	assert_int_equal(child_wait(pid), 0);
	return c;
}

/* In a child: the capabilities, and how long they took. */
struct queried {
	struct nnhal_capabilities caps;
	int64_t ns;
};

static struct queried query(const char *where)
{
	struct queried a = { .ns = -1 };
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		char message[256];
		struct nnhal_device *dev;

		if (where)
			setenv("NNACCEL_CALIBRATION", where, 1);
		else
			unsetenv("NNACCEL_CALIBRATION");
		if (nnhal_open(spec_under_test(), &dev, message, sizeof(message)))
			_exit(1);
		a.ns = hal_now_ns();
		a.caps.size = sizeof(a.caps);
		if (dev->ops->get_capabilities(dev, &a.caps))
			_exit(2);
		a.ns = hal_now_ns() - a.ns;
		dev->ops->destroy(dev);
		_exit(write(pipes[1], &a, sizeof(a)) == sizeof(a) ? 0 : 3);
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &a, sizeof(a)), sizeof(a));
	close(pipes[0]);
	assert_int_equal(child_wait(pid), 0);
	return a;
}

static bool conservative(const struct nnhal_capabilities *c)
{
	for (uint32_t i = 0; i < NNMODEL_TYPE_COUNT; i++)
		if (c->operand[i].exec_time != 1.0f && c->operand[i].exec_time != FLT_MAX)
			return false;
	return c->operand[NNMODEL_TENSOR_FLOAT32].exec_time == 1.0f;
}

/* get_capabilities() neither measures nor writes into a home directory. */
TEST(test_queries_do_not_measure)
{
	struct queried a;

	setenv("HOME", temp_folder(), 1);
	unsetenv("XDG_CACHE_HOME");
	a = query(temp_folder());
	assert_true(conservative(&a.caps));
	assert_int_equal(temp_count("*", NULL), 0);
	a = query(NULL);
	assert_int_equal(temp_count("*", NULL), 0);
}

TEST(test_measured_and_stored)
{
	struct calibrated c = calibrate(temp_folder(), NNHAL_CALIBRATE_SHOW);
	struct queried first, second;
	struct stat st;

	assert_int_equal(c.ret, -ENOENT);
	assert_non_null(strstr(c.message, "no calibration"));
	c = calibrate(temp_folder(), NNHAL_CALIBRATE_MEASURE);
	assert_int_equal(c.ret, 0);
	assert_int_equal(c.report.path[0], 0);
	assert_int_equal(temp_count("*", NULL), 0);

	c = calibrate(temp_folder(), NNHAL_CALIBRATE_STORE);
	assert_int_equal(c.ret, 0);
	find_file();
	assert_string_equal(c.report.path, path);
	assert_int_equal(c.report.num_programs, 8);
	for (uint32_t i = 0; i < c.report.num_programs; i++) {
		assert_true(c.report.programs[i].device_ns > 0 &&
			    c.report.programs[i].reference_ns > 0);
		printf("%s: %.1f us, reference %.1f us\n", c.report.programs[i].name,
		       (double)c.report.programs[i].device_ns / 1e3,
		       (double)c.report.programs[i].reference_ns / 1e3);
	}
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);

	first = query(temp_folder());
	assert_false(conservative(&first.caps));
	for (uint32_t i = 0; i < NNMODEL_SUBGRAPH; i++)
		assert_true(first.caps.operand[i].exec_time > 0 &&
			    first.caps.operand[i].power_usage > 0);
	assert_true(first.caps.operand[NNMODEL_SUBGRAPH].exec_time == FLT_MAX);
	assert_true(first.caps.if_performance.exec_time > 0);
	assert_true(first.caps.while_performance.exec_time > 0);
	/* another process: the same numbers to the bit, and the same report */
	second = query(temp_folder());
	assert_memory_equal(&first.caps, &second.caps, sizeof(first.caps));
	second.ns = c.report.programs[0].device_ns;
	c = calibrate(temp_folder(), NNHAL_CALIBRATE_SHOW);
	assert_int_equal(c.ret, 0);
	assert_string_equal(c.report.path, path);
	assert_int_equal(c.report.programs[0].device_ns, second.ns);
}

TEST(test_switched_off)
{
	struct queried a = query("off");

	assert_true(conservative(&a.caps));
}

static char text[65536];
static size_t text_size;

static void read_text(void)
{
	char *all;

	find_file();
	all = temp_read(path, &text_size);
	memcpy(text, all, text_size + 1);
	free(all);
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
	temp_write_text(path, copy);
	free(copy);
}

static void spoil(const char *name, const char *value)
{
	spoil_behind("{", name, value);
}

/* The stored values are used, and only those of the file. */
TEST(test_stored_values_count)
{
	struct queried a;

	assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_STORE).ret, 0);
	read_text();
	spoil_behind("\"int8_conv\"", "\"device_ns\"", "59000000000");
	a = query(temp_folder());
	assert_true(a.caps.operand[NNMODEL_TENSOR_QUANT8_ASYMM_SIGNED].exec_time > 1000.0f);
}

/* A hostile or foreign file is ignored, and stays until the next calibration. */
TEST(test_bad_files)
{
	static const char *const whole[] = { "",	"{", "null", "[]", "{}", "{\"format\": 1}",
					     "\xff\xfe" };
	static const char *const fields[][2] = {
		{ "\"format\"", "2" },
		{ "\"opset\"", "77" },
		{ "\"device_ns\"", "0" },
		{ "\"device_ns\"", "-5" },
		{ "\"device_ns\"", "1e300" },
		{ "\"device_ns\"", "1e999" },
		{ "\"device_ns\"", "true" },
		{ "\"reference_ns\"", "\"1\"" },
		{ "\"device\"", "nnaccel-other" },
		{ "\"firmware\"", "9.9.9" },
		{ "\"cpu\"", "another" },
		{ "\"float_conv\"", "5" },
	};
	struct queried a;

	assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_STORE).ret, 0);
	read_text();
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		temp_write_text(path, whole[i]);
		a = query(temp_folder());
		assert_true(conservative(&a.caps));
		find_file();
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		struct stat before, after;

		spoil(fields[i][0], fields[i][1]);
		assert_int_equal(stat(path, &before), 0);
		a = query(temp_folder());
		assert_true(conservative(&a.caps));
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(before.st_ino, after.st_ino);
		assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_SHOW).ret, -ENOENT);
	}
	assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_STORE).ret, 0);
	a = query(temp_folder());
	assert_false(conservative(&a.caps));
}

/* One that others may write, a link, a pipe, a folder: not read. */
TEST(test_untrusted_files)
{
	struct queried a;
	struct stat st;

	assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_STORE).ret, 0);
	read_text();
	spoil_behind("\"int8_conv\"", "\"device_ns\"", "59000000000");
	assert_int_equal(chmod(path, 0666), 0);
	a = query(temp_folder());
	assert_true(conservative(&a.caps));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	a = query(temp_folder());
	assert_true(conservative(&a.caps));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	a = query(temp_folder());
	assert_true(conservative(&a.caps));
	/* a file of any kind is replaced by a calibration */
	assert_int_equal(calibrate(temp_folder(), NNHAL_CALIBRATE_STORE).ret, 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0644);
}

/* A folder that cannot be written: the times are reported, and that they are lost. */
TEST(test_no_folder)
{
	struct calibrated c = calibrate("/proc/nnaccel", NNHAL_CALIBRATE_STORE);

	assert_true(c.ret < 0);
	assert_non_null(strstr(c.message, "cannot store"));
	assert_int_equal(c.report.num_programs, 8);
	c = calibrate("off", NNHAL_CALIBRATE_STORE);
	assert_true(c.ret < 0);
	assert_non_null(strstr(c.message, "off"));
}

/* The reference device is the unit of all measurements. */
TEST(test_reference)
{
	struct nnhal_calibration_report report = { .size = sizeof(report) };
	char message[256];

	assert_int_equal(nnhal_calibrate("cpu:threads=1", NNHAL_CALIBRATE_STORE, &report, message,
					 sizeof(message)),
			 0);
	assert_true(report.reference);
	assert_int_equal(report.num_programs, 0);
	assert_int_equal(nnhal_calibrate("nosuch", NNHAL_CALIBRATE_STORE, &report, message,
					 sizeof(message)),
			 -EINVAL);
	assert_true(message[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_queries_do_not_measure, temp_teardown),
		cmocka_unit_test_teardown(test_measured_and_stored, temp_teardown),
		cmocka_unit_test(test_switched_off),
		cmocka_unit_test_teardown(test_stored_values_count, temp_teardown),
		cmocka_unit_test_teardown(test_bad_files, temp_teardown),
		cmocka_unit_test_teardown(test_untrusted_files, temp_teardown),
		cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_reference),
	};

	return cmocka_run_group_tests_name("hal-calibration", tests, NULL, NULL);
}
