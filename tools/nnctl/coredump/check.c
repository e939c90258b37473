// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "coredump/coredump.h"

#define MAX_SECTIONS 64u
#define MAX_STRIDE 4096u

/* Sizes of the records of version 1.0, the least that there are. */
static const uint32_t record_size[NNACCEL_DUMP_COMMANDS + 1] = {
	[NNACCEL_DUMP_DEVICE] = sizeof(struct nnaccel_dump_device),
	[NNACCEL_DUMP_QUEUES] = sizeof(struct nnaccel_dump_queue),
	[NNACCEL_DUMP_JOBS] = sizeof(struct nnaccel_dump_job),
	[NNACCEL_DUMP_COMMANDS] = sizeof(struct nnaccel_dump_command),
};

struct check {
	char *message;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static int refuse(const struct check *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->message, c->size, fmt, args);
	va_end(args);
	return -EINVAL;
}

static int check_header(const struct check *c, const struct nnaccel_dump_header *h, size_t size)
{
	if (h->magic != NNACCEL_DUMP_MAGIC)
		return refuse(c, "not a core dump of the driver: it begins with %#" PRIx32,
			      h->magic);
	if (h->version >> 16 != NNACCEL_DUMP_MAJOR)
		return refuse(c,
			      "version %" PRIu32 ".%" PRIu32
			      ", this nnctl reads %u.x: use the nnctl of the driver's release",
			      h->version >> 16, h->version & 0xffff, NNACCEL_DUMP_MAJOR);
	if (h->size != size)
		return refuse(c, "%zu bytes, but it says %" PRIu32 ": %s", size, h->size,
			      size < h->size ? "it was cut off" : "something was appended");
	if (h->header_size < sizeof(*h) || h->header_size % 8 || h->header_size > size)
		return refuse(c, "a header of %" PRIu32 " bytes", h->header_size);
	if (h->sections > MAX_SECTIONS ||
	    h->sections * sizeof(struct nnaccel_dump_section) > size - h->header_size)
		return refuse(c, "%" PRIu32 " sections", h->sections);
	return 0;
}

static int check_section(const struct check *c, const struct nnaccel_dump_section *s,
			 const struct nnaccel_dump_header *h)
{
	uint64_t table = h->sections * sizeof(*s) + h->header_size;

	if (s->offset % 8 || s->offset < table || s->offset > h->size)
		return refuse(c, "section %" PRIu32 ": it begins at %" PRIu32, s->type, s->offset);
	if (!s->stride || s->stride % 8 || s->stride > MAX_STRIDE)
		return refuse(c, "section %" PRIu32 ": a stride of %" PRIu32, s->type, s->stride);
	if ((uint64_t)s->count * s->stride > h->size - s->offset)
		return refuse(c,
			      "section %" PRIu32 ": %" PRIu32
			      " records end behind the end of the file",
			      s->type, s->count);
	if (s->type <= NNACCEL_DUMP_COMMANDS && s->stride < record_size[s->type])
		return refuse(c,
			      "section %" PRIu32 ": records of %" PRIu32 " bytes, %" PRIu32
			      " is the least",
			      s->type, s->stride, record_size[s->type]);
	return 0;
}

int coredump_check(const void *data, size_t size, struct coredump *dump, char *message,
		   size_t message_size)
{
	const struct check c = { message, message_size };
	struct nnaccel_dump_section section;
	struct nnaccel_dump_header *h = &dump->header;
	const uint8_t *table;
	int ret;

	memset(dump, 0, sizeof(*dump));
	dump->data = data;
	if (size < sizeof(*h) || size > COREDUMP_MAX_SIZE)
		return refuse(&c, "not a core dump of the driver: %zu bytes", size);
	memcpy(h, data, sizeof(*h));
	ret = check_header(&c, h, size);
	if (ret)
		return ret;
	table = dump->data + h->header_size;
	for (uint32_t i = 0; i < h->sections; i++, table += sizeof(section)) {
		memcpy(&section, table, sizeof(section));
		ret = check_section(&c, &section, h);
		if (ret)
			return ret;
		if (section.type > NNACCEL_DUMP_COMMANDS || !section.type) {
			dump->unknown++;
			continue;
		}
		if (dump->sections[section.type].type)
			return refuse(&c, "section %" PRIu32 " is there twice", section.type);
		dump->sections[section.type] = section;
	}
	if (dump->sections[NNACCEL_DUMP_DEVICE].count != 1)
		return refuse(&c, "it does not describe one device");
	return 0;
}
