// SPDX-License-Identifier: Apache-2.0
/* AHardwareBuffer: descriptions, locks, and sockets with a hostile peer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "child.h"
#include "descriptors.h"
#include "eventually.h"
#include "nativewindow.h"
#include "nnutil_fence.h"
#include "nnutil_process.h"
#include "task_state.h"
#include "temp.h"
#include "test_case.h"

#define READ AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN
#define WRITE AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN
#define CPU (READ | WRITE)

static AHardwareBuffer_Desc blob_desc(uint32_t bytes)
{
	return (AHardwareBuffer_Desc){
		.width = bytes,
		.height = 1,
		.layers = 1,
		.format = AHARDWAREBUFFER_FORMAT_BLOB,
		.usage = CPU,
	};
}

static AHardwareBuffer *blob(uint32_t bytes)
{
	const AHardwareBuffer_Desc desc = blob_desc(bytes);
	AHardwareBuffer *buffer;

	assert_int_equal(AHardwareBuffer_allocate(&desc, &buffer), 0);
	return buffer;
}

/* ---- descriptions ---- */

TEST(which_can_be_allocated)
{
	static const struct {
		AHardwareBuffer_Desc desc;
		bool can;
	} cases[] = {
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, true },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, 0, 7, 0, 0 }, true },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB,
		    CPU | AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, 0, 0, 0 },
		  true },
		{ { 0, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, false },
		{ { 20, 0, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, false },
		{ { 20, 1, 0, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, false },
		{ { 20, 2, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, false },
		{ { 20, 1, 2, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 0 }, false },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 1, 0 }, false },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU, 0, 0, 1 }, false },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB,
		    CPU | AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE, 0, 0, 0 },
		  false },
		{ { 20, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT,
		    0, 0, 0 },
		  false },
		{ { 16, 16, 1, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, CPU, 0, 0, 0 }, true },
		{ { 5, 3, 2, AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM, CPU, 0, 0, 0 }, true },
		{ { 16, 16, 1, AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420, CPU, 0, 0, 0 }, false },
		{ { 16, 16, 1, AHARDWAREBUFFER_FORMAT_D32_FLOAT, CPU, 0, 0, 0 }, false },
		{ { 16, 16, 1, 0, CPU, 0, 0, 0 }, false },
		{ { 16, 16, 1, 0xffff, CPU, 0, 0, 0 }, false },
		{ { UINT32_MAX, UINT32_MAX, UINT32_MAX, AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM, CPU,
		    0, 0, 0 },
		  false },
		{ { 1u << 31, 1u << 31, 2, AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT, CPU, 0, 0,
		    0 },
		  false },
	};

	assert_int_equal(AHardwareBuffer_isSupported(NULL), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AHardwareBuffer *buffer = (void *)1;
		AHardwareBuffer_Desc desc;

		assert_int_equal(AHardwareBuffer_isSupported(&cases[i].desc), cases[i].can);
		assert_int_equal(AHardwareBuffer_allocate(&cases[i].desc, &buffer),
				 cases[i].can ? 0 : -EINVAL);
		if (!cases[i].can) {
			assert_null(buffer);
			continue;
		}
		AHardwareBuffer_describe(buffer, &desc);
		assert_int_equal(desc.width, cases[i].desc.width);
		assert_int_equal(desc.height, cases[i].desc.height);
		assert_int_equal(desc.layers, cases[i].desc.layers);
		assert_int_equal(desc.format, cases[i].desc.format);
		assert_true(desc.usage == cases[i].desc.usage);
		assert_int_equal(desc.stride, cases[i].desc.width);
		AHardwareBuffer_release(buffer);
	}
}

TEST(invalid_buffers)
{
	const AHardwareBuffer_Desc good = blob_desc(8);
	AHardwareBuffer *none[] = { NULL, (void *)16, (void *)&good, blob(8) }, *out = (void *)1;
	AHardwareBuffer_Desc desc;
	int32_t fence = 5;
	uint64_t id;
	void *data;

	assert_int_equal(AHardwareBuffer_allocate(NULL, &out), -EINVAL);
	assert_null(out);
	assert_int_equal(AHardwareBuffer_allocate(&good, NULL), -EINVAL);
	/* the last one was */
	AHardwareBuffer_release(none[3]);
	for (int i = 0; i < 4; i++) {
		AHardwareBuffer_acquire(none[i]);
		AHardwareBuffer_release(none[i]);
		memset(&desc, 0xff, sizeof(desc));
		AHardwareBuffer_describe(none[i], &desc);
		assert_int_equal(desc.width, 0);
		AHardwareBuffer_describe(none[i], NULL);
		assert_int_equal(AHardwareBuffer_lock(none[i], CPU, -1, NULL, &data), -EINVAL);
		assert_null(data);
		assert_int_equal(AHardwareBuffer_unlock(none[i], &fence), -EINVAL);
		assert_int_equal(fence, -1);
		assert_int_equal(AHardwareBuffer_getId(none[i], &id), -EINVAL);
		assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(none[i], -1), -EINVAL);
	}
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(-1, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(-1, &out), -EBADF);
	assert_null(out);
}

/* ---- memory ---- */

static bool can_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A dma-buf wherever this process may have one. */
TEST(the_best_memory_there_is)
{
	const bool dmabuf = can_open("/dev/dma_heap/system", O_RDONLY) ||
			    can_open("/dev/udmabuf", O_RDWR);
	AHardwareBuffer *buffer = blob(5000);
	char link[64], target[64] = "";
	AHardwareBuffer_Desc desc;
	uint64_t size;
	int prot, fd;

	fd = nnaccelHardwareBuffer_open(buffer, &desc, &prot, &size);
	assert_true(fd >= 0);
	assert_int_equal(desc.width, 5000);
	assert_int_equal(prot, PROT_READ | PROT_WRITE);
	assert_int_equal(size, 5000);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	print_message("the memory is %s\n", target);
	if (dmabuf)
		assert_int_equal(strncmp(target, "/dmabuf:", 8), 0);
	else
		assert_true(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK);
	assert_int_equal(ftruncate(fd, 4096), -1);
	close(fd);
	AHardwareBuffer_release(buffer);
	assert_int_equal(nnaccelHardwareBuffer_open(buffer, &desc, &prot, &size), -EINVAL);
}

/* ---- locks ---- */

TEST(locks)
{
	AHardwareBuffer_Desc desc = blob_desc(10000);
	AHardwareBuffer *buffer = blob(10000), *readable;
	int32_t fence = 5, pixel, row;
	AHardwareBuffer_Planes planes;
	uint8_t *data, *again;

	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0, -1, NULL, (void **)&data), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer, AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER, -1,
					      NULL, (void **)&data),
			 -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(buffer, READ, -1, NULL, NULL), -EINVAL);
	assert_int_equal(
		AHardwareBuffer_lock(buffer, CPU, -1, &(ARect){ 0, 0, 5, 1 }, (void **)&data), 0);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(data[i], 0);
	data[9999] = 7;
	assert_int_equal(AHardwareBuffer_lockAndGetInfo(buffer, READ, -1, NULL, (void **)&again,
							&pixel, &row),
			 0);
	assert_ptr_equal(data, again);
	assert_int_equal(pixel, 1);
	assert_int_equal(row, 10000);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, READ, -1, NULL, &planes), 0);
	assert_int_equal(planes.planeCount, 1);
	assert_int_equal(planes.planes[0].rowStride, 10000);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(AHardwareBuffer_unlock(buffer, &fence), 0);
		assert_int_equal(fence, -1);
		assert_int_equal(again[9999], 7);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, &fence), -EINVAL);
	assert_int_equal(AHardwareBuffer_lockPlanes(buffer, READ, -1, NULL, NULL), -EINVAL);
	AHardwareBuffer_acquire(buffer);
	AHardwareBuffer_release(buffer);
	assert_int_equal(AHardwareBuffer_lock(buffer, READ, -1, NULL, (void **)&data), 0);
	AHardwareBuffer_release(buffer); /* locked */

	desc.usage = READ;
	assert_int_equal(AHardwareBuffer_allocate(&desc, &readable), 0);
	assert_int_equal(AHardwareBuffer_lock(readable, WRITE, -1, NULL, (void **)&data), -EINVAL);
	assert_int_equal(AHardwareBuffer_lock(readable, READ, -1, NULL, (void **)&data), 0);
	AHardwareBuffer_release(readable);
}

static void *signal_later(void *fd)
{
	EVENTUALLY(thread_asleep(getpid())); /* in AHardwareBuffer_lock() */
	eventfd_write(*(int *)fd, 1);
	return NULL;
}

TEST(lock_waits_for_a_fence)
{
	AHardwareBuffer *buffer = blob(16);
	int fence = eventfd(0, EFD_CLOEXEC), copy = dup(fence);
	unsigned int files = descriptors_open();
	eventfd_t value = 0;
	pthread_t thread;
	void *data;

	assert_int_equal(pthread_create(&thread, NULL, signal_later, &copy), 0);
	assert_int_equal(AHardwareBuffer_lock(buffer, CPU, fence, NULL, &data), 0);
	assert_int_equal(eventfd_read(copy, &value), 0);
	assert_int_equal(value, 1);
	pthread_join(thread, NULL);
	/* closed, as it is when the lock is refused */
	assert_int_equal(descriptors_open(), files - 1);
	assert_int_equal(fcntl(fence, F_GETFD), -1);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_int_equal(AHardwareBuffer_lock(buffer, 0, copy, NULL, &data), -EINVAL);
	assert_int_equal(fcntl(copy, F_GETFD), -1);
	AHardwareBuffer_release(buffer);
}

/* Fences of user space: one that signalled, one in error, one whose maker died. */
TEST(lock_and_fences_of_user_space)
{
	static const int ends[] = { 0, -EFAULT, 1 };
	AHardwareBuffer *buffer = blob(16);
	int fence, signal;
	void *data;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(nnutil_fence_create(&fence, &signal), 0);
		if (ends[i] == 1)
			nnutil_fd_close(signal);
		else
			nnutil_fence_signal(signal, ends[i]);
		assert_int_equal(AHardwareBuffer_lock(buffer, CPU, fence, NULL, &data),
				 ends[i] ? -EIO : 0);
		assert_int_equal(fcntl(fence, F_GETFD), -1);
	}
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), 0);
	assert_int_equal(AHardwareBuffer_unlock(buffer, NULL), -EINVAL);
	AHardwareBuffer_release(buffer);
}

/* ---- sockets ---- */

static const int types[] = { SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM };

TEST(both_ends_share_the_memory)
{
	for (int t = 0; t < 3; t++) {
		AHardwareBuffer *buffer = blob(5000), *second = blob(1), *other;
		AHardwareBuffer_Desc a, b;
		uint64_t id[3] = { 0 };
		uint8_t *data;
		int s[2];
		pid_t child;

		assert_int_equal(socketpair(AF_UNIX, types[t], 0, s), 0);
		/* two in a row stay two */
		assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, s[0]), 0);
		assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(second, s[0]), 0);
		assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(s[1], &other), 0);
		AHardwareBuffer_describe(buffer, &a);
		AHardwareBuffer_describe(other, &b);
		assert_memory_equal(&a, &b, sizeof(a));
		assert_int_equal(AHardwareBuffer_getId(buffer, &id[0]), 0);
		assert_int_equal(AHardwareBuffer_getId(other, &id[1]), 0);
		assert_int_equal(AHardwareBuffer_getId(second, &id[2]), 0);
		assert_true(id[0] == id[1] && id[0] != id[2]);
		AHardwareBuffer_release(other);
		assert_int_equal(AHardwareBuffer_recvHandleFromUnixSocket(s[1], &other), 0);
		AHardwareBuffer_release(other);
		/* another process writes */
		child = fork();
		if (!child) {
			int ret = AHardwareBuffer_recvHandleFromUnixSocket(s[1], &other) ||
				  AHardwareBuffer_lock(other, WRITE, -1, NULL, (void **)&data);

			if (!ret) {
				data[4999] = 42;
				ret = AHardwareBuffer_unlock(other, NULL);
			}
			_exit(ret ? 1 : 0);
		}
		assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, s[0]), 0);
		assert_int_equal(child_wait(child), 0);
		assert_int_equal(AHardwareBuffer_lock(buffer, READ, -1, NULL, (void **)&data), 0);
		assert_int_equal(data[4999], 42);
		AHardwareBuffer_release(second);
		AHardwareBuffer_release(buffer);
		close(s[0]);
		close(s[1]);
	}
}

/* The wire format, as a hostile peer would write it. */
struct message {
	char magic[8];
	uint32_t width, height, layers, format;
	uint64_t usage;
};

static int receive(int s, AHardwareBuffer **out)
{
	unsigned int files = descriptors_open();
	int ret = AHardwareBuffer_recvHandleFromUnixSocket(s, out);

	/* a refusal closes every descriptor that came with the message */
	assert_int_equal(descriptors_open(), files + (ret ? 0 : 1));
	assert_true(ret ? !*out : !!*out);
	return ret;
}

TEST(messages_of_the_wrong_shape)
{
	const struct message good = { "nnahwb1", 4096, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU };
	uint8_t longer[4096] = { 0 };
	int fds[250], s[2];
	AHardwareBuffer *out;

	for (int i = 0; i < 250; i++)
		fds[i] = memfd_sealed(4096, F_SEAL_SHRINK);
	for (int t = 0; t < 3; t++) {
		struct message m = good;

		assert_int_equal(socketpair(AF_UNIX, types[t], 0, s), 0);
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 1), sizeof(m));
		assert_int_equal(receive(s[1], &out), 0);
		AHardwareBuffer_release(out);
		/* too short, too long, with none, two and many descriptors */
		assert_int_equal(unix_send(s[0], &m, sizeof(m) - 1, fds, 1), sizeof(m) - 1);
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 0), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 2), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 250), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		/* a foreign message, and malformed descriptions */
		m.magic[6] = '2';
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 1), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		m = good;
		m.width = 0;
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 1), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		m = good;
		m.height = m.layers = m.width = UINT32_MAX;
		m.format = AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT;
		assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 1), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		if (types[t] != SOCK_STREAM) {
			memcpy(longer, &good, sizeof(good));
			assert_int_equal(unix_send(s[0], longer, sizeof(longer), fds, 1),
					 sizeof(longer));
			assert_int_equal(receive(s[1], &out), -EBADMSG);
		}
		if (types[t] != SOCK_DGRAM) {
			assert_int_equal(fcntl(s[1], F_SETFL, O_NONBLOCK), 0);
			assert_int_equal(receive(s[1], &out), -EAGAIN);
			close(s[0]);
			assert_int_equal(receive(s[1], &out), -EPIPE);
		} else {
			close(s[0]);
		}
		close(s[1]);
	}
	for (int i = 0; i < 250; i++)
		close(fds[i]);
}

/* Files that would raise SIGBUS in, or deceive, a process that maps them. */
TEST(memory_of_the_wrong_kind)
{
	const struct message m = { "nnahwb1", 4096, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU };
	char shm[64];
	int fds[12], n = 0, s[2], pipes[2], sealed = memfd_sealed(8192, F_SEAL_SHRINK);
	AHardwareBuffer *out;
	void *data;

	assert_int_equal(pipe(pipes), 0);
	fds[n++] = pipes[0];
	fds[n++] = pipes[1];
	fds[n++] = open("/dev/zero", O_RDWR);
	fds[n++] = open("/", O_RDONLY | O_DIRECTORY);
	fds[n++] = open("/", O_PATH);
	fds[n++] = temp_file(8192);
	snprintf(shm, sizeof(shm), "/nativewindow-%d", (int)getpid());
	fds[n++] = shm_open(shm, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_int_equal(ftruncate(fds[n - 1], 8192), 0);
	fds[n++] = memfd_sealed(8192, 0); /* may shrink */
	fds[n++] = memfd_sealed(8192, F_SEAL_GROW | F_SEAL_SEAL);
	fds[n++] = memfd_sealed(4095, F_SEAL_SHRINK); /* too small */
	fds[n++] = eventfd(0, 0);
	fds[n++] = descriptors_reopen(sealed, O_WRONLY);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	for (int i = 0; i < n; i++) {
		assert_true(fds[i] >= 0);
		assert_int_equal(unix_send(s[0], &m, sizeof(m), &fds[i], 1), sizeof(m));
		assert_int_equal(receive(s[1], &out), -EBADMSG);
		close(fds[i]);
	}
	shm_unlink(shm);

	/* one that can only be read can be read */
	fds[0] = descriptors_reopen(sealed, O_RDONLY);
	assert_int_equal(unix_send(s[0], &m, sizeof(m), fds, 1), sizeof(m));
	assert_int_equal(receive(s[1], &out), 0);
	assert_int_equal(AHardwareBuffer_lock(out, CPU, -1, NULL, &data), -EACCES);
	assert_int_equal(AHardwareBuffer_lock(out, READ, -1, NULL, &data), 0);
	AHardwareBuffer_release(out);
	close(fds[0]);
	close(sealed);
	close(s[0]);
	close(s[1]);
}

/* A kernel without huge pages may refuse it, which is as well. */
static int huge_memfd(void)
{
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);

	if (fd >= 0 && (ftruncate(fd, 2 << 20) || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Huge pages may be missing when they are touched. */
TEST(memory_of_huge_pages)
{
	const struct message m = { "nnahwb1", 4096, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU };
	int fd = huge_memfd(), s[2];
	AHardwareBuffer *out;

	assert_true(fd >= 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	assert_int_equal(unix_send(s[0], &m, sizeof(m), &fd, 1), sizeof(m));
	assert_int_equal(receive(s[1], &out), -EBADMSG);
	close(fd);
	close(s[0]);
	close(s[1]);
}

/*
 * A dma-buf over the pages of a memfd. -1: there is no /dev/udmabuf; the guest of tests/vm has it.
 */
static int dmabuf_over(int pages)
{
	struct udmabuf_create create = { .memfd = (uint32_t)pages,
					 .flags = UDMABUF_FLAGS_CLOEXEC,
					 .size = 4096 };
	int device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	int fd = device >= 0 ? ioctl(device, UDMABUF_CREATE, &create) : -1;

	if (device >= 0)
		close(device);
	return fd;
}

/* A dma-buf of a peer's own. */
TEST(memory_of_a_dmabuf)
{
	const struct message good = { "nnahwb1", 4096, 1, 1, AHARDWAREBUFFER_FORMAT_BLOB, CPU };
	struct message large = good;
	int pages = memfd_sealed(4096, F_SEAL_SHRINK), fd = dmabuf_over(pages), s[2];
	AHardwareBuffer *out;
	uint8_t *data;

	assert_true(fd >= 0);
	large.width = 4097;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, s), 0);
	assert_int_equal(unix_send(s[0], &large, sizeof(large), &fd, 1), sizeof(large));
	assert_int_equal(receive(s[1], &out), -EBADMSG);
	assert_int_equal(unix_send(s[0], &good, sizeof(good), &fd, 1), sizeof(good));
	assert_int_equal(receive(s[1], &out), 0);
	assert_int_equal(AHardwareBuffer_lock(out, CPU, -1, NULL, (void **)&data), 0);
	data[4095] = 9;
	assert_int_equal(AHardwareBuffer_unlock(out, NULL), 0);
	assert_int_equal(pread(pages, &data, 1, 4095), 1);
	assert_int_equal(*(uint8_t *)&data, 9);
	AHardwareBuffer_release(out);
	close(fd);
	close(pages);
	close(s[0]);
	close(s[1]);
}

TEST(a_peer_that_is_gone)
{
	AHardwareBuffer *buffer = blob(8);
	int s[2], file = open("/dev/null", O_RDWR);

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, s), 0);
	close(s[1]);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, s[0]), -EPIPE);
	assert_int_equal(AHardwareBuffer_sendHandleToUnixSocket(buffer, file), -ENOTSOCK);
	close(file);
	close(s[0]);
	AHardwareBuffer_release(buffer);
}

/* ---- threads and forks ---- */

static void *churn(void *shared)
{
	for (int i = 0; i < 300; i++) {
		AHardwareBuffer *mine = blob(64);
		void *data;

		assert_int_equal(AHardwareBuffer_lock(shared, CPU, -1, NULL, &data), 0);
		AHardwareBuffer_acquire(shared);
		assert_int_equal(AHardwareBuffer_unlock(shared, NULL), 0);
		AHardwareBuffer_release(shared);
		AHardwareBuffer_release(mine);
	}
	return NULL;
}

TEST(threads_and_children)
{
	AHardwareBuffer *shared = blob(64);
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, shared), 0);
	/* whatever a thread held when the process was forked, the child can go on */
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(60);
			AHardwareBuffer_release(blob(32));
			/* not _exit(): TSan would count the parent's threads as lost */
			syscall(SYS_exit_group, 0);
		}
		assert_int_equal(child_wait(child), 0);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(AHardwareBuffer_unlock(shared, NULL), -EINVAL);
	AHardwareBuffer_release(shared);
}

/* A released buffer leaves no descriptor and no mapping. */
TEST(all_is_given_back)
{
	unsigned int files = descriptors_open();
	void *data;

	for (int i = 0; i < 100; i++) {
		AHardwareBuffer *buffer = blob(1 << 20);

		assert_int_equal(AHardwareBuffer_lock(buffer, CPU, -1, NULL, &data), 0);
		AHardwareBuffer_release(buffer);
	}
	assert_int_equal(descriptors_open(), files);
}

/*
 * Leave out cases that this machine lacks the device for; cmocka passes over entries without a
 * function.
 */
static struct CMUnitTest where(bool possible, struct CMUnitTest test, const char *what)
{
	if (possible)
		return test;
	print_message("not tested here: %s: this machine has no %s\n", test.name, what);
	return (struct CMUnitTest){ 0 };
}

int main(void)
{
	int pages = memfd_sealed(4096, F_SEAL_SHRINK), dmabuf = dmabuf_over(pages),
	    huge = huge_memfd();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(which_can_be_allocated),
		cmocka_unit_test(invalid_buffers),
		cmocka_unit_test(the_best_memory_there_is),
		cmocka_unit_test(locks),
		cmocka_unit_test(lock_waits_for_a_fence),
		cmocka_unit_test(lock_and_fences_of_user_space),
		cmocka_unit_test(both_ends_share_the_memory),
		cmocka_unit_test(messages_of_the_wrong_shape),
		cmocka_unit_test(memory_of_the_wrong_kind),
		where(huge >= 0, (struct CMUnitTest)cmocka_unit_test(memory_of_huge_pages),
		      "huge pages"),
		where(dmabuf >= 0, (struct CMUnitTest)cmocka_unit_test(memory_of_a_dmabuf),
		      "/dev/udmabuf"),
		cmocka_unit_test(a_peer_that_is_gone),
		cmocka_unit_test(threads_and_children),
		cmocka_unit_test(all_is_given_back),
	};

	close(pages);
	if (dmabuf >= 0)
		close(dmabuf);
	if (huge >= 0)
		close(huge);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
