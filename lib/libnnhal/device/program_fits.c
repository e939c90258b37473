// SPDX-License-Identifier: Apache-2.0
/*
 * What a device can hold. A larger model is refused when it is prepared, since each execution of it
 * would fail. Limits that depend on the shapes of a request are checked by the execution. Constant
 * weights are packed as far as there is room: a model that fits without them can run.
 */
#include "device/nnhal_device.h"

#include <errno.h>
#include <string.h>

#include "values/nnhal_values.h"
#include "base/nnhal_base.h"
#include "nnprog_format.h"

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
