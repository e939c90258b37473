/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judging the result of a conformance example, with the rules and tolerances of the test harnesses
 * of NNAPI (TestHarness.cpp of AOSP's neuralnetworks module).
 */
#ifndef NNCTL_JUDGE_H
#define NNCTL_JUDGE_H

#include "nnt.h"

/**
 * Compare the @actual elements of an output with the expected ones. False: they differ; @why names
 * operand, element, both values and the tolerance.
 */
bool judge_output(const struct nnt *nnt, const struct nnt_example *ex,
		  const struct nnt_operand *output, const void *actual, char *why, size_t why_size);

/** RANDOM_MULTINOMIAL: class frequencies against the softmax of the input. */
bool judge_multinomial(const struct nnt *nnt, const struct nnt_example *ex, const void *actual,
		       char *why, size_t why_size);

#endif
