// SPDX-License-Identifier: Apache-2.0
#include "nnhal_lowering.h"

#include <string.h>
#include <unistd.h>

#include "nnprog_builder.h"
#include "nnprog_format.h"
#include "nnutil_align.h"
#include "nnmodel_private.h"

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The whole pages of a constant are mapped, what is before and after them is copied. */
static int share(void *cookie, void *to, const void *from, size_t size)
{
	const struct lower *l = cookie;
	const size_t page = page_size(), head = -(uintptr_t)to & (page - 1);
	const size_t body = size > head ? nnutil_align_down(size - head, page) : 0;
	const uint8_t *source = from;
	uint8_t *target = to;
	uint64_t offset;
	int fd, ret;

	fd = body ? nnmodel_sealed_file(l->model, l->maps, source + head, body, &offset) : -1;
	if (fd < 0) {
		memcpy(target, source, size);
		return 0;
	}
	ret = l->client->share(l->client->cookie, target + head, body, fd, offset);
	if (ret)
		return ret;
	memcpy(target, source, head);
	memcpy(target + head + body, source + head + body, size - head - body);
	return 0;
}

/* A client that shares pages runs the program in this process. */
void lower_share_constants(struct lower *l, const struct nnhal_lower_client *client)
{
	if (!client->share)
		return;
	nnprog_builder_unsummed(l->builder);
	if (!nnmodel_any_sealed(l->maps) || page_size() > NNPROG_MAX_GAP)
		return;
	l->client = client;
	nnprog_builder_share(l->builder, share, l, page_size());
}
