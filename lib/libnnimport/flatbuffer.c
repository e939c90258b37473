// SPDX-License-Identifier: Apache-2.0
#include "tflite.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nnutil_text.h"

void fb_init(struct fb *fb, const void *base, size_t size)
{
	memset(fb, 0, sizeof(*fb));
	fb->base = base;
	fb->size = size;
}

bool fb_fail(struct fb *fb, size_t offset, const char *fmt, ...)
{
	va_list ap;

	if (fb->failed)
		return false;
	fb->failed = true;
	fb->error_offset = offset;
	va_start(ap, fmt);
	vsnprintf(fb->error, sizeof(fb->error), fmt, ap);
	va_end(ap);
	return false;
}

/* Whether [pos, pos + len) is in the buffer and pos is aligned. */
static bool flatbuffer_check(struct fb *fb, size_t pos, size_t len, size_t align, const char *what)
{
	if (fb->failed)
		return false;
	if (pos > fb->size || len > fb->size - pos)
		return fb_fail(fb, pos, "%s lies outside the file", what);
	if (pos % align)
		return fb_fail(fb, pos, "%s is not aligned to %zu", what, align);
	return true;
}

/* Loads that need no alignment; flatbuffer_check() enforces the alignment of the format. */
static uint16_t load16(const struct fb *fb, size_t pos)
{
	uint16_t v;

	memcpy(&v, fb->base + pos, sizeof(v));
	return v;
}

static uint32_t load32(const struct fb *fb, size_t pos)
{
	uint32_t v;

	memcpy(&v, fb->base + pos, sizeof(v));
	return v;
}

static uint64_t load64(const struct fb *fb, size_t pos)
{
	uint64_t v;

	memcpy(&v, fb->base + pos, sizeof(v));
	return v;
}

static bool open_table(struct fb *fb, size_t pos, struct fb_table *t)
{
	int64_t vtable;

	if (!flatbuffer_check(fb, pos, 4, 4, "a table"))
		return false;
	vtable = (int64_t)pos - (int32_t)load32(fb, pos);
	if (vtable < 0 || !flatbuffer_check(fb, (size_t)vtable, 4, 2, "a vtable"))
		return fb_fail(fb, pos, "a table's vtable lies outside the file");
	*t = (struct fb_table){
		.fb = fb,
		.pos = pos,
		.vtable = (size_t)vtable,
		.vtable_size = load16(fb, (size_t)vtable),
		.table_size = load16(fb, (size_t)vtable + 2),
	};
	if (t->vtable_size < 4 || t->vtable_size % 2)
		return fb_fail(fb, t->vtable, "a vtable has size %zu", t->vtable_size);
	if (t->table_size < 4)
		return fb_fail(fb, t->vtable + 2, "a table has size %zu", t->table_size);
	return flatbuffer_check(fb, t->vtable, t->vtable_size, 2, "a vtable") &&
	       flatbuffer_check(fb, t->pos, t->table_size, 4, "a table");
}

/* Position of a field of @size bytes, 0 when absent or on failure. */
static size_t field_pos(const struct fb_table *t, unsigned int field, size_t size)
{
	size_t slot = 4 + 2 * (size_t)field, off;

	if (!t->pos || t->fb->failed || slot + 2 > t->vtable_size)
		return 0;
	off = load16(t->fb, t->vtable + slot);
	if (!off)
		return 0;
	if (off < 4 || off + size > t->table_size) {
		fb_fail(t->fb, t->vtable + slot, "field %u lies outside its table", field);
		return 0;
	}
	return t->pos + off;
}

bool fb_root(struct fb *fb, const char identifier[4], struct fb_table *table)
{
	if (!flatbuffer_check(fb, 0, 8, 1, "the header"))
		return false;
	if (memcmp(fb->base + 4, identifier, 4))
		return fb_fail(fb, 4, "the file identifier is not %.4s", identifier);
	if (load32(fb, 0) < 8)
		return fb_fail(fb, 0, "the root table lies in the header");
	return open_table(fb, load32(fb, 0), table);
}

int8_t fb_i8(const struct fb_table *t, unsigned int field, int8_t def)
{
	size_t pos = field_pos(t, field, 1);

	return pos ? (int8_t)t->fb->base[pos] : def;
}

int32_t fb_i32(const struct fb_table *t, unsigned int field, int32_t def)
{
	size_t pos = field_pos(t, field, 4);

	return pos ? (int32_t)load32(t->fb, pos) : def;
}

uint64_t fb_u64(const struct fb_table *t, unsigned int field, uint64_t def)
{
	size_t pos = field_pos(t, field, 8);

	return pos ? load64(t->fb, pos) : def;
}

float fb_f32(const struct fb_table *t, unsigned int field, float def)
{
	size_t pos = field_pos(t, field, 4);
	float v = def;

	if (pos)
		memcpy(&v, t->fb->base + pos, sizeof(v));
	return v;
}

/* Follow the offset field; 0 when absent or on failure. */
static size_t flatbuffer_follow(const struct fb_table *t, unsigned int field)
{
	size_t pos = field_pos(t, field, 4);
	uint32_t off;

	if (!pos)
		return 0;
	off = load32(t->fb, pos);
	if (off < 4 || off > t->fb->size - pos) {
		fb_fail(t->fb, pos, "field %u points outside the file", field);
		return 0;
	}
	return pos + off;
}

bool fb_subtable(const struct fb_table *t, unsigned int field, struct fb_table *table)
{
	size_t pos = flatbuffer_follow(t, field);

	memset(table, 0, sizeof(*table));
	table->fb = t->fb;
	if (!pos)
		return !t->fb->failed;
	return open_table(t->fb, pos, table);
}

bool fb_vec(const struct fb_table *t, unsigned int field, size_t element, struct fb_vector *vec)
{
	size_t pos = flatbuffer_follow(t, field), bytes;
	uint32_t count;

	*vec = (struct fb_vector){ 0 };
	if (!pos)
		return !t->fb->failed;
	if (!flatbuffer_check(t->fb, pos, 4, 4, "a vector"))
		return false;
	count = load32(t->fb, pos);
	if (__builtin_mul_overflow((size_t)count, element, &bytes) || bytes > t->fb->size - pos - 4)
		return fb_fail(t->fb, pos, "a vector of %u elements lies outside the file", count);
	*vec = (struct fb_vector){ .pos = pos + 4, .count = count };
	return true;
}

bool fb_vec_table(struct fb *fb, const struct fb_vector *vec, uint32_t i, struct fb_table *table)
{
	size_t pos = vec->pos + 4 * (size_t)i;
	uint32_t off = load32(fb, pos);

	if (off < 4 || off > fb->size - pos)
		return fb_fail(fb, pos, "element %u of a vector points outside the file", i);
	return open_table(fb, pos + off, table);
}

uint8_t fb_vec_u8(const struct fb *fb, const struct fb_vector *vec, uint32_t i)
{
	return fb->base[vec->pos + i];
}

uint16_t fb_vec_u16(const struct fb *fb, const struct fb_vector *vec, uint32_t i)
{
	return load16(fb, vec->pos + 2 * (size_t)i);
}

int32_t fb_vec_i32(const struct fb *fb, const struct fb_vector *vec, uint32_t i)
{
	return (int32_t)load32(fb, vec->pos + 4 * (size_t)i);
}

int64_t fb_vec_i64(const struct fb *fb, const struct fb_vector *vec, uint32_t i)
{
	return (int64_t)load64(fb, vec->pos + 8 * (size_t)i);
}

float fb_vec_f32(const struct fb *fb, const struct fb_vector *vec, uint32_t i)
{
	uint32_t bits = load32(fb, vec->pos + 4 * (size_t)i);
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

bool fb_string(const struct fb_table *t, unsigned int field, char *buf, size_t size)
{
	struct fb_vector vec;

	buf[0] = '\0';
	if (!fb_vec(t, field, 1, &vec))
		return false;
	nnutil_text_copy(buf, size, (const char *)t->fb->base + vec.pos, vec.count);
	return true;
}
