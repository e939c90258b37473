/* SPDX-License-Identifier: Apache-2.0 */
/* A built-in model on a device: prepared once, executed with each of its inputs in turn. */
#ifndef NNCTL_SELFTEST_RUN_H
#define NNCTL_SELFTEST_RUN_H

#include "nnhal.h"
#include "selftest/selftest_models.h"

/** Executions of a model: each input several times. */
#define SELFTEST_RUNS (10u * SELFTEST_INPUTS)

/**
 * struct selftest_result - what became of a model
 * @passed: every execution had the known answer
 * @message: the first failure; "" if there was none
 * @prepare_ns: time of the preparation; 0: it failed
 * @median_ns: time of an execution as the client measures it; 0: one failed
 */
struct selftest_result {
	bool passed;
	char message[400];
	int64_t prepare_ns, median_ns;
};

void selftest_run(struct nnhal_device *dev, enum selftest_model which,
		  struct selftest_result *result);

#endif
