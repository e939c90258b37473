// SPDX-License-Identifier: Apache-2.0
#include "value_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of each value in the file; that of a cache line. */
#define ALIGN 64u

static int file_write(int fd, const uint8_t *value, size_t size, uint64_t offset)
{
	while (size) {
		ssize_t n = pwrite(fd, value, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		value += n;
		size -= (size_t)n;
		offset += (size_t)n;
	}
	return 0;
}

static int file_open(struct nnmodel *model, struct nnmodel_value_file *file)
{
	int fd = memfd_create("nnapi-values", MFD_CLOEXEC | MFD_ALLOW_SEALING), pool;

	if (fd < 0)
		return -errno;
	pool = nnmodel_add_pool(model, fd, PROT_READ, 0, 1);
	if (pool < 0) {
		close(fd);
		return pool;
	}
	file->open = true;
	file->pool = (uint32_t)pool;
	return 0;
}

int nnmodel_set_value_in_file(struct nnmodel *model, struct nnmodel_value_file *file,
			      uint32_t operand, const void *value, size_t size)
{
	const uint64_t offset = (file->size + ALIGN - 1) / ALIGN * ALIGN;
	struct nnmodel_pool *pool;
	int ret = 0;

	if (size >= NNMODEL_LARGE_VALUE && !file->open)
		ret = file_open(model, file);
	/* where there is no such file, the value is copied as small ones are */
	if (size < NNMODEL_LARGE_VALUE || ret)
		return nnmodel_set_value(model, operand, value, size);
	pool = &model->pools[file->pool];
	ret = file_write(pool->fd, value, size, offset);
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	file->size = pool->size = offset + size;
	return nnmodel_set_value_from_pool(model, operand, file->pool, offset, size);
}

int nnmodel_seal_value_file(const struct nnmodel *model, const struct nnmodel_value_file *file)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;

	return file->open && fcntl(model->pools[file->pool].fd, F_ADD_SEALS, seals) ? -errno : 0;
}
