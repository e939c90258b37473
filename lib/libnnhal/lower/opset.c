// SPDX-License-Identifier: Apache-2.0
/* The device's operation set: bytes from the firmware, so nothing in them is believed. */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "nnprog_opcode.h"
#include "nnhal_lower.h"
#include "nnaccel/nnaccel_opset.h"

/* An extension that the driver does not know is as if the device did not have it. */
static void note_extension(struct nnhal_opset *opset, const char *name)
{
	const struct nnhal_lower_type *types;
	const char *known;
	uint32_t num;

	for (uint32_t i = 0; (known = nnhal_lower_extension(i, &types, &num)); i++)
		if (!strcmp(known, name))
			opset->extensions |= 1u << i;
}

int nnhal_opset_parse(const void *bytes, size_t size, struct nnhal_opset *opset)
{
	struct nnaccel_opset_header header;
	uint32_t count, stride, i;

	memset(opset, 0, sizeof(*opset));
	if (!bytes || size < sizeof(header) || size > NNACCEL_OPSET_MAX_SIZE)
		return -EINVAL;
	memcpy(&header, bytes, sizeof(header));
	count = le32toh(header.count);
	stride = le32toh(header.stride);
	if (le32toh(header.magic) != NNACCEL_OPSET_MAGIC || !header.version ||
	    stride < sizeof(struct nnaccel_opset_entry) ||
	    (uint64_t)count * stride > size - sizeof(header))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		struct nnaccel_opset_entry entry;
		uint32_t opcode;

		memcpy(&entry, (const uint8_t *)bytes + sizeof(header) + (size_t)i * stride,
		       sizeof(entry));
		opcode = le32toh(entry.opcode);
		if (!entry.version || !memchr(entry.name, 0, sizeof(entry.name)))
			goto invalid;
		if (opcode == NNPROG_OP_EXTENSION)
			note_extension(opset, (const char *)entry.name);
		/* newer than we are */
		if (opcode >= NNPROG_OP_COUNT)
			continue;
		if (opcode == NNPROG_OP_NONE || opset->ops[opcode].present)
			goto invalid;
		opset->ops[opcode].present = true;
		opset->ops[opcode].types = le32toh(entry.types);
		opset->ops[opcode].max_rank = le32toh(entry.max_rank);
		opset->ops[opcode].speed = le32toh(entry.speed);
		opset->ops[opcode].build = le64toh(entry.build);
	}
	opset->version = le32toh(header.version);
	return 0;
invalid:
	memset(opset, 0, sizeof(*opset));
	return -EINVAL;
}
