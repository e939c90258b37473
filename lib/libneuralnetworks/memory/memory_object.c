// SPDX-License-Identifier: Apache-2.0
/* Memory objects: created, counted, mapped on demand. */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nnutil_align.h"
#include "nnutil_file.h"

#include "base/nnr_base.h"
#include "memory/nnr_memory.h"
#include "model/nnr_model.h"

static atomic_int_fast64_t last_id;

/* Of memory objects that a child takes over: one thread makes the lock anew. */
static pthread_mutex_t renew_lock = PTHREAD_MUTEX_INITIALIZER;

static void after_fork(void)
{
	pthread_mutex_init(&renew_lock, NULL);
}

NNR_FORK_HANDLERS(.child = after_fork);

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
	return shared->offset - nnutil_align_down(shared->offset, (uint64_t)sysconf(_SC_PAGESIZE));
}

void nnr_memory_put(ANeuralNetworksMemory *memory)
{
	if (!memory || atomic_fetch_sub_explicit(&memory->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnr_workspaces_forget(memory->id);
	if (memory->mapping)
		munmap((uint8_t *)memory->mapping - page_offset(&memory->shared),
		       memory->shared.size + page_offset(&memory->shared));
	if (memory->shared.fd >= 0)
		close(memory->shared.fd);
	if (memory->buffer)
		memory->buffer->ops->destroy(memory->buffer);
	if (memory->free_roles)
		memory->free_roles(memory->roles, memory->num_roles);
	free(memory->initial_dims);
	free(memory->dims);
	pthread_mutex_destroy(&memory->lock);
	free(memory);
}

void nnr_memory_lock(ANeuralNetworksMemory *memory)
{
	const unsigned int process = nnr_process_number();

	if (atomic_load_explicit(&memory->process, memory_order_acquire) != process) {
		pthread_mutex_lock(&renew_lock);
		if (atomic_load_explicit(&memory->process, memory_order_relaxed) != process) {
			pthread_mutex_init(&memory->lock, NULL);
			atomic_store_explicit(&memory->process, process, memory_order_release);
		}
		pthread_mutex_unlock(&renew_lock);
	}
	pthread_mutex_lock(&memory->lock);
}

/* ---- shared memory ---- */

int nnr_memory_create_from_fd(size_t size, int prot, int fd, size_t offset,
			      ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemory *made;

	if (fd < 0)
		return nnr_refuse(OP_FAILED, "%d is not a file descriptor", fd);
	made = nnr_memory_alloc();
	if (!made)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	made->shared = (struct nnhal_memory){
		.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0),
		.prot = prot,
		.offset = offset,
		.size = size,
	};
	if (made->shared.fd < 0) {
		nnutil_log(NNUTIL_LOG_WARNING, "cannot duplicate file descriptor %d: %s", fd,
			   strerror(errno));
		nnr_memory_put(made);
		return ANEURALNETWORKS_OP_FAILED;
	}
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}

/* A file that is too short can be mapped, and an access raises SIGBUS: it is refused here. */
static int map_shared(ANeuralNetworksMemory *memory)
{
	const struct nnhal_memory *shared = &memory->shared;
	uint64_t skip = page_offset(shared), end;
	off_t length = lseek(shared->fd, 0, SEEK_END);
	void *base;

	if (!shared->size || __builtin_add_overflow(shared->offset, shared->size, &end) ||
	    (length >= 0 && end > (uint64_t)length))
		return nnr_refuse(
			UNMAPPABLE,
			"cannot map memory: %llu bytes at offset %llu reach beyond the end of the file",
			(unsigned long long)shared->size, (unsigned long long)shared->offset);
	base = mmap(NULL, shared->size + skip, shared->prot & (PROT_READ | PROT_WRITE), MAP_SHARED,
		    shared->fd, (off_t)(shared->offset - skip));
	if (base == MAP_FAILED)
		return nnr_refuse(UNMAPPABLE, "cannot map memory: %s", strerror(errno));
	memory->mapping = (uint8_t *)base + skip;
	memory->dmabuf = nnutil_is_dmabuf(shared->fd);
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
	/* sealed, so that drivers may map or import it instead of copying; a worker adds no seal */
	if (fd < 0 || size > INT64_MAX || ftruncate(fd, (off_t)size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		nnutil_log(NNUTIL_LOG_ERROR, "cannot allocate %llu bytes of shared memory: %s",
			   (unsigned long long)size, strerror(errno));
		nnr_memory_put(made);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	*memory = made;
	return ANEURALNETWORKS_NO_ERROR;
}

/* ---- where it may be used ---- */

int nnr_memory_validate_range(const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	size_t end;

	if (memory->image) {
		nnutil_log(NNUTIL_LOG_WARNING,
			   "cannot use an AHardwareBuffer with an image format: use format BLOB");
		return ANEURALNETWORKS_BAD_DATA;
	}
	if (__builtin_add_overflow(offset, length, &end) || end > memory->shared.size ||
	    (!offset && !length))
		return nnr_refuse(BAD_DATA,
				  "%zu bytes at offset %zu are outside the memory of %llu bytes",
				  length, offset, (unsigned long long)memory->shared.size);
	return ANEURALNETWORKS_NO_ERROR;
}

int nnr_memory_validate_constant(const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	if (memory->from_desc)
		return nnr_refuse(BAD_DATA, "memory from a descriptor cannot be a constant");
	return nnr_memory_validate_range(memory, offset, length);
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
	return nnr_refuse(OP_FAILED, "memory from a descriptor %s", wrong);
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

/* ---- arguments ---- */

int nnr_argument_data(const struct nnr_argument *arg, uint8_t **data)
{
	void *mapping;
	int result;

	if (arg->kind == NNR_ARG_POINTER) {
		*data = arg->buffer;
		return ANEURALNETWORKS_NO_ERROR;
	}
	result = arg->kind == NNR_ARG_MEMORY ? nnr_memory_map(arg->memory, &mapping)
					     : ANEURALNETWORKS_UNMAPPABLE;
	if (result == ANEURALNETWORKS_NO_ERROR)
		*data = (uint8_t *)mapping + arg->offset;
	return result;
}
