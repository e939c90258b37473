// SPDX-License-Identifier: Apache-2.0
/*
 * What a device can hold. A larger model is refused when it is prepared, since each execution of it
 * would fail. Limits that depend on the shapes of a request are checked by the execution.
 */
#include "device/program_fits.h"

#include <string.h>

#include "values/refusal.h"
#include "base/status.h"
#include "nnprog_format.h"

enum nnhal_status nnhal_program_fits(struct nnhal_dev *dev, const void *program, size_t size,
				     uint32_t num_args, char *message)
{
	const struct nnprog_header *header = program;
	struct nnhal_device_info info = { 0 };
	int ret = dev->t->ops->info(dev->t, &info);

	if (ret) {
		nnhal_message(message, "cannot query the device: %s", strerror(-ret));
		return nnhal_status_of(NNHAL_NO_JOB, ret);
	}
	/* 0: the device reports no limit */
	if (info.program_quota && size > info.program_quota) {
		nnhal_message(
			message,
			"the model is too large: a program of %zu bytes, the device keeps at most %llu",
			size, (unsigned long long)info.program_quota);
	} else if (info.arena_size && header->arena_size > info.arena_size) {
		nnhal_message(
			message,
			"the model is too large: %llu bytes of intermediate tensors, the device has %llu",
			(unsigned long long)header->arena_size,
			(unsigned long long)info.arena_size);
	} else if (num_args > dev->t->max_args) {
		nnhal_message(message,
			      "the model has %u inputs and outputs, the device takes at most %u",
			      num_args, dev->t->max_args);
	} else {
		return NNHAL_NONE;
	}
	return NNHAL_RESOURCE_EXHAUSTED_PERSISTENT;
}
