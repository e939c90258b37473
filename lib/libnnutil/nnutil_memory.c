// SPDX-License-Identifier: Apache-2.0
#include "nnutil_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>

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
