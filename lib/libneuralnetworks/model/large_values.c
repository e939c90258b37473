// SPDX-License-Identifier: Apache-2.0
/*
 * Values of more than 128 bytes: written once, from the client's buffers to one file in memory that
 * devices map. Nothing of ours maps it, so it counts once, for whom it is mapped; its pages are
 * written without being cleared or faulted in before.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nnutil_log.h"

#include "model/nnr_model.h"

/* The kernel's UIO_MAXIOV is 1024. */
#define BATCH 512

struct writer {
	int fd;
	uint64_t size; /* written or batched */
	struct iovec iov[BATCH];
	uint32_t num;
};

static int large_values_flush(struct writer *w)
{
	struct iovec *next = w->iov;
	ssize_t n;

	while (w->num) {
		n = writev(w->fd, next, (int)w->num);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		while (w->num && (size_t)n >= next->iov_len) {
			n -= (ssize_t)next->iov_len;
			next++;
			w->num--;
		}
		if (n) {
			next->iov_base = (uint8_t *)next->iov_base + n;
			next->iov_len -= (size_t)n;
		}
	}
	return 0;
}

static int large_values_put(struct writer *w, const void *data, size_t size)
{
	int ret = w->num == BATCH ? large_values_flush(w) : 0;

	if (ret || !size)
		return ret;
	w->iov[w->num++] = (struct iovec){ (void *)data, size };
	w->size += size;
	return 0;
}

static int write_all(struct nnr_model_builder *b, struct writer *w)
{
	static const uint8_t zeros[NNR_VALUE_ALIGN];
	const struct nnmodel_subgraph *main = &b->model->main;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < main->num_operands && !ret; i++) {
		if (!b->large[i])
			continue;
		ret = large_values_put(w, zeros, -w->size % NNR_VALUE_ALIGN);
		if (!ret)
			ret = large_values_put(w, b->large[i], main->operands[i].location.length);
	}
	return ret ? ret : large_values_flush(w);
}

/* The places are known without having looked: in the order of operands. */
static void set_places(struct nnr_model_builder *b, uint32_t pool)
{
	struct nnmodel_subgraph *main = &b->model->main;
	uint64_t offset = 0;
	uint32_t i;

	for (i = 0; i < main->num_operands; i++) {
		struct nnmodel_location *location = &main->operands[i].location;

		if (!b->large[i])
			continue;
		location->pool = pool;
		location->offset = offset + (-offset % NNR_VALUE_ALIGN);
		offset = location->offset + location->length;
		b->large[i] = NULL;
	}
	b->num_large = 0;
}

int nnr_builder_copy_large(struct nnr_model_builder *b)
{
	struct writer *w;
	uint32_t pool;
	int ret;

	if (!b->num_large)
		return ANEURALNETWORKS_NO_ERROR;
	w = calloc(1, sizeof(*w));
	if (!w)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	w->fd = memfd_create("nnapi-constants", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ret = w->fd < 0 ? -errno : write_all(b, w);
	if (!ret &&
	    fcntl(w->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		ret = -errno;
	if (!ret)
		ret = nnr_builder_pool(b, nnr_model_id() | NNR_OWN_POOL,
				       &(struct nnmodel_pool){
					       .fd = w->fd,
					       .prot = PROT_READ,
					       .size = w->size,
				       },
				       &pool);
	if (!ret)
		set_places(b, pool);
	else
		nnutil_log(NNUTIL_LOG_ERROR, "cannot copy the model's constants: %s",
			   strerror(-ret));
	if (w->fd >= 0)
		close(w->fd);
	free(w);
	if (!ret)
		return ANEURALNETWORKS_NO_ERROR;
	return ret == -ENOMEM || ret == -ENOSPC ? ANEURALNETWORKS_OUT_OF_MEMORY
	       : ret == -EFAULT			? ANEURALNETWORKS_BAD_DATA
						: ANEURALNETWORKS_OP_FAILED;
}
