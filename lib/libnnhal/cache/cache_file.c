// SPDX-License-Identifier: Apache-2.0
/*
 * Cache files: the client's descriptors, with any length and position, which other processes may be
 * writing at the same time. They are read and written by position, never mapped: a mapping of a
 * file that shrinks gives SIGBUS, and its content may change after the check. There are no locks:
 * if two processes wrote different entries at a time, the digest does not match.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "values/refusal.h"
#include "cache/cache_file.h"
#include "nnutil_io.h"
#include "nnprog_format.h"

#define HUGE_PAGE (2ul << 20)

void nnhal_cache_target_init(struct nnhal_cache_target *target,
			     const struct nnhal_prepare_config *config)
{
	*target = (struct nnhal_cache_target){ .fd = -1 };
	if (config->num_model_cache != NNHAL_NUM_MODEL_CACHE ||
	    config->num_data_cache != NNHAL_NUM_DATA_CACHE || !config->model_cache ||
	    !config->token)
		return;
	memcpy(target->token, config->token, sizeof(target->token));
	if (config->model_cache[0] >= 0)
		target->fd = fcntl(config->model_cache[0], F_DUPFD_CLOEXEC, 0);
}

void nnhal_cache_target_fini(struct nnhal_cache_target *target)
{
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}

static bool usable(int fd, int useless_mode)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && (flags & O_ACCMODE) != useless_mode && !fstat(fd, &st) &&
	       S_ISREG(st.st_mode);
}

bool nnhal_cache_begin(const struct nnhal_cache_target *target)
{
	return target->fd >= 0 && usable(target->fd, O_RDONLY) && !ftruncate(target->fd, 0);
}

void nnhal_cache_write(const struct nnhal_cache_target *target, const void *bytes, size_t size)
{
	int ret = nnutil_pwrite_all(target->fd, bytes, size, 0);

	/* if this fails too, the digest does not match what was written */
	if (ret)
		ret = ftruncate(target->fd, 0);
	(void)ret;
}

/* The file may have changed its size since fstat(). */
static int read_whole(int fd, void *bytes, size_t size)
{
	int ret = nnutil_pread_all(fd, bytes, size, 0);
	uint8_t more;

	if (ret)
		return ret == -ENODATA ? -EKEYREJECTED : ret;
	return pread(fd, &more, 1, (off_t)size) == 0 ? 0 : -EKEYREJECTED;
}

/* In huge pages if it is large: page faults would take half of the time to read it. */
static void *private_memory(size_t size)
{
	size_t align = size >= HUGE_PAGE ? HUGE_PAGE : NNHAL_CACHE_ALIGN;
	void *bytes;

	if (posix_memalign(&bytes, align, size))
		return NULL;
	if (align == HUGE_PAGE)
		madvise(bytes, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	return bytes;
}

int nnhal_cache_read(int fd, uint64_t max_program, void **out, size_t *size, char *message)
{
	uint64_t most = max_program && max_program < NNPROG_MAX_SIZE ? max_program
								     : NNPROG_MAX_SIZE;
	struct stat st;
	void *bytes;
	int ret;

	*out = NULL;
	if (!usable(fd, O_WRONLY) || fstat(fd, &st)) {
		nnhal_message(message, "the cache file is not a regular file opened for reading");
		return -EBADF;
	}
	most += sizeof(struct nnhal_cache_header) + NNHAL_CACHE_MAX_SIGNATURE + NNHAL_CACHE_ALIGN;
	if (st.st_size < (off_t)sizeof(struct nnhal_cache_header) || (uint64_t)st.st_size > most) {
		nnhal_message(message,
			      "the cache file is empty, too short or too large for this device");
		return -EKEYREJECTED;
	}
	*size = (size_t)st.st_size;
	bytes = private_memory(*size);
	if (!bytes) {
		nnhal_message(message, "no memory for a cache file of %zu bytes", *size);
		return -ENOMEM;
	}
	ret = read_whole(fd, bytes, *size);
	if (ret) {
		nnhal_message(message, "cannot read the whole cache file: %s", strerror(-ret));
		free(bytes);
		return ret;
	}
	*out = bytes;
	return 0;
}
