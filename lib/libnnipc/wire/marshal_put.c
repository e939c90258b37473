// SPDX-License-Identifier: Apache-2.0
/* Writing: a message grows in one block of memory, its descriptors in a list beside it. */
#include "wire/nnipc_wire.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A writer that is used again keeps at most so much, whatever one message took. */
#define KEEP (1u << 20)
#define LEAST 512u

void nnipc_writer_reset(struct nnipc_writer *w)
{
	for (uint32_t i = 0; i < w->num_fds; i++)
		if (w->owned[i])
			close(w->fds[i]);
	w->num_fds = 0;
	w->size = 0;
	w->error = 0;
	if (w->room > KEEP) {
		free(w->data);
		w->data = NULL;
		w->room = 0;
	}
}

void nnipc_writer_fini(struct nnipc_writer *w)
{
	nnipc_writer_reset(w);
	free(w->data);
	free(w->fds);
	free(w->owned);
	*w = (struct nnipc_writer){ 0 };
}

/* Room for @size more bytes. */
static bool marshal_put_grow(struct nnipc_writer *w, size_t size)
{
	size_t room = w->room ? w->room : LEAST;
	uint8_t *data;

	if (w->error)
		return false;
	if (size > NNIPC_PAYLOAD_MAX - w->size) {
		w->error = -E2BIG;
		return false;
	}
	if (size <= w->room - w->size)
		return true;
	while (room < w->size + size)
		room *= 2;
	data = realloc(w->data, room);
	if (!data) {
		w->error = -ENOMEM;
		return false;
	}
	w->data = data;
	w->room = room;
	return true;
}

int nnipc_put_raw(void *writer, const void *data, size_t size)
{
	struct nnipc_writer *w = writer;

	if (size && marshal_put_grow(w, size)) {
		memcpy(w->data + w->size, data, size);
		w->size += size;
	}
	return 0;
}

void nnipc_put_u8(struct nnipc_writer *w, uint8_t value)
{
	nnipc_put_raw(w, &value, sizeof(value));
}

void nnipc_put_u32(struct nnipc_writer *w, uint32_t value)
{
	value = htole32(value);
	nnipc_put_raw(w, &value, sizeof(value));
}

void nnipc_put_u64(struct nnipc_writer *w, uint64_t value)
{
	value = htole64(value);
	nnipc_put_raw(w, &value, sizeof(value));
}

void nnipc_put_f32(struct nnipc_writer *w, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	nnipc_put_u32(w, bits);
}

size_t nnipc_put_reserve(struct nnipc_writer *w, size_t size)
{
	size_t place = w->size;

	if (!marshal_put_grow(w, size))
		return SIZE_MAX;
	if (size)
		memset(w->data + place, 0, size);
	w->size += size;
	return place;
}

void nnipc_put_u64_at(struct nnipc_writer *w, size_t place, uint64_t value)
{
	value = htole64(value);
	if (!w->error && place <= w->size && w->size - place >= sizeof(value))
		memcpy(w->data + place, &value, sizeof(value));
}

void nnipc_put_bytes(struct nnipc_writer *w, const void *data, size_t size)
{
	nnipc_put_u64(w, size);
	nnipc_put_raw(w, data, size);
}

void nnipc_put_text(struct nnipc_writer *w, const char *text)
{
	nnipc_put_chars(w, text, SIZE_MAX);
}

void nnipc_put_chars(struct nnipc_writer *w, const char *text, size_t size)
{
	size_t length = text && size ? strnlen(text, size - 1) : 0;

	nnipc_put_bool(w, text != NULL);
	if (!text)
		return;
	if (length > UINT32_MAX) {
		w->error = w->error ? w->error : -E2BIG;
		return;
	}
	nnipc_put_u32(w, (uint32_t)length);
	nnipc_put_raw(w, text, length);
}

/* ---- descriptors ---- */

static bool grow_fds(struct nnipc_writer *w)
{
	uint32_t room = w->fd_room ? 2 * w->fd_room : 16;
	bool *owned;
	int *fds;

	if (w->error)
		return false;
	if (w->num_fds == NNIPC_FDS_MAX) {
		w->error = -E2BIG;
		return false;
	}
	if (w->num_fds < w->fd_room)
		return true;
	fds = realloc(w->fds, room * sizeof(*fds));
	if (fds)
		w->fds = fds;
	owned = realloc(w->owned, room * sizeof(*owned));
	if (owned)
		w->owned = owned;
	if (!fds || !owned) {
		w->error = -ENOMEM;
		return false;
	}
	w->fd_room = room;
	return true;
}

static void put_fd(struct nnipc_writer *w, int fd, bool owned)
{
	bool open = fd >= 0 && fcntl(fd, F_GETFD) >= 0;

	nnipc_put_bool(w, open);
	if (!open)
		return;
	if (!grow_fds(w)) {
		if (owned)
			close(fd);
		return;
	}
	w->fds[w->num_fds] = fd;
	w->owned[w->num_fds] = owned;
	w->num_fds++;
}

void nnipc_put_fd(struct nnipc_writer *w, int fd)
{
	put_fd(w, fd, false);
}

void nnipc_put_fd_owned(struct nnipc_writer *w, int fd)
{
	put_fd(w, fd, true);
}

void nnipc_put_list(struct nnipc_writer *w, const void *list, uint32_t count)
{
	nnipc_put_u32(w, count);
	nnipc_put_bool(w, list && count);
}
