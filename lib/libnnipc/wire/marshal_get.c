// SPDX-License-Identifier: Apache-2.0
/* Reading hostile bytes: a length is compared with what is left before it is used. */
#include "wire/nnipc_wire.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_text.h"

void nnipc_reader_init(struct nnipc_reader *r, const void *data, size_t size, int *fds,
		       uint32_t num_fds)
{
	/* an address even of no bytes: NULL means malformed */
	const uint8_t *at = data ? data : (const uint8_t *)"";

	*r = (struct nnipc_reader){ .at = at, .end = at + size, .fds = fds, .num_fds = num_fds };
}

static void marshal_get_fail(struct nnipc_reader *r, int error)
{
	if (!r->error)
		r->error = error;
}

void nnipc_reader_refuse(struct nnipc_reader *r)
{
	marshal_get_fail(r, -EBADMSG);
}

void nnipc_reader_no_memory(struct nnipc_reader *r)
{
	marshal_get_fail(r, -ENOMEM);
}

const void *nnipc_get_raw(struct nnipc_reader *r, size_t size)
{
	const void *at = r->at;

	if (!r->error && size > (size_t)(r->end - r->at))
		nnipc_reader_refuse(r);
	if (r->error)
		return NULL;
	r->at += size;
	return at;
}

uint8_t nnipc_get_u8(struct nnipc_reader *r)
{
	const uint8_t *at = nnipc_get_raw(r, 1);

	return at ? *at : 0;
}

uint32_t nnipc_get_u32(struct nnipc_reader *r)
{
	const void *at = nnipc_get_raw(r, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

uint64_t nnipc_get_u64(struct nnipc_reader *r)
{
	const void *at = nnipc_get_raw(r, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

float nnipc_get_f32(struct nnipc_reader *r)
{
	uint32_t bits = nnipc_get_u32(r);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

bool nnipc_get_bool(struct nnipc_reader *r)
{
	uint8_t value = nnipc_get_u8(r);

	if (value > 1)
		nnipc_reader_refuse(r);
	return value == 1;
}

const void *nnipc_get_bytes(struct nnipc_reader *r, size_t *size)
{
	uint64_t length = nnipc_get_u64(r);
	const void *at;

	*size = 0;
	if (length > SIZE_MAX)
		nnipc_reader_refuse(r);
	at = nnipc_get_raw(r, (size_t)length);
	if (at)
		*size = (size_t)length;
	return at;
}

uint32_t nnipc_get_count(struct nnipc_reader *r, size_t least, uint32_t max)
{
	uint32_t count = nnipc_get_u32(r);

	if (!r->error && (count > max || count > (size_t)(r->end - r->at) / least))
		nnipc_reader_refuse(r);
	return r->error ? 0 : count;
}

/* The characters of a text in the message, without the 0; NULL: absent or malformed. */
static const char *get_chars(struct nnipc_reader *r, size_t max, size_t *length)
{
	bool present = nnipc_get_bool(r);
	const char *chars;

	*length = 0;
	if (!present)
		return NULL;
	*length = nnipc_get_count(r, 1, UINT32_MAX);
	chars = nnipc_get_raw(r, *length);
	if (chars && (*length > max || memchr(chars, 0, *length)))
		nnipc_reader_refuse(r);
	return r->error ? NULL : chars;
}

char *nnipc_get_text(struct nnipc_reader *r, size_t max)
{
	size_t length;
	const char *chars = get_chars(r, max, &length);
	char *text = chars ? malloc(length + 1) : NULL;

	if (chars && !text)
		nnipc_reader_no_memory(r);
	if (!text)
		return NULL;
	memcpy(text, chars, length);
	text[length] = '\0';
	nnutil_text_clean(text);
	return text;
}

void nnipc_get_text_into(struct nnipc_reader *r, char *text, size_t size)
{
	size_t length;
	const char *chars = get_chars(r, SIZE_MAX, &length);

	if (!size)
		return;
	if (!chars)
		length = 0;
	else if (length > size - 1)
		length = size - 1;
	if (length)
		memcpy(text, chars, length);
	text[length] = '\0';
	nnutil_text_clean(text);
}

int nnipc_get_fd(struct nnipc_reader *r)
{
	int fd;

	if (!nnipc_get_bool(r))
		return -1;
	if (r->next_fd == r->num_fds) {
		nnipc_reader_refuse(r);
		return -1;
	}
	fd = r->fds[r->next_fd];
	r->fds[r->next_fd++] = -1;
	return fd;
}

uint16_t nnipc_get_u16(struct nnipc_reader *r)
{
	const uint32_t value = nnipc_get_u32(r);

	if (value <= UINT16_MAX)
		return (uint16_t)value;
	nnipc_reader_refuse(r);
	return 0;
}

void *nnipc_get_copy(struct nnipc_reader *r, size_t size)
{
	const void *from = nnipc_get_raw(r, size);
	void *copy = from ? malloc(size + !size) : NULL;

	if (from && !copy)
		nnipc_reader_no_memory(r);
	if (copy)
		memcpy(copy, from, size);
	return copy;
}

void *nnipc_get_blob(struct nnipc_reader *r, size_t *size)
{
	const bool present = nnipc_get_bool(r);
	const uint64_t bytes = nnipc_get_u64(r);
	void *value = present ? nnipc_get_copy(r, (size_t)bytes) : NULL;

	*size = r->error ? 0 : (size_t)bytes;
	return value;
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

int nnipc_reader_end(const struct nnipc_reader *r)
{
	if (r->error)
		return r->error;
	return r->at != r->end || r->next_fd != r->num_fds ? -EBADMSG : 0;
}
