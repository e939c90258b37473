/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUZZ_PROGRAM_H
#define FUZZ_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "nnaccel/nnaccel_status.h"

/** What the inputs so far have led to. */
struct fuzz_counts {
	uint64_t inputs, verified;
	uint64_t statuses[NNACCEL_STATUS_FIRMWARE_COUNT]; /* of runs */
};
extern struct fuzz_counts fuzz_counts;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/** Stop the firmware; the next input starts it again. */
void fuzz_stop(void);

#endif
