/* SPDX-License-Identifier: Apache-2.0 */
/* NNAPI operations, a row each, and the device operations that test_lower.c expects of them. */
#ifndef LOWER_CASES_H
#define LOWER_CASES_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "lower_spec.h"

struct lower_case {
	uint32_t opcode;
	const char *in, *out;
	const char *ops; /* the device operations, or the message of the refusal */
	int ret;
};

struct lower_cases {
	const struct lower_case *cases;
	size_t num;
};
/** Of the cases in ops/. */
extern const struct lower_cases lower_cases;

#endif
