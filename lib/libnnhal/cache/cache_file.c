// SPDX-License-Identifier: Apache-2.0
/*
 * Cache files: the client's descriptors, with any length and position, which other processes may be
 * writing at the same time. They are read and written by position, never mapped: a mapping of a
 * file that shrinks gives SIGBUS, and its content may change after the check. There are no locks:
 * if two processes wrote different entries at a time, the digest does not match.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "values/nnhal_values.h"
#include "cache/nnhal_cache.h"
#include "nnutil_file.h"
#include "nnprog_format.h"

#define SLICE ((size_t)256 << 10)

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

static bool cache_file_usable(int fd, int useless_mode)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	return flags >= 0 && (flags & O_ACCMODE) != useless_mode && !fstat(fd, &st) &&
	       S_ISREG(st.st_mode);
}

bool nnhal_cache_begin(const struct nnhal_cache_target *target)
{
	return target->fd >= 0 && cache_file_usable(target->fd, O_RDONLY) &&
	       !ftruncate(target->fd, 0);
}

void nnhal_cache_write(const struct nnhal_cache_target *target,
		       const struct nnhal_cache_bytes *file)
{
	int ret = nnutil_pwrite_all(target->fd, file->head, file->head_size, 0);

	if (!ret)
		ret = nnutil_pwrite_all(target->fd, file->program, file->program_size,
					(off_t)file->head_size);
	/* if this fails too, the digest does not match what was written */
	if (ret)
		ret = ftruncate(target->fd, 0);
	(void)ret;
}

/*
 * The file may have changed its size since fstat(). Each part is summed while it is in the
 * processor's cache.
 */
static int read_whole(int fd, uint8_t *bytes, size_t size, uint8_t digest[NNHAL_CACHE_DIGEST])
{
	size_t head = sizeof(struct nnhal_cache_header); /* of the first part */
	struct nnhal_cache_sum sum;
	uint8_t more;

	nnhal_cache_sum_begin(&sum);
	for (size_t at = 0; at < size;) {
		size_t n = size - at < SLICE ? size - at : SLICE;
		int ret = nnutil_pread_all(fd, bytes + at, n, (off_t)at);

		if (ret)
			return ret == -ENODATA ? -EKEYREJECTED : ret;
		nnhal_cache_sum_add(&sum, bytes + at + head, n - head);
		at += n;
		head = 0;
	}
	nnhal_cache_sum_end(&sum, (const void *)bytes, digest);
	return pread(fd, &more, 1, (off_t)size) == 0 ? 0 : -EKEYREJECTED;
}

int nnhal_cache_read(struct nnhal_dev *dev, int fd, uint64_t max_program,
		     struct nnhal_program *file, uint8_t digest[NNHAL_CACHE_DIGEST], char *message)
{
	uint64_t most = max_program && max_program < NNPROG_MAX_SIZE ? max_program
								     : NNPROG_MAX_SIZE;
	struct stat st;
	size_t size;
	int ret;

	*file = (struct nnhal_program){ 0 };
	if (!cache_file_usable(fd, O_WRONLY) || fstat(fd, &st)) {
		nnhal_message(message, "the cache file is not a regular file opened for reading");
		return -EBADF;
	}
	most += sizeof(struct nnhal_cache_header) + NNHAL_CACHE_MAX_SIGNATURE + NNHAL_CACHE_ALIGN;
	if (st.st_size < (off_t)sizeof(struct nnhal_cache_header) || (uint64_t)st.st_size > most) {
		nnhal_message(message,
			      "the cache file is empty, too short or too large for this device");
		return -EKEYREJECTED;
	}
	size = (size_t)st.st_size;
	ret = nnhal_program_new(file, dev, size, 0);
	if (ret) {
		nnhal_message(message, "no memory for a cache file of %zu bytes", size);
		return ret;
	}
	ret = read_whole(fd, file->bytes, size, digest);
	if (ret) {
		nnhal_message(message, "cannot read the whole cache file: %s", strerror(-ret));
		nnhal_program_free(file, dev);
	}
	return ret;
}
