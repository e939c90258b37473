// SPDX-License-Identifier: Apache-2.0
/*
 * Which memory a direct channel may have. A thread of the service writes to it for as long as the
 * channel is there, so nothing that a client does to it may stop or end that thread: the memory is
 * of the kernel's own kinds, a memfd in tmpfs (not in a file system that asks a process of the
 * client's for each page, not in hugetlbfs, whose pages run out) that cannot shrink, or a dma-buf,
 * whose size is fixed.
 *
 * A memfd has all of its pages when it comes: they are the client's, and are not made by the
 * service. channel_fault.c handles holes that are made later.
 *
 * No memory is two channels': two writers would write one ring. A file is known by its device and
 * inode, which no other file has while the channel's mapping keeps it.
 */
#include "core/sensord_core.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_file.h"

static pthread_mutex_t maps_lock = PTHREAD_MUTEX_INITIALIZER;
static struct channel_map *maps;

/* ---- kinds of memory ---- */

static bool can_write(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

/* Bytes of a memfd that cannot become fewer. */
static int64_t memfd_size(int fd)
{
	const int seals = nnutil_memfd_seals(fd);
	struct stat st;

	if (seals < 0 || !can_write(fd) || (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)))
		return -EINVAL;
	if (!(seals & F_SEAL_SHRINK) && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -EINVAL;
	/* only now is it the size that it keeps */
	return fstat(fd, &st) || !S_ISREG(st.st_mode) ? -EINVAL : st.st_size;
}

static bool has_pages(int fd, uint64_t size)
{
	struct stat st;

	return !fstat(fd, &st) && (uint64_t)st.st_blocks * 512 >= size;
}

static int64_t dma_buf_size(int fd)
{
	off_t size;

	if (!nnutil_is_dmabuf(fd))
		return -EINVAL;
	if (!can_write(fd))
		return -ENOSYS;
	size = lseek(fd, 0, SEEK_END);
	return size < 0 ? -EINVAL : size;
}

/* ---- maps ---- */

static bool add_map(struct channel_map *map)
{
	struct channel_map *m;

	pthread_mutex_lock(&maps_lock);
	for (m = maps; m; m = m->next)
		if (m->dev == map->dev && m->ino == map->ino)
			break;
	if (!m) {
		map->next = maps;
		maps = map;
	}
	pthread_mutex_unlock(&maps_lock);
	return !m;
}

static void remove_map(const struct channel_map *map)
{
	struct channel_map **at = &maps;

	pthread_mutex_lock(&maps_lock);
	while (*at != map)
		at = &(*at)->next;
	*at = map->next;
	pthread_mutex_unlock(&maps_lock);
}

int channel_memory_map(enum channel_memory kind, int fd, uint64_t size, struct channel_map *map)
{
	const int64_t has = kind == CHANNEL_ASHMEM ? memfd_size(fd) : dma_buf_size(fd);
	struct stat st;

	if (has < 0)
		return (int)has;
	if ((uint64_t)has < size || size > CHANNEL_SIZE_MAX ||
	    (kind == CHANNEL_ASHMEM && !has_pages(fd, size)))
		return -ENOMEM;
	if (fstat(fd, &st))
		return -EINVAL;
	*map = (struct channel_map){ .dev = st.st_dev, .ino = st.st_ino, .pages.size = size };
	if (!add_map(map))
		return -ENOMEM;
	map->pages.data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map->pages.data == MAP_FAILED) {
		const int error = errno;

		remove_map(map);
		return error == ENOMEM ? -ENOMEM : kind == CHANNEL_ASHMEM ? -EINVAL : -ENOSYS;
	}
	channel_fault_watch(&map->pages);
	return 0;
}

void channel_memory_unmap(struct channel_map *map)
{
	munmap(map->pages.data, map->pages.size);
	remove_map(map);
}

/* ---- access ---- */

int channel_memory_begin(enum channel_memory kind, int fd)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE };

	if (kind != CHANNEL_GRALLOC)
		return 0;
	while (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		if (errno != EINTR && errno != EAGAIN)
			return -ENOSYS;
	return 0;
}

void channel_memory_end(enum channel_memory kind, int fd)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE };

	if (kind == CHANNEL_GRALLOC)
		ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}
