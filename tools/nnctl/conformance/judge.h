/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the result of a conformance example is judged: FORMAT.md section 2, which restates the
 * harnesses'.
 */
#ifndef NNCTL_JUDGE_H
#define NNCTL_JUDGE_H

#include "conformance/nnt.h"

/**
 * Compare the @actual elements of an output with the golden ones. True, or false with operand,
 * element, got, expected and tolerance in @why.
 */
bool judge_output(const struct nnt *nnt, const struct nnt_example *ex,
		  const struct nnt_operand *output, const void *actual, char *why, size_t why_size);

/** RANDOM_MULTINOMIAL: class frequencies against the softmax of the input. */
bool judge_multinomial(const struct nnt *nnt, const struct nnt_example *ex, const void *actual,
		       char *why, size_t why_size);

#endif
