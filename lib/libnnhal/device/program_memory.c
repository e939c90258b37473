// SPDX-License-Identifier: Apache-2.0
/* Programs in a device: their memory, and which ones a device can hold. */
#include "device/nnhal_device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "nnprog_format.h"
#include "nnutil_file.h"
#include "values/nnhal_values.h"
#include "base/nnhal_base.h"

#define HUGE_PAGE (2ul << 20)

/* In huge pages if it is large: page faults would take half of the time to fill it. */
static void use_huge_pages(void *bytes, size_t size)
{
	if (size >= HUGE_PAGE)
		madvise(bytes, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
}

static void *private_memory(size_t size)
{
	void *bytes;

	if (posix_memalign(&bytes, size >= HUGE_PAGE ? HUGE_PAGE : NNPROG_ALIGN, size))
		return NULL;
	use_huge_pages(bytes, size);
	return bytes;
}

int nnhal_program_new(struct nnhal_program *p, struct nnhal_dev *dev, size_t size, size_t shared)
{
	int ret = 0;

	*p = (struct nnhal_program){ .size = size };
	if (dev->t->private_memory) {
		ret = dev->t->ops->mem_alloc(dev->t, size, true, &p->mem);
		p->bytes = ret ? NULL : p->mem->cpu;
		if (p->bytes && !shared) {
			use_huge_pages(p->bytes, size);
			nnutil_make_pages(p->bytes, size);
		}
		return ret;
	}
	p->bytes = private_memory(size);
	return p->bytes ? 0 : -ENOMEM;
}

bool nnhal_program_can_share(const struct nnhal_dev *dev)
{
	return dev->t->private_memory;
}

int nnhal_program_share(struct nnhal_program *p, void *to, size_t size, int fd, uint64_t offset)
{
	const size_t from = (size_t)((uint8_t *)to - p->bytes);

	/* of what will be written in between */
	if (from > p->made)
		nnutil_make_pages(p->bytes + p->made, from - p->made);
	p->made = from + size;
	/* a child of fork() gets neither these pages nor those around them */
	if (mmap(to, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED)
		return -errno;
	(void)madvise(to, size, MADV_DONTFORK);
	return 0;
}

void nnhal_program_free(struct nnhal_program *p, struct nnhal_dev *dev)
{
	if (p->mem)
		dev->t->ops->mem_free(dev->t, p->mem);
	else
		free(p->bytes);
	*p = (struct nnhal_program){ 0 };
}

int nnhal_program_place(struct nnhal_program *p, struct nnhal_dev *dev, struct nnhal_tmem **mem,
			uint64_t *offset)
{
	int ret;

	if (p->mem) {
		*mem = p->mem;
		*offset = p->offset;
		*p = (struct nnhal_program){ 0 };
		return 0;
	}
	ret = dev->t->ops->mem_alloc(dev->t, p->size, true, mem);
	if (ret)
		return ret;
	memcpy((*mem)->cpu, nnhal_program_bytes(p), p->size);
	*offset = 0;
	return 0;
}

/*
 * What a device can hold. A larger model is refused when it is prepared, since each execution of it
 * would fail. Limits that depend on the shapes of a request are checked by the execution. Constant
 * weights are packed as far as there is room: a model that fits without them can run.
 */

enum nnhal_status nnhal_program_fits(struct nnhal_dev *dev, const void *program, size_t size,
				     uint32_t num_args, char *message)
{
	const struct nnprog_header *header = program;
	struct nnhal_need need = { .loaded = size, .arena = header->arena_size };
	struct nnhal_device_info info = { 0 };
	int ret = dev->t->ops->info(dev->t, &info);

	/* a program that is not valid is the device's to refuse */
	if (!ret && dev->t->ops->measure &&
	    dev->t->ops->measure(dev->t, program, size, &need) == -ENOMEM)
		ret = -ENOMEM;
	if (ret) {
		nnhal_message(message, "cannot query the device: %s", strerror(-ret));
		return nnhal_status_of(NNHAL_NO_JOB, ret);
	}
	/* 0: the device reports no limit */
	if (info.program_quota && need.loaded > info.program_quota) {
		nnhal_message(
			message,
			"the model is too large: its program takes %llu bytes, the device keeps at most %llu",
			(unsigned long long)need.loaded, (unsigned long long)info.program_quota);
	} else if (info.arena_size && need.arena > info.arena_size) {
		nnhal_message(
			message,
			"the model is too large: %llu bytes of intermediate tensors and of weights that each execution packs, the device has %llu",
			(unsigned long long)need.arena, (unsigned long long)info.arena_size);
	} else if (num_args > dev->t->max_args) {
		nnhal_message(message,
			      "the model has %u inputs and outputs, the device takes at most %u",
			      num_args, dev->t->max_args);
	} else {
		return NNHAL_NONE;
	}
	return NNHAL_RESOURCE_EXHAUSTED_PERSISTENT;
}
