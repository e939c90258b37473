// SPDX-License-Identifier: Apache-2.0
/* Lists: lengths, numbers, descriptors. */
#include "messages/nnipc_messages.h"

#include <stdlib.h>
#include <unistd.h>

void nnipc_put_list(struct nnipc_writer *w, const void *list, uint32_t count)
{
	nnipc_put_u32(w, count);
	nnipc_put_bool(w, list && count);
}

bool nnipc_get_list(struct nnipc_reader *r, size_t least, uint32_t *count)
{
	bool present;

	*count = nnipc_get_u32(r);
	present = nnipc_get_bool(r);
	if (present && (!*count || *count > (size_t)(r->end - r->at) / least))
		nnipc_reader_refuse(r);
	if (r->error)
		*count = 0;
	return present && !r->error;
}

void *nnipc_list_alloc(struct nnipc_reader *r, uint32_t *count, size_t size)
{
	void *list = *count ? calloc(*count, size) : NULL;

	if (*count && !list) {
		nnipc_reader_no_memory(r);
		*count = 0;
	}
	return list;
}

void nnipc_put_numbers(struct nnipc_writer *w, const uint32_t *numbers, uint32_t count)
{
	nnipc_put_list(w, numbers, count);
	for (uint32_t i = 0; i < count && numbers; i++)
		nnipc_put_u32(w, numbers[i]);
}

uint32_t *nnipc_get_numbers(struct nnipc_reader *r, uint32_t *count)
{
	uint32_t *numbers;

	if (!nnipc_get_list(r, sizeof(*numbers), count))
		return NULL;
	numbers = nnipc_list_alloc(r, count, sizeof(*numbers));
	for (uint32_t i = 0; i < *count; i++)
		numbers[i] = nnipc_get_u32(r);
	return numbers;
}

void nnipc_put_fds(struct nnipc_writer *w, const int *fds, uint32_t count)
{
	nnipc_put_list(w, fds, count);
	for (uint32_t i = 0; i < count && fds; i++)
		nnipc_put_fd(w, fds[i]);
}

int *nnipc_get_fds(struct nnipc_reader *r, uint32_t *count)
{
	int *fds;

	if (!nnipc_get_list(r, 1, count))
		return NULL;
	fds = nnipc_list_alloc(r, count, sizeof(*fds));
	for (uint32_t i = 0; i < *count; i++)
		fds[i] = nnipc_get_fd(r);
	if (r->error) {
		nnipc_fds_free(fds, *count);
		fds = NULL;
		*count = 0;
	}
	return fds;
}

void nnipc_fds_free(int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count && fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(fds);
}
