// SPDX-License-Identifier: Apache-2.0
/*
 * Constants: nnmodel.values and pools. Only the part of a pool that constants refer to is made
 * readable, and never by a mapping of a file that can shrink: a read beyond the end of a truncated
 * file raises SIGBUS.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnmodel_common.h"
#include "nnmodel_rows.h"
#include "value_file.h"

struct pool_map {
	uint8_t *base; /* of @size bytes mapped, or NULL: no constant in this pool */
	size_t size;
	const uint8_t *data; /* byte @start of the pool */
	uint64_t start, end; /* range of the pool that is readable at @data */
	bool sealed; /* nothing can change the file */
};

struct nnmodel_maps {
	uint32_t num;
	struct pool_map pools[];
};

void nnmodel_unmap_pools(struct nnmodel_maps *maps)
{
	uint32_t i;

	if (!maps)
		return;
	for (i = 0; i < maps->num; i++)
		if (maps->pools[i].base)
			munmap(maps->pools[i].base, maps->pools[i].size);
	free(maps);
}

/* Widen the ranges to what the constants of @g refer to. */
static int pools_collect(const struct nnmodel *model, const struct nnmodel_subgraph *g,
			 struct nnmodel_maps *maps)
{
	uint32_t i;

	for (i = 0; i < g->num_operands; i++) {
		const struct nnmodel_operand *o = &g->operands[i];
		struct pool_map *map;
		uint64_t end;

		if (o->lifetime != NNMODEL_CONSTANT_REFERENCE || !o->location.length)
			continue;
		if (o->location.pool >= maps->num ||
		    __builtin_add_overflow(o->location.offset, o->location.length, &end) ||
		    end > model->pools[o->location.pool].size)
			return -EINVAL;
		map = &maps->pools[o->location.pool];
		if (map->start == map->end) {
			map->start = o->location.offset;
			map->end = end;
		} else {
			if (o->location.offset < map->start)
				map->start = o->location.offset;
			if (end > map->end)
				map->end = end;
		}
	}
	return 0;
}

/* The private copy: anonymous pages, filled by pread(). */
static int copy_range(int fd, uint64_t offset, size_t size, struct pool_map *map)
{
	size_t done = 0;

	map->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map->base == MAP_FAILED) {
		map->base = NULL;
		return -ENOMEM;
	}
	map->size = size;
	while (done < size) {
		const ssize_t n = pread(fd, map->base + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n) /* shrunk since fstat() */
			return -EINVAL;
		done += (size_t)n;
	}
	map->data = map->base;
	return mprotect(map->base, size, PROT_READ) ? -errno : 0;
}

static int map_range(int fd, uint64_t offset, size_t size, struct pool_map *map)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t skip = offset % page;
	size_t bytes;
	void *p;

	if (__builtin_add_overflow(size, skip, &bytes))
		return -EINVAL;
	p = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)(offset - skip));
	if (p == MAP_FAILED)
		return -errno;
	map->base = p;
	map->size = bytes;
	map->data = map->base + skip;
	return 0;
}

/*
 * From here on the writes of other devices to a dma-buf are visible; constants do not change
 * afterwards.
 */
static void make_coherent(int fd)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ };

	while (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		if (errno != EINTR && errno != EAGAIN)
			return; /* no dma-buf, as a rule */
	sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
	ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

static int map_pool(const struct nnmodel_pool *pool, struct pool_map *map)
{
	const size_t size = map->end - map->start;
	uint64_t pool_end, offset;
	struct stat st;
	bool regular;
	off_t length;
	int seals;

	/* every byte of the pool must be in the file, used or not; off_t is signed */
	if (__builtin_add_overflow(pool->offset, pool->size, &pool_end) || pool_end > INT64_MAX)
		return -EINVAL;
	offset = pool->offset + map->start;
	if (fstat(pool->fd, &st))
		return -errno;
	regular = S_ISREG(st.st_mode);
	length = regular ? st.st_size : lseek(pool->fd, 0, SEEK_END);
	if (length < 0)
		return -errno;
	if (pool_end > (uint64_t)length)
		return -EINVAL;
	seals = nnutil_memfd_seals(pool->fd);
	if (regular && (seals < 0 || !(seals & F_SEAL_SHRINK)))
		return copy_range(pool->fd, offset, size, map);
	if (!regular)
		make_coherent(pool->fd);
	else
		map->sealed = seals & F_SEAL_WRITE;
	return map_range(pool->fd, offset, size, map);
}

int nnmodel_map_pools(const struct nnmodel *model, struct nnmodel_maps **maps)
{
	struct nnmodel_maps *m;
	struct nnmodel older;
	uint32_t i;
	int ret;

	*maps = NULL;
	model = nnmodel_known(model, &older);
	if (!model)
		return -EINVAL;
	m = calloc(1, sizeof(*m) + (size_t)model->num_pools * sizeof(m->pools[0]));
	if (!m)
		return -ENOMEM;
	m->num = model->num_pools;
	ret = pools_collect(model, &model->main, m);
	for (i = 0; !ret && i < model->num_referenced; i++)
		ret = pools_collect(model, &model->referenced[i], m);
	for (i = 0; !ret && i < m->num; i++)
		if (m->pools[i].end > m->pools[i].start)
			ret = map_pool(&model->pools[i], &m->pools[i]);
	if (ret) {
		nnmodel_unmap_pools(m);
		return ret;
	}
	*maps = m;
	return 0;
}

int nnmodel_constant(const struct nnmodel *model, const struct nnmodel_maps *maps,
		     const struct nnmodel_operand *operand, const void **data, size_t *size)
{
	const struct nnmodel_location *loc = &operand->location;
	uint64_t end;

	*data = NULL;
	*size = 0;
	if (!nnmodel_is_constant(operand))
		return -ENODATA;
	if (__builtin_add_overflow(loc->offset, loc->length, &end))
		return -EINVAL;
	if (operand->lifetime == NNMODEL_CONSTANT_COPY) {
		if (end > model->values_size)
			return -EINVAL;
		if (model->values)
			*data = model->values + loc->offset;
	} else {
		const struct pool_map *map;

		if (!maps || loc->pool >= maps->num)
			return -EINVAL;
		map = &maps->pools[loc->pool];
		if (!map->base || loc->offset < map->start || end > map->end)
			return -EINVAL;
		*data = map->data + (loc->offset - map->start);
	}
	*size = loc->length;
	return 0;
}

bool nnmodel_any_sealed(const struct nnmodel_maps *maps)
{
	for (uint32_t i = 0; i < maps->num; i++)
		if (maps->pools[i].sealed)
			return true;
	return false;
}

int nnmodel_sealed_file(const struct nnmodel *model, const struct nnmodel_maps *maps,
			const void *data, size_t size, uint64_t *offset)
{
	for (uint32_t i = 0; i < maps->num; i++) {
		const struct pool_map *map = &maps->pools[i];
		const uint64_t into = (uintptr_t)data - (uintptr_t)map->data;

		if (!map->sealed || into > map->end - map->start ||
		    size > map->end - map->start - into)
			continue;
		*offset = model->pools[i].offset + map->start + into;
		return model->pools[i].fd;
	}
	return -1;
}

/* ---- values in files ---- */

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
