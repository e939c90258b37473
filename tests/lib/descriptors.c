// SPDX-License-Identifier: Apache-2.0
#include "descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test_case.h"

uint32_t descriptors_open(void)
{
	return (uint32_t)descriptors_open_of(getpid());
}

int descriptors_open_of(pid_t pid)
{
	char path[64];
	DIR *dir;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

int descriptors_reopen(int fd, int access)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, access | O_CLOEXEC);
	assert_true(again >= 0);
	return again;
}

int descriptors_begin_stderr(int fd)
{
	int before;

	fflush(stderr);
	before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	assert_true(before >= 0);
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	return before;
}

void descriptors_end_stderr(int before)
{
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
}

static int memfd_sized(unsigned int flags, uint64_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC | flags);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

int memfd_new(uint64_t size)
{
	return memfd_sized(0, size);
}

int memfd_sealed(uint64_t size, int seals)
{
	int fd = memfd_sized(MFD_ALLOW_SEALING, size);

	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

void *memfd_map(int fd, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}

static struct sockaddr_un unix_address(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	assert_true((size_t)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path) <
		    sizeof(address.sun_path));
	return address;
}

int unix_dial(const char *path, int type)
{
	const struct sockaddr_un address = unix_address(path);
	int sock = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (connect(sock, (const struct sockaddr *)&address, sizeof(address))) {
		int error = -errno;

		close(sock);
		return error;
	}
	return sock;
}

int unix_bind(const char *path, int type)
{
	const struct sockaddr_un address = unix_address(path);
	int sock = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	unlink(path);
	assert_int_equal(bind(sock, (const struct sockaddr *)&address, sizeof(address)), 0);
	return sock;
}

ssize_t unix_send(int sock, const void *bytes, size_t size, const int *fds, size_t count)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(253 * sizeof(int))];
	} control = { .bytes = { 0 } };
	struct iovec iov = { (void *)(uintptr_t)bytes, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count) {
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	}
	return sendmsg(sock, &msg, MSG_NOSIGNAL);
}

ssize_t unix_receive(int sock, void *bytes, size_t size, int *fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { bytes, size };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t received = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = received >= 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	*fd = -1;
	if (c) {
		assert_int_equal(c->cmsg_type, SCM_RIGHTS);
		assert_int_equal(c->cmsg_len, CMSG_LEN(sizeof(int)));
		memcpy(fd, CMSG_DATA(c), sizeof(int));
	}
	return received;
}
