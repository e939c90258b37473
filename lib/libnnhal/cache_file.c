// SPDX-License-Identifier: Apache-2.0
/*
 * Cache files: descriptors of the client's, of any length and at any offset, which others may be
 * writing at this moment. They are read and written by position, never mapped: a mapping of a file
 * that shrinks is a SIGBUS, and one that changes is read twice. Nothing is locked: a file that two
 * wrote at a time carries a digest that does not fit, unless both wrote the same.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nnprog_format.h"
#include "cache.h"

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

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pwrite(fd, bytes + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

void nnhal_cache_save(struct nnhal_dev *dev, const struct nnhal_cache_target *target,
		      const struct nnmodel *model, const struct nnhal_lowered *lowered,
		      uint32_t priority)
{
	struct nnhal_cache_key key;
	void *bytes;
	size_t size;
	int ret;

	/* what was there is of another preparation: it goes, whatever comes of this one */
	if (target->fd < 0 || !usable(target->fd, O_RDONLY) || ftruncate(target->fd, 0))
		return;
	if (nnhal_cache_key_init(&key, dev, target->token) ||
	    nnhal_cache_encode(&key, model, lowered->bytes, lowered->size, priority, &bytes, &size))
		return;
	ret = write_all(target->fd, bytes, size);
	/* if not even this works, the digest of what was written is wrong still */
	if (ret)
		ret = ftruncate(target->fd, 0);
	(void)ret;
	free(bytes);
}

static int read_all(int fd, uint8_t *bytes, size_t size)
{
	size_t done = 0;
	uint8_t more;

	while (done < size) {
		ssize_t n = pread(fd, bytes + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EKEYREJECTED; /* shrunk since fstat() */
		done += (size_t)n;
	}
	return pread(fd, &more, 1, (off_t)size) == 0 ? 0 : -EKEYREJECTED;
}

/* Large ones in huge pages where the kernel gives them: half of reading would be page faults. */
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
	ret = read_all(fd, bytes, *size);
	if (ret) {
		nnhal_message(message, "the cache file cannot be read whole: %s", strerror(-ret));
		free(bytes);
		return ret;
	}
	*out = bytes;
	return 0;
}
