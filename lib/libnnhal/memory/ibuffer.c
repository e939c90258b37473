// SPDX-License-Identifier: Apache-2.0
/*
 * IBuffer: device memory that executions pass to each other. It has content once an execution or
 * copy_from() wrote it, and none after one of them failed; of overlapping writes the one that began
 * last decides. A launched fenced execution promises its content: another execution that waits for
 * fences may be launched on it, and also waits for the writer's fence. All other readers first ask
 * how the writer ended.
 *
 * A token is the place in the device's list and a sequence number, so that it is not reused soon.
 * Destroying the buffer ends its token; its memory stays until the executions that use it end.
 */
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/nnhal_memory.h"
#include "nnutil_process.h"
#include "base/nnhal_base.h"

#define PLACE_BITS 16u
#define MAX_BUFFERS ((1u << PLACE_BITS) - 1)
#define MAX_SEQUENCE 0x7fffu /* tokens are positive as int32_t */

static void buffer_destroy(struct nnhal_buffer *base);
static enum nnhal_status buffer_copy_to(struct nnhal_buffer *base, const struct nnhal_memory *dst);
static enum nnhal_status buffer_copy_from(struct nnhal_buffer *base, const struct nnhal_memory *src,
					  uint32_t rank, const uint32_t *dims);

static const struct nnhal_buffer_ops buffer_ops = {
	.size = sizeof(buffer_ops),
	.destroy = buffer_destroy,
	.copy_to = buffer_copy_to,
	.copy_from = buffer_copy_from,
};

/* ---- tokens ---- */

static int token_add(struct nnhal_buffers *bs, struct nnhal_buf *buf)
{
	uint32_t place, max;
	struct nnhal_buf **list;
	int ret = 0;

	pthread_mutex_lock(&bs->lock);
	for (place = 0; place < bs->max && bs->list[place]; place++)
		;
	if (place == bs->max) {
		max = bs->max ? bs->max * 2 : 16;
		if (max > MAX_BUFFERS)
			max = MAX_BUFFERS;
		list = max > bs->max ? realloc(bs->list, max * sizeof(*list)) : NULL;
		if (list) {
			memset(list + bs->max, 0, (max - bs->max) * sizeof(*list));
			bs->list = list;
			bs->max = max;
		} else {
			ret = -ENOMEM;
		}
	}
	if (!ret) {
		bs->sequence = bs->sequence % MAX_SEQUENCE + 1;
		bs->list[place] = buf;
		buf->token = bs->sequence << PLACE_BITS | place;
	}
	pthread_mutex_unlock(&bs->lock);
	return ret;
}

static void token_remove(struct nnhal_buffers *bs, const struct nnhal_buf *buf)
{
	pthread_mutex_lock(&bs->lock);
	bs->list[buf->token & MAX_BUFFERS] = NULL;
	pthread_mutex_unlock(&bs->lock);
}

struct nnhal_buf *nnhal_buf_find(struct nnhal_buffers *bs, uint32_t token)
{
	uint32_t place = token & MAX_BUFFERS;
	struct nnhal_buf *buf = NULL;

	pthread_mutex_lock(&bs->lock);
	if (place < bs->max && bs->list[place] && bs->list[place]->token == token) {
		buf = bs->list[place];
		atomic_fetch_add_explicit(&buf->refs, 1, memory_order_relaxed);
	}
	pthread_mutex_unlock(&bs->lock);
	return buf;
}

void nnhal_buffers_init(struct nnhal_buffers *bs, struct nnhal_transport *t,
			struct nnhal_ref *owner, unsigned int process)
{
	*bs = (struct nnhal_buffers){ .t = t, .owner = owner, .process = process };
	pthread_mutex_init(&bs->lock, NULL);
}

void nnhal_buffers_fini(struct nnhal_buffers *bs)
{
	free(bs->list); /* empty: each buffer holds the device */
	pthread_mutex_destroy(&bs->lock);
}

/* ---- lifetime ---- */

int nnhal_buf_create(struct nnhal_buffers *bs, const struct nnhal_io *io, uint64_t bytes,
		     struct nnhal_role *roles, uint32_t num_roles, struct nnhal_buf **out)
{
	struct nnhal_buf *buf = calloc(1, sizeof(*buf));
	int ret;

	if (!buf)
		return -ENOMEM;
	buf->base.ops = &buffer_ops;
	atomic_init(&buf->refs, 1);
	buf->io = *io;
	buf->bytes = bytes;
	ret = bs->t->ops->mem_alloc(bs->t, bytes, false, &buf->mem);
	if (ret) {
		free(buf);
		return ret;
	}
	pthread_mutex_init(&buf->lock, NULL);
	ret = token_add(bs, buf);
	if (ret) {
		bs->t->ops->mem_free(bs->t, buf->mem);
		pthread_mutex_destroy(&buf->lock);
		free(buf);
		return ret;
	}
	nnhal_ref_get(bs->owner);
	buf->buffers = bs;
	buf->roles = roles;
	buf->num_roles = num_roles;
	*out = buf;
	return 0;
}

void nnhal_buf_put(struct nnhal_buf *buf)
{
	struct nnhal_buffers *bs = buf->buffers;

	if (atomic_fetch_sub_explicit(&buf->refs, 1, memory_order_acq_rel) != 1)
		return;
	if (buf->writer)
		buf->writer->ops->put(buf->writer);
	bs->t->ops->mem_free(bs->t, buf->mem);
	pthread_mutex_destroy(&buf->lock);
	free(buf->roles);
	free(buf);
	nnhal_ref_put(bs->owner);
}

static void buffer_destroy(struct nnhal_buffer *base)
{
	struct nnhal_buf *buf = (struct nnhal_buf *)base;

	if (nnutil_process_inherited(buf->buffers->process))
		return;
	token_remove(buf->buffers, buf);
	nnhal_buf_put(buf);
}

/* ---- use in executions ---- */

bool nnhal_buf_has_role(const struct nnhal_buf *buf, uint64_t generation, bool output,
			uint32_t index)
{
	for (uint32_t i = 0; i < buf->num_roles; i++) {
		const struct nnhal_role *r = &buf->roles[i];

		if (r->generation == generation && r->output == output && r->index == index)
			return true;
	}
	return false;
}

struct nnhal_promise *nnhal_buf_writer(struct nnhal_buf *buf)
{
	struct nnhal_promise *writer;

	pthread_mutex_lock(&buf->lock);
	writer = buf->writer;
	if (writer)
		writer->ops->get(writer);
	pthread_mutex_unlock(&buf->lock);
	return writer;
}

/* End the write if the writer has ended. */
static void ask_writer(struct nnhal_buf *buf)
{
	struct nnhal_promise *writer = nnhal_buf_writer(buf);

	if (writer) {
		writer->ops->settle(writer); /* calls nnhal_buf_end() */
		writer->ops->put(writer);
	}
}

bool nnhal_buf_readable(struct nnhal_buf *buf, struct nnhal_promise *const *waited_for,
			uint32_t num_waited_for)
{
	bool readable;

	ask_writer(buf);
	pthread_mutex_lock(&buf->lock);
	readable = buf->initialised;
	for (uint32_t i = 0; i < num_waited_for && !readable; i++)
		readable = buf->writer && buf->writer == waited_for[i];
	pthread_mutex_unlock(&buf->lock);
	return readable;
}

uint64_t nnhal_buf_begin(struct nnhal_buf *buf, struct nnhal_promise *writer)
{
	struct nnhal_promise *old = NULL;
	uint64_t write;

	pthread_mutex_lock(&buf->lock);
	write = ++buf->writes;
	if (writer) {
		old = buf->writer;
		writer->ops->get(writer);
		buf->writer = writer;
		buf->initialised = false;
	}
	pthread_mutex_unlock(&buf->lock);
	if (old)
		old->ops->put(old);
	return write;
}

void nnhal_buf_end(struct nnhal_buf *buf, uint64_t write, struct nnhal_promise *writer, bool ok)
{
	struct nnhal_promise *old = NULL;

	pthread_mutex_lock(&buf->lock);
	if (write == buf->writes)
		buf->initialised = ok;
	/* a later promise stays */
	if (write == buf->writes || (writer && buf->writer == writer)) {
		old = buf->writer;
		buf->writer = NULL;
	}
	pthread_mutex_unlock(&buf->lock);
	if (old)
		old->ops->put(old);
}

/* ---- copies ---- */

struct mapped {
	void *map;
	size_t size;
	uint8_t *data;
	int fd;
	uint64_t access; /* DMA_BUF_SYNC_READ, _WRITE */
};

static void sync_cpu(const struct mapped *m, uint64_t edge)
{
	struct dma_buf_sync sync = { .flags = edge | m->access };

	/* other files are coherent and fail the ioctl */
	while (ioctl(m->fd, DMA_BUF_IOCTL_SYNC, &sync) && (errno == EINTR || errno == EAGAIN))
		;
}

static int map_memory(const struct nnhal_memory *memory, bool write, struct mapped *m)
{
	uint64_t skip = memory->offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);

	*m = (struct mapped){
		.size = memory->size + skip,
		.fd = memory->fd,
		.access = write ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ,
	};
	m->map = mmap(NULL, m->size, PROT_READ | (write ? PROT_WRITE : 0), MAP_SHARED, memory->fd,
		      (off_t)(memory->offset - skip));
	if (m->map == MAP_FAILED)
		return -errno;
	m->data = (uint8_t *)m->map + skip;
	sync_cpu(m, DMA_BUF_SYNC_START);
	return 0;
}

static void unmap_memory(struct mapped *m)
{
	sync_cpu(m, DMA_BUF_SYNC_END);
	munmap(m->map, m->size);
}

static bool memory_fits(const struct nnhal_buf *buf, const struct nnhal_memory *memory, int prot)
{
	struct nnhal_identity id;

	return memory && memory->size == buf->bytes && (memory->prot & prot) == prot &&
	       !nnhal_memory_identify(memory, &id);
}

static enum nnhal_status buffer_copy_to(struct nnhal_buffer *base, const struct nnhal_memory *dst)
{
	NNHAL_TRACE_PE("copyTo");
	struct nnhal_buf *buf = (struct nnhal_buf *)base;
	struct mapped m;

	if (nnutil_process_inherited(buf->buffers->process))
		return NNHAL_DEAD_OBJECT;
	if (!memory_fits(buf, dst, PROT_WRITE))
		return NNHAL_INVALID_ARGUMENT;
	if (!nnhal_buf_readable(buf, NULL, 0) || map_memory(dst, true, &m))
		return NNHAL_GENERAL_FAILURE;
	memcpy(m.data, buf->mem->cpu, buf->bytes);
	unmap_memory(&m);
	return NNHAL_NONE;
}

static bool dims_fit(const struct nnhal_buf *buf, uint32_t rank, const uint32_t *dims)
{
	if (rank == 0)
		return true; /* the buffer's shape is complete */
	if (rank != buf->io.rank || !dims)
		return false;
	return !memcmp(dims, buf->io.dims, rank * sizeof(*dims));
}

static enum nnhal_status buffer_copy_from(struct nnhal_buffer *base, const struct nnhal_memory *src,
					  uint32_t rank, const uint32_t *dims)
{
	NNHAL_TRACE_PE("copyFrom");
	struct nnhal_buf *buf = (struct nnhal_buf *)base;
	enum nnhal_status status = NNHAL_NONE;
	struct mapped m;
	uint64_t write;

	if (nnutil_process_inherited(buf->buffers->process))
		return NNHAL_DEAD_OBJECT;
	write = nnhal_buf_begin(buf, NULL);
	if (!dims_fit(buf, rank, dims) || !memory_fits(buf, src, PROT_READ)) {
		status = NNHAL_INVALID_ARGUMENT;
	} else if (map_memory(src, false, &m)) {
		status = NNHAL_GENERAL_FAILURE;
	} else {
		memcpy(buf->mem->cpu, m.data, buf->bytes);
		unmap_memory(&m);
	}
	nnhal_buf_end(buf, write, NULL, status == NNHAL_NONE);
	return status;
}
