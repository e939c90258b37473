// SPDX-License-Identifier: Apache-2.0
/* First stage of verification: the frame of the program. Nothing behind the header is trusted
 * before its section lies within the bytes. */
#include <errno.h>
#include <string.h>

#include "verify.h"
#include "nnprog_opcode.h"
#include "nnprog_verify.h"
#include "nnutil_align.h"
#include "plan.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "programs are read in place");

static const struct {
	const char *name;
	uint32_t stride;
} sections[NNPROG_SECTION_COUNT] = {
	[NNPROG_SUBGRAPHS] = { "SUBGRAPHS", sizeof(struct nnprog_subgraph) },
	[NNPROG_TENSORS] = { "TENSORS", sizeof(struct nnprog_tensor) },
	[NNPROG_OPERATIONS] = { "OPERATIONS", sizeof(struct nnprog_operation) },
	[NNPROG_INDEX] = { "INDEX", sizeof(uint32_t) },
	[NNPROG_ATTRS] = { "ATTRS", 1 },
	[NNPROG_SCALES] = { "SCALES", sizeof(float) },
	[NNPROG_STRINGS] = { "STRINGS", 1 },
	[NNPROG_DATA] = { "DATA", 1 },
};

static int check_header(const struct nnprog_header *h, size_t size, struct nnprog_error *err)
{
#define REFUSE(field, ...)                                                                     \
	nnprog_refuse_at(err, offsetof(struct nnprog_header, field), NNPROG_NONE, NNPROG_NONE, \
			 __VA_ARGS__)
	if (h->magic != NNPROG_MAGIC)
		return REFUSE(magic, "not a program: magic is %#x", h->magic);
	if (h->version >> 16 != NNPROG_VERSION >> 16 || h->version > NNPROG_VERSION)
		return REFUSE(version, "format version %u.%u is not known", h->version >> 16,
			      h->version & 0xffff);
	if (h->header_size != sizeof(*h))
		return REFUSE(header_size, "header of %u bytes", h->header_size);
	if (!h->opset_version || h->opset_version > NNPROG_OPSET_VERSION)
		return REFUSE(opset_version, "operation set %u is not known", h->opset_version);
	if (h->total_size != size)
		return REFUSE(total_size, "total size is %llu, the program has %zu bytes",
			      (unsigned long long)h->total_size, size);
	if (h->flags & ~NNPROG_FLAGS)
		return REFUSE(flags, "unknown flags %#x", h->flags & ~NNPROG_FLAGS);
	if (h->reserved)
		return REFUSE(reserved, "reserved field is not 0");
	for (size_t i = 0; i < sizeof(h->reserved1); i++)
		if (h->reserved1[i])
			return REFUSE(reserved1, "reserved field is not 0");
	return 0;
#undef REFUSE
}

/** Sections follow each other in the order of the table; what aligns them is zero. */
static int check_sections(const struct nnprog_header *h, struct nnprog_error *err)
{
	const uint8_t *bytes = (const uint8_t *)h;
	uint64_t end = sizeof(*h);

	for (uint32_t i = 0; i < NNPROG_SECTION_COUNT; i++) {
		const struct nnprog_section *s = &h->sections[i];
		uint64_t at = offsetof(struct nnprog_header, sections) + i * sizeof(*s);
		uint64_t start = nnutil_align_up(end, NNPROG_ALIGN);

		if (s->stride != sections[i].stride)
			return nnprog_refuse_at(err, at, NNPROG_NONE, NNPROG_NONE,
						"%s: stride %u, not %u", sections[i].name,
						s->stride, sections[i].stride);
		if (s->offset != start || start > h->total_size)
			return nnprog_refuse_at(err, at, NNPROG_NONE, NNPROG_NONE,
						"%s: offset is %llu, must be %llu",
						sections[i].name, (unsigned long long)s->offset,
						(unsigned long long)start);
		if ((uint64_t)s->count * s->stride > h->total_size - start)
			return nnprog_refuse_at(err, at, NNPROG_NONE, NNPROG_NONE,
						"%s: %u entries reach beyond the end",
						sections[i].name, s->count);
		for (; end < start; end++)
			if (bytes[end])
				return nnprog_refuse_at(err, end, NNPROG_NONE, NNPROG_NONE,
							"gap before %s is not 0", sections[i].name);
		end = start + (uint64_t)s->count * s->stride;
	}
	if (end != h->total_size)
		return nnprog_refuse_at(err, end, NNPROG_NONE, NNPROG_NONE,
					"%llu bytes after the last section",
					(unsigned long long)(h->total_size - end));
	return 0;
}

/** Bytes whose checksum is taken between two ticks. */
#define CRC_SLICE ((uint64_t)256 << 10)

static int checksum(const struct nnprog *prog, const uint8_t *bytes, uint64_t size, uint32_t *crc)
{
	uint32_t sum = 0;
	int ret = 0;

	for (uint64_t at = 0; at < size && !ret; at += CRC_SLICE) {
		sum = nnprog_crc32(sum, bytes + at,
				   (size_t)(size - at < CRC_SLICE ? size - at : CRC_SLICE));
		ret = nnprog_pace(prog, NNPROG_PACE);
	}
	*crc = sum;
	return ret;
}

int nnprog_verify_layout(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err)
{
	const struct nnprog_header *h = bytes;
	const struct nnprog_section *s;
	const uint8_t *base = bytes, *strings;
	uint32_t crc, count;
	int ret;

	if (!bytes || (uintptr_t)bytes % NNPROG_ALIGN)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
					"memory is not aligned to %u", NNPROG_ALIGN);
	if (size < sizeof(*h))
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
					"%zu bytes are too few for a header", size);
	if (size > NNPROG_MAX_SIZE)
		return nnprog_refuse_at(err, 0, NNPROG_NONE, NNPROG_NONE,
					"%zu bytes, more than a program can have", size);
	ret = check_header(h, size, err);
	if (ret)
		return ret;
	ret = check_sections(h, err);
	if (ret)
		return ret;
	crc = h->flags & NNPROG_FLAG_UNSUMMED ? 0 : h->crc32;
	if (!prog->summed && !(h->flags & NNPROG_FLAG_UNSUMMED)) {
		ret = checksum(prog, base + sizeof(*h), size - sizeof(*h), &crc);
		if (ret)
			return ret;
	}
	if (crc != h->crc32)
		return nnprog_refuse_at(err, offsetof(struct nnprog_header, crc32), NNPROG_NONE,
					NNPROG_NONE, "checksum %08x, computed %08x", h->crc32, crc);

	s = h->sections;
	if (!s[NNPROG_SUBGRAPHS].count)
		return nnprog_refuse_at(err, s[NNPROG_SUBGRAPHS].offset, NNPROG_NONE, NNPROG_NONE,
					"no subgraph");
	strings = base + s[NNPROG_STRINGS].offset;
	count = s[NNPROG_STRINGS].count;
	if (!count || strings[0] || strings[count - 1] || (count > 1 && !strings[count - 2]))
		return nnprog_refuse_at(
			err, s[NNPROG_STRINGS].offset, NNPROG_NONE, NNPROG_NONE,
			"strings do not begin with an empty one or do not end with NUL");

	prog->header = h;
	prog->subgraphs = (const void *)(base + s[NNPROG_SUBGRAPHS].offset);
	prog->tensors = (const void *)(base + s[NNPROG_TENSORS].offset);
	prog->operations = (const void *)(base + s[NNPROG_OPERATIONS].offset);
	prog->index = (const void *)(base + s[NNPROG_INDEX].offset);
	prog->attrs = base + s[NNPROG_ATTRS].offset;
	prog->scales = (const void *)(base + s[NNPROG_SCALES].offset);
	prog->strings = (const char *)(base + s[NNPROG_STRINGS].offset);
	prog->data = base + s[NNPROG_DATA].offset;
	prog->num_subgraphs = s[NNPROG_SUBGRAPHS].count;
	return 0;
}
