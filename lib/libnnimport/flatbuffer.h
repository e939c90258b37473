/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading FlatBuffers from untrusted files. Every access is checked against the buffer when it is
 * made. The first failure is kept with its byte offset; every access after it fails.
 */
#ifndef NNIMPORT_FLATBUFFER_H
#define NNIMPORT_FLATBUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fb {
	const uint8_t *base;
	size_t size;
	bool failed;
	size_t error_offset;
	char error[96];
};

struct fb_table {
	struct fb *fb;
	size_t pos; /* of the table; 0: no table (every field is absent) */
	size_t vtable, vtable_size, table_size;
};

struct fb_vector {
	size_t pos; /* of the first element */
	uint32_t count; /* 0 for an absent vector */
};

void fb_init(struct fb *fb, const void *base, size_t size);
/** Record a failure (the first wins). Always false. */
bool fb_fail(struct fb *fb, size_t offset, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** The root table; false on failure. */
bool fb_root(struct fb *fb, const char identifier[4], struct fb_table *table);

/** Scalar fields with their default. On failure the default. */
int8_t fb_i8(const struct fb_table *t, unsigned int field, int8_t def);
int32_t fb_i32(const struct fb_table *t, unsigned int field, int32_t def);
uint64_t fb_u64(const struct fb_table *t, unsigned int field, uint64_t def);
float fb_f32(const struct fb_table *t, unsigned int field, float def);

/** A sub-table field; absent: table->pos 0 and true. False on failure. */
bool fb_subtable(const struct fb_table *t, unsigned int field, struct fb_table *table);
/** A vector field of elements of @element bytes; absent: count 0 and true. */
bool fb_vec(const struct fb_table *t, unsigned int field, size_t element, struct fb_vector *vec);
/** Table number @i of a vector of tables; @i < vec->count. */
bool fb_vec_table(struct fb *fb, const struct fb_vector *vec, uint32_t i, struct fb_table *table);
/** Elements, unsigned where smaller than 32 bits; @i < vec->count, the vector having been read with
 * that element size. */
uint8_t fb_vec_u8(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
uint16_t fb_vec_u16(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
int32_t fb_vec_i32(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
int64_t fb_vec_i64(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
float fb_vec_f32(const struct fb *fb, const struct fb_vector *vec, uint32_t i);
/** A string field copied into @buf, cut to its size, control characters replaced; absent: "". */
bool fb_string(const struct fb_table *t, unsigned int field, char *buf, size_t size);

#endif
