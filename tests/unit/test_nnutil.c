// SPDX-License-Identifier: Apache-2.0
/* libnnutil: numbers, whole reads and writes, refusals, the thread pool. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "nnutil_align.h"
#include "nnutil_clock.h"
#include "nnutil_file.h"
#include "nnutil_process.h"
#include "nnutil_text.h"
#include "nnutil_log.h"
#include "nnutil_thread_pool.h"
#include "eventually.h"
#include "test_case.h"

TEST(test_align)
{
	assert_int_equal(nnutil_align_up(0, 64), 0);
	assert_int_equal(nnutil_align_up(1, 64), 64);
	assert_int_equal(nnutil_align_up(64, 64), 64);
	assert_int_equal(nnutil_align_down(127, 64), 64);
	assert_true(nnutil_is_aligned(128, 64));
	assert_false(nnutil_is_aligned(129, 64));
}

/* A copy is cut, has no byte that steers a terminal, and is UTF-8. */
TEST(test_text_copy)
{
	static const struct {
		const char *from;
		size_t length;
		const char *to;
	} rows[] = {
		{ "", 0, "" },
		{ "conv1/Relu", 10, "conv1/R" },
		{ "a\0b", 3, "a?b" },
		{ "\x1b[2J\n", 5, "?[2J?" },
		{ "\xc3\xa4\x7f", 3, "\xc3\xa4?" },
		{ "\xff\xc3", 2, "??" },
		/* right-to-left override */
		{ "a\xe2\x80\xae", 4, "a???" },
		/* cut within a character */
		{ "123456\xc3\xa4", 8, "123456?" },
	};
	char to[8];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(to, 'x', sizeof(to));
		nnutil_text_copy(to, sizeof(to), rows[i].from, rows[i].length);
		assert_string_equal(to, rows[i].to);
	}
	nnutil_text_copy(to, 1, "abc", 3);
	assert_string_equal(to, "");
}

TEST(test_u64)
{
	static const struct {
		const char *text;
		int base;
		uint64_t min, max;
		int ret;
		uint64_t value;
	} cases[] = {
		{ "0", 10, 0, UINT64_MAX, 0, 0 },
		{ "18446744073709551615", 10, 0, UINT64_MAX, 0, UINT64_MAX },
		{ "18446744073709551616", 10, 0, UINT64_MAX, -ERANGE, 0 },
		{ "99999999999999999999999", 10, 0, UINT64_MAX, -ERANGE, 0 },
		{ "7", 10, 8, 9, -ERANGE, 0 },
		{ "10", 10, 8, 9, -ERANGE, 0 },
		{ "", 10, 0, 9, -EINVAL, 0 },
		{ " 1", 10, 0, 9, -EINVAL, 0 },
		{ "1 ", 10, 0, 9, -EINVAL, 0 },
		{ "-1", 10, 0, UINT64_MAX, -EINVAL, 0 },
		{ "+1", 10, 0, 9, -EINVAL, 0 },
		{ "1x", 10, 0, 9, -EINVAL, 0 },
		{ "0x10", 10, 0, 99, -EINVAL, 0 },
		{ "0x10", 0, 0, 99, 0, 16 },
		{ "0X1f", 16, 0, 99, 0, 31 },
		{ "1F", 16, 0, 99, 0, 31 },
		{ "0x", 0, 0, 99, -EINVAL, 0 },
		{ "0x", 16, 0, 99, -EINVAL, 0 },
		{ "010", 0, 0, 99, 0, 10 },
	};
	uint64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		value = 4711;
		assert_int_equal(nnutil_parse_u64(cases[i].text, cases[i].base, cases[i].min,
						  cases[i].max, &value),
				 cases[i].ret);
		assert_int_equal(value, cases[i].ret ? 4711 : cases[i].value);
	}
}

TEST(test_i64)
{
	int64_t value = 5;

	assert_int_equal(nnutil_parse_i64("-9223372036854775808", 10, INT64_MIN, INT64_MAX, &value),
			 0);
	assert_true(value == INT64_MIN);
	assert_int_equal(nnutil_parse_i64("9223372036854775807", 10, INT64_MIN, INT64_MAX, &value),
			 0);
	assert_true(value == INT64_MAX);
	assert_int_equal(nnutil_parse_i64("9223372036854775808", 10, INT64_MIN, INT64_MAX, &value),
			 -ERANGE);
	assert_int_equal(nnutil_parse_i64("-9223372036854775809", 10, INT64_MIN, INT64_MAX, &value),
			 -ERANGE);
	assert_int_equal(nnutil_parse_i64("-3", 10, -2, 2, &value), -ERANGE);
	assert_int_equal(nnutil_parse_i64("-", 10, -2, 2, &value), -EINVAL);
	assert_int_equal(nnutil_parse_i64("--1", 10, -2, 2, &value), -EINVAL);
	assert_true(value == INT64_MAX);
}

TEST(test_bool)
{
	static const char *const words[2][5] = { { "0", "no", "false", "off", "OFF" },
						 { "1", "yes", "true", "on", "True" } };
	static const char *const none[] = { "", "2", "01", "n", "noo", " no", "no ", "-1" };
	bool value;

	for (int truth = 0; truth < 2; truth++)
		for (int i = 0; i < 5; i++) {
			value = !truth;
			assert_int_equal(nnutil_parse_bool(words[truth][i], &value), 0);
			assert_int_equal(value, truth);
		}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(nnutil_parse_bool(none[i], &value), -EINVAL);
}

TEST(test_double)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "x", "inf", "nan", "-inf", "1e", "-", "."
	};
	double value = 0;

	assert_int_equal(nnutil_parse_double("-1.5e3", -INFINITY, INFINITY, &value), 0);
	assert_true(value == -1500);
	assert_int_equal(nnutil_parse_double(".25", 0, 1, &value), 0);
	assert_true(value == 0.25);
	assert_int_equal(nnutil_parse_double("1e999", 0, INFINITY, &value), -ERANGE);
	assert_int_equal(nnutil_parse_double("2", 0, 1, &value), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(nnutil_parse_double(bad[i], -INFINITY, INFINITY, &value), -EINVAL);
	assert_true(value == 0.25);
}

TEST(test_scan)
{
	const char *text = "12x34";
	uint64_t value;

	assert_int_equal(nnutil_scan_u64(&text, 10, 0, 99, &value), 0);
	assert_int_equal(value, 12);
	assert_string_equal(text, "x34");
	assert_int_equal(nnutil_scan_u64(&text, 10, 0, 99, &value), -EINVAL);
	text++;
	assert_int_equal(nnutil_scan_u64(&text, 10, 0, 33, &value), -ERANGE);
	assert_string_equal(text, "34");
}

/* A pipe gives what is there, so every read of more than its content is short. */
TEST(test_io)
{
	char out[20000], in[20000], *data;
	int pipes[2], fd = memfd_new(0);
	size_t size;
	pid_t child;

	memset(out, 'a', sizeof(out));
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		for (size_t i = 0; i < sizeof(out); i += 1000)
			if (nnutil_write_all(pipes[1], out + i, 1000))
				_exit(1);
		_exit(0);
	}
	close(pipes[1]);
	assert_int_equal(nnutil_read_all(pipes[0], in, sizeof(in)), 0);
	assert_memory_equal(in, out, sizeof(in));
	assert_int_equal(nnutil_read_all(pipes[0], in, 1), -ENODATA);
	close(pipes[0]);
	assert_int_equal(child_wait(child), 0);

	assert_int_equal(nnutil_pwrite_all(fd, out, sizeof(out), 7), 0);
	assert_int_equal(nnutil_pread_all(fd, in, sizeof(in), 7), 0);
	assert_int_equal(nnutil_pread_all(fd, in, sizeof(in), 8), -ENODATA);
	assert_int_equal(nnutil_pread_all(fd, in, 1, -1), -EINVAL);
	assert_int_equal(nnutil_read_to_end(fd, sizeof(out) + 7, &data, &size), 0);
	assert_int_equal(size, sizeof(out) + 7);
	assert_int_equal(data[6], 0);
	assert_int_equal(data[size - 1], 'a');
	assert_int_equal(data[size], 0);
	free(data);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(nnutil_read_to_end(fd, sizeof(out) + 6, &data, &size), -EFBIG);
	close(fd);
	assert_int_equal(nnutil_write_all(fd, out, 1), -EBADF);
	assert_int_equal(nnutil_read_file("/nonexistent/file", 1, &data, &size), -ENOENT);
	assert_int_equal(nnutil_read_file("/dev/null", 0, &data, &size), 0);
	assert_int_equal(size, 0);
	free(data);
}

/* A pipe has no seals, a memfd of huge pages has some but may run out of them. */
TEST(test_memory)
{
	const int fd = memfd_sealed(0, 0);
	const int huge = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(nnutil_memfd_seals(fd), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(nnutil_memfd_seals(fd), F_SEAL_SHRINK);
	/* this kernel may have no huge pages */
	if (huge >= 0)
		assert_int_equal(fcntl(huge, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_int_equal(nnutil_memfd_seals(huge), -1);
	assert_int_equal(nnutil_memfd_seals(pipes[0]), -1);
	assert_int_equal(nnutil_memfd_seals(-1), -1);
	assert_false(nnutil_is_dmabuf(fd));
	assert_false(nnutil_is_dmabuf(pipes[0]));
	assert_false(nnutil_is_dmabuf(-1));
	if (huge >= 0)
		close(huge);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

TEST(test_memory_limit)
{
	const uint64_t machine =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(nnutil_memory_max("max\n"), UINT64_MAX);
	assert_int_equal(nnutil_memory_max("1073741824\n"), 1073741824);
	assert_int_equal(nnutil_memory_max("0\n"), 0);
	assert_int_equal(nnutil_memory_max(""), UINT64_MAX);
	assert_true(nnutil_memory_limit() <= machine);
	setenv(NNUTIL_MEMORY_LIMIT, "1048576", 1);
	assert_int_equal(nnutil_memory_limit(), 1048576);
	/* it raises nothing */
	setenv(NNUTIL_MEMORY_LIMIT, "18446744073709551615", 1);
	assert_true(nnutil_memory_limit() <= machine);
	unsetenv(NNUTIL_MEMORY_LIMIT);
}

TEST(test_refuse)
{
	char text[8] = "before";

	assert_int_equal(nnutil_refuse(NULL, 0, -EINVAL, "x"), -EINVAL);
	assert_int_equal(nnutil_refuse(text, sizeof(text), -EPERM, "%d and more", 12), -EPERM);
	assert_string_equal(text, "12 and ");
}

/* What each task sees of the thread that gave it. */
static __thread int mark;
static int seen_mark;

static void *capture_mark(void)
{
	return &mark;
}

static void enter_mark(void *captured)
{
	mark = *(int *)captured + 1;
}

static void leave_mark(void *captured)
{
	(void)captured;
	mark = 0;
}

static NNUTIL_POOL(unlimited, 0, 1, .capture = capture_mark, .enter = enter_mark,
		   .leave = leave_mark);
static NNUTIL_POOL(two, 2, 1);

struct meeting {
	sem_t arrived, leave;
};

static void meet(void *cookie)
{
	struct meeting *m = cookie;

	sem_post(&m->arrived);
	sem_wait(&m->leave);
}

static void note_mark(void *cookie)
{
	seen_mark = mark;
	sem_post(cookie);
}

static unsigned int threads_of(struct nnutil_pool *pool)
{
	unsigned int threads;

	pthread_mutex_lock(&pool->lock);
	threads = pool->threads;
	pthread_mutex_unlock(&pool->lock);
	return threads;
}

/* 40 tasks that all wait for the last one: none may queue behind another. Afterwards every thread
 * leaves. */
TEST(test_pool_unlimited)
{
	struct meeting m;

	sem_init(&m.arrived, 0, 0);
	sem_init(&m.leave, 0, 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(nnutil_pool_run(&unlimited, meet, &m), 0);
	for (int i = 0; i < 40; i++)
		sem_wait(&m.arrived);
	assert_int_equal(threads_of(&unlimited), 40);
	for (int i = 0; i < 40; i++)
		sem_post(&m.leave);
	mark = 6;
	assert_int_equal(nnutil_pool_run(&unlimited, note_mark, &m.arrived), 0);
	sem_wait(&m.arrived);
	assert_int_equal(seen_mark, 7);
	assert_true(EVENTUALLY(threads_of(&unlimited) == 0));
}

/* The third task waits until one of the two threads has time. */
TEST(test_pool_limited)
{
	struct meeting m;

	sem_init(&m.arrived, 0, 0);
	sem_init(&m.leave, 0, 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(nnutil_pool_run(&two, meet, &m), 0);
	sem_wait(&m.arrived);
	sem_wait(&m.arrived);
	assert_int_equal(threads_of(&two), 2);
	assert_int_equal(sem_trywait(&m.arrived), -1);
	sem_post(&m.leave);
	sem_wait(&m.arrived);
	sem_post(&m.leave);
	sem_post(&m.leave);
	assert_true(EVENTUALLY(threads_of(&two) == 0));
}

static int fork_exit;

static void forks(void *cookie)
{
	sem_t done;
	pid_t child = fork();

	if (!child) {
		alarm(60);
		nnutil_pool_forked(&two);
		sem_init(&done, 0, 0);
		seen_mark = -1;
		if (nnutil_pool_run(&two, note_mark, &done))
			_exit(2);
		sem_wait(&done);
		_exit(seen_mark == 0 ? 0 : 3);
	}
	fork_exit = child_wait(child);
	sem_post(cookie);
}

/* A child uses the pool, although a task forked it while the other thread was busy. */
TEST(test_pool_fork)
{
	struct meeting m;
	sem_t done;

	sem_init(&m.arrived, 0, 0);
	sem_init(&m.leave, 0, 0);
	sem_init(&done, 0, 0);
	assert_int_equal(nnutil_pool_run(&two, meet, &m), 0);
	sem_wait(&m.arrived);
	assert_int_equal(nnutil_pool_run(&two, forks, &done), 0);
	sem_wait(&done);
	assert_int_equal(fork_exit, 0);
	sem_post(&m.leave);
	assert_true(EVENTUALLY(threads_of(&two) == 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_align),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_i64),
		cmocka_unit_test(test_bool),
		cmocka_unit_test(test_double),
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_text_copy),
		cmocka_unit_test(test_memory_limit),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_pool_unlimited),
		cmocka_unit_test(test_pool_limited),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		/* the sanitizers' runtimes cannot fork among threads and go on */
		cmocka_unit_test(test_pool_fork),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
