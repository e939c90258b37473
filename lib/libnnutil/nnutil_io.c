// SPDX-License-Identifier: Apache-2.0
/* Descriptors: whole reads and writes, what memory they are, and waiting for them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_clock.h"

#define FIRST_SIZE 4096u

/* Where a transfer goes on; offset -1: at the file's position. */
struct place {
	int fd;
	off_t offset;
};

static ssize_t read_some(const struct place *p, char *data, size_t size)
{
	return p->offset < 0 ? read(p->fd, data, size) : pread(p->fd, data, size, p->offset);
}

static ssize_t write_some(const struct place *p, const char *data, size_t size)
{
	return p->offset < 0 ? write(p->fd, data, size) : pwrite(p->fd, data, size, p->offset);
}

static void io_advance(struct place *p, size_t n)
{
	if (p->offset >= 0)
		p->offset += (off_t)n;
}

static int read_at(struct place p, char *data, size_t size)
{
	ssize_t n;

	while (size) {
		n = read_some(&p, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		data += n;
		size -= (size_t)n;
		io_advance(&p, (size_t)n);
	}
	return 0;
}

static int write_at(struct place p, const char *data, size_t size)
{
	ssize_t n;

	while (size) {
		n = write_some(&p, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		data += n;
		size -= (size_t)n;
		io_advance(&p, (size_t)n);
	}
	return 0;
}

int nnutil_read_all(int fd, void *data, size_t size)
{
	return read_at((struct place){ fd, -1 }, data, size);
}

int nnutil_write_all(int fd, const void *data, size_t size)
{
	return write_at((struct place){ fd, -1 }, data, size);
}

int nnutil_pread_all(int fd, void *data, size_t size, off_t offset)
{
	return offset < 0 ? -EINVAL : read_at((struct place){ fd, offset }, data, size);
}

int nnutil_pwrite_all(int fd, const void *data, size_t size, off_t offset)
{
	return offset < 0 ? -EINVAL : write_at((struct place){ fd, offset }, data, size);
}

/* Room for one more byte and the NUL. */
static int io_grow(char **data, size_t *room, size_t used)
{
	size_t more;
	char *p;

	if (used + 1 < *room)
		return 0;
	more = *room ? *room * 2 : FIRST_SIZE;
	p = more > *room ? realloc(*data, more) : NULL;
	if (!p)
		return -ENOMEM;
	*data = p;
	*room = more;
	return 0;
}

int nnutil_read_to_end(int fd, size_t max, char **data, size_t *size)
{
	size_t room = 0, used = 0;
	char *p = NULL;
	ssize_t n = 1;
	int ret = 0;

	while (!ret && n) {
		ret = io_grow(&p, &room, used);
		if (ret)
			break;
		n = read(fd, p + used, room - used - 1);
		if (n < 0) {
			ret = errno == EINTR ? 0 : -errno;
			continue;
		}
		used += (size_t)n;
		if (used > max)
			ret = -EFBIG;
	}
	if (ret) {
		free(p);
		return ret;
	}
	p[used] = '\0';
	*data = p;
	if (size)
		*size = used;
	return 0;
}

int nnutil_read_file(const char *path, size_t max, char **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = nnutil_read_to_end(fd, max, data, size);
	close(fd);
	return ret;
}

/* ---- memory ---- */

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142 /* linux/magic.h's, of later headers */
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* of Linux 5.14 */
#endif

bool nnutil_make_pages(void *from, size_t size)
{
	return !madvise(from, size, MADV_POPULATE_WRITE);
}

static bool is_of(int fd, unsigned long magic)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && (unsigned long)fs.f_type == magic;
}

int nnutil_memfd_seals(int fd)
{
	/* first: only memory has seals, and fstatfs() of a foreign file system might hang */
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && is_of(fd, TMPFS_MAGIC) ? seals : -1;
}

bool nnutil_is_dmabuf(int fd)
{
	return is_of(fd, DMA_BUF_MAGIC);
}

/* ---- waiting ---- */

int64_t nnutil_deadline(int64_t limit_ns)
{
	int64_t deadline_ns;

	if (limit_ns < 0)
		return -1;
	return __builtin_add_overflow(nnutil_monotonic_ns(), limit_ns, &deadline_ns) ? INT64_MAX
										     : deadline_ns;
}

int nnutil_wait_fd(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = { .fd = fd, .events = events };
	struct timespec left = { 0 };
	int64_t ns;
	int ready;

	for (;;) {
		if (deadline_ns >= 0) {
			ns = deadline_ns - nnutil_monotonic_ns();
			left = nnutil_timespec(ns > 0 ? ns : 0);
		}
		ready = ppoll(&p, 1, deadline_ns >= 0 ? &left : NULL, NULL);
		if (ready >= 0)
			return ready ? 0 : -ETIME;
		if (errno != EINTR)
			return -errno;
	}
}
