/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as bytes: little-endian, fixed width, without padding. Arrays, byte strings and texts
 * begin with their length (u32; bytes u64). Descriptors travel beside the bytes; in the bytes a
 * descriptor is a u8: 1 if it is there, 0 if not. Knows no device.
 *
 * Neither side checks after each value: the first failure is kept, everything after it does
 * nothing, and the end of the message is the place to look. A reader that failed gives zeros.
 */
#ifndef NNIPC_MARSHAL_H
#define NNIPC_MARSHAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- writing ---- */

struct nnipc_writer {
	uint8_t *data;
	size_t size, room;
	int *fds;
	bool *owned; /* of @fds: to be closed by nnipc_writer_reset() */
	uint32_t num_fds, fd_room;
	int error; /* 0; -ENOMEM; -E2BIG: over NNIPC_PAYLOAD_MAX or NNIPC_FDS_MAX */
};

/** Zeros are an empty writer. Empty it for the next message; the memory stays. */
void nnipc_writer_reset(struct nnipc_writer *w);
/** Free the memory; closes descriptors that the writer owns. */
void nnipc_writer_fini(struct nnipc_writer *w);

void nnipc_put_u8(struct nnipc_writer *w, uint8_t value);
void nnipc_put_u32(struct nnipc_writer *w, uint32_t value);
void nnipc_put_u64(struct nnipc_writer *w, uint64_t value);
void nnipc_put_f32(struct nnipc_writer *w, float value);
static inline void nnipc_put_i64(struct nnipc_writer *w, int64_t value)
{
	nnipc_put_u64(w, (uint64_t)value);
}
static inline void nnipc_put_bool(struct nnipc_writer *w, bool value)
{
	nnipc_put_u8(w, value);
}
/** Bytes without a length. Its type is that of a callback of serializers: always 0. */
int nnipc_put_raw(void *writer, const void *data, size_t size);
/** Room for @size bytes, zeroed, whose place is returned; SIZE_MAX: the writer failed. */
size_t nnipc_put_reserve(struct nnipc_writer *w, size_t size);
/** Overwrite a u64 that nnipc_put_reserve() made room for. */
void nnipc_put_u64_at(struct nnipc_writer *w, size_t place, uint64_t value);
void nnipc_put_bytes(struct nnipc_writer *w, const void *data, size_t size); /* with length */
void nnipc_put_u32s(struct nnipc_writer *w, const uint32_t *values, uint32_t count);
/** NULL and "" differ: u8 present, then u32 length and bytes. */
void nnipc_put_text(struct nnipc_writer *w, const char *text);
/** The text in an array of @size bytes; without a 0 there, all but the last byte. */
void nnipc_put_chars(struct nnipc_writer *w, const char *text, size_t size);
/**
 * A descriptor; negative: none. It stays the caller's and must be open until the message is sent.
 * A descriptor that is not open is sent as none: the receiver judges it, as it would in one
 * process.
 */
void nnipc_put_fd(struct nnipc_writer *w, int fd);
/** The same, and the writer closes it, also when it has failed. */
void nnipc_put_fd_owned(struct nnipc_writer *w, int fd);

/* ---- reading: hostile bytes ---- */

struct nnipc_reader {
	const uint8_t *at, *end;
	int *fds; /* of the frame; those taken become -1 */
	uint32_t num_fds, next_fd;
	int error; /* 0; -EBADMSG: malformed; -ENOMEM */
};

void nnipc_reader_init(struct nnipc_reader *r, const void *data, size_t size, int *fds,
		       uint32_t num_fds);
uint8_t nnipc_get_u8(struct nnipc_reader *r);
uint32_t nnipc_get_u32(struct nnipc_reader *r);
uint64_t nnipc_get_u64(struct nnipc_reader *r);
float nnipc_get_f32(struct nnipc_reader *r);
static inline int64_t nnipc_get_i64(struct nnipc_reader *r)
{
	return (int64_t)nnipc_get_u64(r);
}
/** 0 or 1; another value is malformed. */
bool nnipc_get_bool(struct nnipc_reader *r);
/** @size bytes in the message; NULL: malformed. */
const void *nnipc_get_raw(struct nnipc_reader *r, size_t size);
/** Bytes with a length, in the message; NULL: malformed, and *@size is 0. */
const void *nnipc_get_bytes(struct nnipc_reader *r, size_t *size);
/**
 * A length of an array whose elements take at least @least bytes in the message (> 0), and at most
 * @max of them. Compared with the remaining bytes before anything is allocated.
 */
uint32_t nnipc_get_count(struct nnipc_reader *r, size_t least, uint32_t max);
/** malloc'ed; NULL if it is empty or malformed. */
uint32_t *nnipc_get_u32s(struct nnipc_reader *r, uint32_t *count, uint32_t max);
/**
 * malloc'ed with a 0 at the end; NULL: absent, malformed (a 0 inside, or over @max bytes). Texts of
 * the other process are names and messages for people: made printable (nnutil_text.h).
 */
char *nnipc_get_text(struct nnipc_reader *r, size_t max);
/** The same into @text of @size bytes, cut; absent or malformed: "". */
void nnipc_get_text_into(struct nnipc_reader *r, char *text, size_t size);
/**
 * The caller's; -1: none. A frame with fewer descriptors than its bytes announce is malformed.
 */
int nnipc_get_fd(struct nnipc_reader *r);
/** Note that the message is malformed: a value that its type does not have. */
void nnipc_reader_refuse(struct nnipc_reader *r);
/** The same with -ENOMEM, for a getter that allocates. */
void nnipc_reader_no_memory(struct nnipc_reader *r);
/** The end: 0; -EBADMSG if bytes or descriptors are left, or the first failure. */
int nnipc_reader_end(const struct nnipc_reader *r);

#endif
