// SPDX-License-Identifier: Apache-2.0
/*
 * Memory objects: made from descriptors of files, counted, mapped on demand, and where they may be
 * used.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory/memory.h"

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142 /* linux/magic.h's, of later headers */
#endif

static atomic_int_fast64_t last_id;

ANeuralNetworksMemory *nnr_memory_alloc(void)
{
	ANeuralNetworksMemory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	atomic_init(&memory->refs, 1);
	memory->id = (int64_t)atomic_fetch_add(&last_id, 1) + 1;
	memory->shared.fd = -1;
	nnr_fork_watch();
	atomic_init(&memory->process, nnr_process_number());
	pthread_mutex_init(&memory->lock, NULL);
	return memory;
}

struct ANeuralNetworksMemory *nnr_memory_get(ANeuralNetworksMemory *memory)
{
	atomic_fetch_add_explicit(&memory->refs, 1, memory_order_relaxed);
	return memory;
}

static uint64_t page_offset(const struct nnhal_memory *shared)
{
	return shared->offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
}

void nnr_memory_put(ANeuralNetworksMemory *memory)
{
	uint32_t i;

	if (!memory || atomic_fetch_sub_explicit(&memory->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnr_slots_forget(memory->id);
	if (memory->mapping)
		munmap((uint8_t *)memory->mapping - page_offset(&memory->shared),
		       memory->shared.size + page_offset(&memory->shared));
	if (memory->shared.fd >= 0)
		close(memory->shared.fd);
	if (memory->buffer)
		memory->buffer->ops->destroy(memory->buffer);
	for (i = 0; i < memory->num_roles; i++)
		nnr_plan_put(memory->roles[i].plan);
	free(memory->roles);
	free(memory->initial_dims);
	free(memory->dims);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd, size_t offset,
				       ANeuralNetworksMemory **memory)
{
	NNTRACE_RT(NNTRACE_PHASE_PREPARATION, "ANeuralNetworksMemory_createFromFd");
	ANeuralNetworksMemory *made;

	if (!memory) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"ANeuralNetworksMemory_createFromFd: nowhere to put the memory");
		return ANEURALNETWORKS_UNEXPECTED_NULL;
	}
	*memory = NULL;
	if (fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksMemory_createFromFd: %d is no descriptor",
			fd);
		return ANEURALNETWORKS_OP_FAILED;
	}
	made = nnr_memory_alloc();
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	made->shared = (struct nnhal_memory){
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
		.prot = protect,
		.offset = offset,
		.size = size,
	};
	if (made->shared.fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "ANeuralNetworksMemory_createFromFd: %s", strerror(errno));
		nnr_memory_put(made);
		return ANEURALNETWORKS_OP_FAILED;
	}
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory)
{
	NNTRACE_RT(NNTRACE_PHASE_TERMINATION, "ANeuralNetworksMemory_free");

	nnr_memory_put(memory);
}

/* A file that is too short can be mapped, and kills who touches it: it is not mapped here. */
static int map_shared(ANeuralNetworksMemory *memory)
{
	const struct nnhal_memory *shared = &memory->shared;
	uint64_t skip = page_offset(shared), end;
	off_t length = lseek(shared->fd, 0, SEEK_END);
	struct statfs fs;
	void *base;

	if (!shared->size || __builtin_add_overflow(shared->offset, shared->size, &end) ||
	    (length >= 0 && end > (uint64_t)length)) {
		nnutil_log(NNUTIL_LOG_WARNING, "memory of %llu bytes at %llu reaches beyond its file",
			(unsigned long long)shared->size, (unsigned long long)shared->offset);
		return ANEURALNETWORKS_UNMAPPABLE;
	}
	base = mmap(NULL, shared->size + skip, shared->prot & (PROT_READ | PROT_WRITE), MAP_SHARED,
		    shared->fd, (off_t)(shared->offset - skip));
	if (base == MAP_FAILED) {
		nnutil_log(NNUTIL_LOG_WARNING, "memory cannot be mapped: %s", strerror(errno));
		return ANEURALNETWORKS_UNMAPPABLE;
	}
	memory->mapping = (uint8_t *)base + skip;
	memory->dmabuf = !fstatfs(shared->fd, &fs) && fs.f_type == DMA_BUF_MAGIC;
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_memory_map(ANeuralNetworksMemory *memory, void **data)
{
	int result = ANEURALNETWORKS_NO_ERROR;

	if (memory->shared.fd < 0)
		return ANEURALNETWORKS_UNMAPPABLE;
	nnr_memory_lock(memory);
	if (!memory->mapping)
		result = map_shared(memory);
	*data = memory->mapping;
	pthread_mutex_unlock(&memory->lock);
	return result;
}

/* Other memory is coherent. A device that does not answer leaves the contents as they are. */
void nnr_memory_cpu_access(const ANeuralNetworksMemory *memory, bool write, bool begin)
{
	struct dma_buf_sync sync = {
		.flags = (begin ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END) | DMA_BUF_SYNC_READ |
			 (write ? DMA_BUF_SYNC_WRITE : 0),
	};

	if (!memory->dmabuf)
		return;
	while (ioctl(memory->shared.fd, DMA_BUF_IOCTL_SYNC, &sync) &&
	       (errno == EINTR || errno == EAGAIN))
		;
}

int nnr_memory_create_host(uint64_t size, ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *made = nnr_memory_alloc();
	int fd;

	*memory = NULL;
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	fd = memfd_create("nnapi-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	made->shared = (struct nnhal_memory){
		.fd = fd,
		.prot = PROT_READ | PROT_WRITE,
		.size = size,
	};
	/* sealed, so that drivers may map or import it instead of copying */
	if (fd < 0 || size > INT64_MAX || ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)) {
		nnutil_log(NNUTIL_LOG_ERROR, "memory of %llu bytes: %s", (unsigned long long)size,
			strerror(errno));
		nnr_memory_put(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- where it may be used ---- */

static int validate_range(const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	size_t end;

	if (memory->image) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"an AHardwareBuffer of images, whose layout no operand has: use format BLOB");
		return ANEURALNETWORKS_BAD_DATA;
	}
	if (__builtin_add_overflow(offset, length, &end) || end > memory->shared.size ||
	    (!offset && !length)) {
		nnutil_log(NNUTIL_LOG_WARNING, "%zu bytes at %zu of a memory of %llu", length, offset,
			(unsigned long long)memory->shared.size);
		return ANEURALNETWORKS_BAD_DATA;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_memory_validate_constant(const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	if (memory->from_desc) {
		nnutil_log(NNUTIL_LOG_WARNING, "a memory made from a descriptor cannot be a constant");
		return ANEURALNETWORKS_BAD_DATA;
	}
	return validate_range(memory, offset, length);
}

static bool has_role(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan, bool input,
		     uint32_t index)
{
	uint32_t i;

	for (i = 0; i < memory->num_roles; i++)
		if (memory->roles[i].plan == plan && memory->roles[i].input == input &&
		    memory->roles[i].index == index)
			return true;
	return false;
}

int nnr_memory_validate_argument(const ANeuralNetworksMemory *memory, const struct nnr_plan *plan,
				 bool input, uint32_t index, const ANeuralNetworksOperandType *type,
				 size_t offset, size_t length)
{
	uint32_t dims[NNR_MAX_RANK], rank;

	if (!memory->from_desc)
		return validate_range(memory, offset, length);
	if (nnr_inherited(memory->roles[0].plan)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"a memory made from a descriptor before fork() is the parent's");
		return ANEURALNETWORKS_DEAD_OBJECT;
	}
	if (!has_role(memory, plan, input, index)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"the memory's descriptor has no role for %s %u of this compilation",
			input ? "input" : "output", index);
		return ANEURALNETWORKS_BAD_DATA;
	}
	if (offset || length) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"a memory made from a descriptor is used whole: offset and length are 0");
		return ANEURALNETWORKS_BAD_DATA;
	}
	if (!type)
		return ANEURALNETWORKS_NO_ERROR;
	rank = memory->initial_rank;
	if (rank)
		memcpy(dims, memory->initial_dims, rank * sizeof(*dims));
	if (!nnr_dims_merge(&rank, dims, type->dimensionCount, type->dimensions)) {
		nnutil_log(NNUTIL_LOG_WARNING,
			"dimensions that contradict those of the memory's descriptor");
		return ANEURALNETWORKS_BAD_DATA;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_memory_check_input(ANeuralNetworksMemory *memory, uint32_t rank, const uint32_t *dims)
{
	const char *wrong = NULL;

	if (!memory->from_desc)
		return ANEURALNETWORKS_NO_ERROR;
	nnr_memory_lock(memory);
	if (!memory->initialized)
		wrong = "is read before it was written";
	else if (rank != memory->rank || (rank && memcmp(dims, memory->dims, rank * sizeof(*dims))))
		wrong = "has another shape than the input";
	pthread_mutex_unlock(&memory->lock);
	if (!wrong)
		return ANEURALNETWORKS_NO_ERROR;
	nnutil_log(NNUTIL_LOG_WARNING, "a memory made from a descriptor %s", wrong);
	return ANEURALNETWORKS_OP_FAILED;
}

void nnr_memory_written(ANeuralNetworksMemory *memory, bool success, uint32_t rank,
			const uint32_t *dims)
{
	if (!memory->from_desc)
		return;
	nnr_memory_lock(memory);
	memory->initialized = success;
	if (success && rank <= NNR_MAX_RANK) {
		memory->rank = rank;
		if (rank)
			memcpy(memory->dims, dims, rank * sizeof(*dims));
	}
	pthread_mutex_unlock(&memory->lock);
}
