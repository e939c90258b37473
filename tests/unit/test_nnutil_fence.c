// SPDX-License-Identifier: Apache-2.0
/* Fences of user space: their ends, hostile makers and holders, and everything that is no fence. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "nnutil_clock.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "test_case.h"

static int readable(int fd, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, timeout_ms);
}

static int status_of(int fd)
{
	return nnutil_fence_status(fd, NULL);
}

TEST(test_signal)
{
	int64_t before = nnutil_monotonic_ns(), ns = 1;
	int fence, signal, held;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	assert_int_equal(fcntl(fence, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(signal, F_GETFD), FD_CLOEXEC);
	assert_int_equal(readable(fence, 0), 0);
	assert_int_equal(nnutil_fence_status(fence, &ns), 0);
	assert_int_equal(ns, 0);
	held = dup(fence);
	nnutil_fence_signal(signal, 0);
	assert_int_equal(fcntl(signal, F_GETFD), -1);
	/* all holders see it, as often as they ask */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(readable(fence, 0), 1);
		assert_int_equal(nnutil_fence_status(i % 2 ? held : fence, &ns), 1);
		assert_true(ns >= before && ns <= nnutil_monotonic_ns());
	}
	close(fence);
	assert_int_equal(status_of(held), 1);
	close(held);
}

TEST(test_errors)
{
	/* -EINVAL is the answer to what is no fence */
	static const int errors[][2] = {
		{ -EIO, -EIO }, { -ETIME, -ETIME }, { -EINVAL, -EIO }, { -4095, -4095 }
	};
	int64_t ns = 1;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		int fence, signal;

		assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
		nnutil_fence_signal(signal, errors[i][0]);
		assert_int_equal(readable(fence, 0), 1);
		assert_int_equal(nnutil_fence_status(fence, &ns), errors[i][1]);
		assert_int_equal(ns, 0);
		close(fence);
	}
}

/* The maker may come too late. */
TEST(test_fence_is_closed)
{
	int fence, signal;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	close(fence);
	nnutil_fence_signal(signal, 0);
	assert_int_equal(fcntl(signal, F_GETFD), -1);
}

TEST(test_maker_hangs_up)
{
	int fence, signal;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	nnutil_fd_close(signal);
	assert_int_equal(readable(fence, 0), 1);
	assert_int_equal(status_of(fence), -EPIPE);
	assert_int_equal(status_of(fence), -EPIPE);
	close(fence);
}

/* One process makes the fence and is killed, this one gets it and sees that. */
TEST(test_maker_is_killed)
{
	int fence, signal, way[2];
	char byte;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, way), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (nnutil_fence_create(&fence, &signal) ||
		    unix_send(way[1], "", 1, &fence, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(unix_receive(way[0], &byte, 1, &fence), 1);
	assert_int_equal(status_of(fence), 0);
	assert_int_equal(readable(fence, 0), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(readable(fence, -1), 1);
	assert_int_equal(status_of(fence), -EPIPE);
	assert_int_equal(child_wait(pid), -SIGKILL);
	close(fence);
	close(way[0]);
	close(way[1]);
}

/* A child of the maker does not keep the fence pending. */
TEST(test_maker_forks)
{
	int fence, signal, stop[2], ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(stop[1]);
		/* the fence itself can be used */
		byte = (char)(status_of(fence) == 0 ? 'y' : 'n');
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(stop[0], &byte, 1) == 0 ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	nnutil_fd_close(signal);
	assert_int_equal(readable(fence, -1), 1);
	assert_int_equal(status_of(fence), -EPIPE);
	close(stop[1]);
	child_wait(pid);
	close(stop[0]);
	close(ready[0]);
	close(ready[1]);
	close(fence);
}

/* What a hostile maker may write. The good message is that of a maker, read from its fence. */
TEST(test_hostile_maker)
{
	static const struct {
		size_t place, size; /* 4 bytes of @value there; the message has @size bytes */
		uint32_t value;
		int status;
	} cases[] = {
		{ 0, 24, 0x636e666e, 1 },
		{ 0, 24, 0, -EINVAL },
		{ 0, 0, 0, -EPIPE },
		{ 0, 1, 0x636e666e, -EINVAL },
		{ 0, 23, 0x636e666e, -EINVAL },
		{ 0, 25, 0x636e666e, -EINVAL },
		{ 0, 4096, 0x636e666e, -EINVAL },
		{ 4, 24, 1, -EINVAL },
		{ 4, 24, (uint32_t)-4096, -EINVAL },
		{ 4, 24, 0x80000000, -EINVAL },
		{ 4, 24, (uint32_t)-EINVAL, -EIO },
		{ 8, 24, 1, -EINVAL },
		{ 12, 24, 1, -EINVAL },
		{ 20, 24, 0x7fffffff, 1 },
		{ 20, 24, 0xffffffff, 1 },
	};
	uint8_t good[24], message[4096];
	int fence, signal;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	nnutil_fence_signal(signal, 0);
	assert_int_equal(recv(fence, good, sizeof(good), MSG_TRUNC), sizeof(good));
	/* a holder took the message: others see that the maker has gone */
	assert_int_equal(status_of(fence), -EPIPE);
	close(fence);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t ns = 1;

		memset(message, 0, sizeof(message));
		memcpy(message, good, sizeof(good));
		memcpy(message + cases[i].place, &cases[i].value, 4);
		assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
		assert_int_equal(send(signal, message, cases[i].size, 0), cases[i].size);
		assert_int_equal(nnutil_fence_status(fence, &ns), cases[i].status);
		/* no time that has not come, and none of a fence that failed */
		assert_true(ns >= 0 && ns <= nnutil_monotonic_ns());
		assert_int_equal(ns > 0, i == 0);
		nnutil_fd_close(signal);
		assert_int_equal(nnutil_fence_status(fence, &ns), cases[i].status);
		close(fence);
	}
}

/* Descriptors in the message are dropped. */
TEST(test_maker_sends_descriptors)
{
	static const char bytes[24];
	int fence, signal, next;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	assert_int_equal(unix_send(signal, bytes, sizeof(bytes), &signal, 1), sizeof(bytes));
	next = dup(fence);
	close(next);
	for (int i = 0; i < 4; i++)
		assert_int_equal(status_of(fence), -EINVAL);
	assert_int_equal(dup(fence), next);
	close(next);
	nnutil_fd_close(signal);
	close(fence);
}

/* A holder of the fence cannot spoil it for others by writing. */
TEST(test_holder_writes)
{
	int fence, signal;

	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	assert_int_equal(send(fence, "x", 1, MSG_NOSIGNAL), -1);
	assert_int_equal(errno, EPIPE);
	assert_int_equal(status_of(fence), 0);
	assert_int_equal(readable(fence, 0), 0);
	nnutil_fence_signal(signal, 0);
	assert_int_equal(status_of(fence), 1);
	close(fence);
}

TEST(test_no_fences)
{
	static const struct {
		int domain, type;
	} sockets[] = {
		{ AF_UNIX, SOCK_STREAM }, { AF_UNIX, SOCK_DGRAM }, { AF_UNIX, SOCK_SEQPACKET },
		{ AF_INET, SOCK_STREAM }, { AF_INET, SOCK_DGRAM },
	};
	static const int pairs[] = { SOCK_STREAM, SOCK_DGRAM };
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fds[2], fd;

	assert_int_equal(status_of(-1), -EINVAL);
	assert_int_equal(status_of(1 << 30), -EINVAL);
	assert_false(nnutil_fence_is_sync_file(-1));
	fd = eventfd(1, EFD_CLOEXEC);
	assert_int_equal(status_of(fd), -EINVAL);
	assert_false(nnutil_fence_is_sync_file(fd));
	close(fd);
	fd = memfd_new(0);
	assert_int_equal(status_of(fd), -EINVAL);
	close(fd);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(status_of(fd), -EINVAL);
	close(fd);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(status_of(fds[0]), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	for (size_t i = 0; i < sizeof(sockets) / sizeof(sockets[0]); i++) {
		fd = socket(sockets[i].domain, sockets[i].type | SOCK_CLOEXEC, 0);
		assert_true(fd >= 0);
		assert_int_equal(status_of(fd), -EINVAL);
		close(fd);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_int_equal(socketpair(AF_UNIX, pairs[i] | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(status_of(fds[0]), -EINVAL);
		close(fds[0]);
		close(fds[1]);
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof(sa_family_t)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(status_of(fd), -EINVAL);
	close(fd);
	/* a fence of user space is a fence, but none of the kernel */
	assert_int_equal(nnutil_fence_create(&fds[0], &fds[1]), 0);
	assert_false(nnutil_fence_is_sync_file(fds[0]));
	close(fds[0]);
	nnutil_fd_close(fds[1]);
}

/* Fences, and what stands for one. */
TEST(test_wait)
{
	int fds[2], fence, signal;

	assert_int_equal(nnutil_fence_wait(-1), -EINVAL);
	assert_int_equal(nnutil_fence_wait(1 << 30), -EINVAL);
	for (int failed = 0; failed <= 1; failed++) {
		assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
		nnutil_fence_signal(signal, failed ? -ETIME : 0);
		assert_int_equal(nnutil_fence_wait(fence), failed ? -EIO : 0);
		close(fence);
	}
	assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
	nnutil_fd_close(signal);
	assert_int_equal(nnutil_fence_wait(fence), -EIO);
	close(fence);
	fence = eventfd(1, EFD_CLOEXEC);
	assert_int_equal(nnutil_fence_wait(fence), 0);
	close(fence);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], "", 1), 1);
	assert_int_equal(nnutil_fence_wait(fds[0]), 0);
	close(fds[0]);
	/* the writing end has an error when there is no reader */
	assert_int_equal(nnutil_fence_wait(fds[1]), -EIO);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_fence_is_closed),
		cmocka_unit_test(test_maker_hangs_up),
		cmocka_unit_test(test_maker_is_killed),
		cmocka_unit_test(test_maker_forks),
		cmocka_unit_test(test_hostile_maker),
		cmocka_unit_test(test_maker_sends_descriptors),
		cmocka_unit_test(test_holder_writes),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_no_fences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
