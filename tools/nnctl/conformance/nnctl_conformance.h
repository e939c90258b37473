/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of .nnt files, and how results are judged. */
#ifndef NNCTL_CONFORMANCE_H
#define NNCTL_CONFORMANCE_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "nnt.h"
#include "probes/nnctl_probes.h"

/* by_op.c: conformance examples counted by operation. */

/**
 * An example tests one operation and may use others: variations put ADD in front of inputs to make
 * them internal tensors, and networks use many.
 */
struct op_tally {
	uint32_t passed, failed, unsupported; /* examples that test it */
	uint32_t used, used_failed; /* examples that use it */
};

enum by_op_result {
	BY_OP_FAILED,
	BY_OP_PASSED,
	BY_OP_UNSUPPORTED, /* the device does not support an operation of it: it was not run */
};

#define BY_OP_SEVERAL (NNMODEL_OPCODE_COUNT + 1) /* examples that test more than one operation */
struct by_op {
	struct op_tally of[BY_OP_SEVERAL + 1]; /* by code; [NNMODEL_OPCODE_COUNT] is DENSIFY's */
	struct op_tally of_type[BY_OP_SEVERAL + 1][NNMODEL_TYPE_COUNT]; /* used is not counted */
};

/** Operation and type that an example tests. */
struct by_op_subject {
	uint32_t slot; /* an index of struct by_op */
	uint32_t type; /* that "nnctl ops" lists it under; NNMODEL_TYPE_COUNT: several operations */
};

/**
 * IF or WHILE if main has one, else its one operation beside ADD. Files of examples do not name it.
 */
struct by_op_subject by_op_subject(const struct nnt *nnt, const struct nnt_example *ex);
/** The operation of an index of struct by_op; "several". */
const char *by_op_name(uint32_t slot);

void by_op_count(struct by_op *tally, const struct nnt *nnt, const struct nnt_example *ex,
		 enum by_op_result result);
void by_op_print(const struct by_op *tally);
/** Array with an object for each counted operation. */
cJSON *by_op_json(const struct by_op *tally);

/*
 * judge.c: judging the result of a conformance example, with the rules and tolerances of the test
 * harnesses of NNAPI (TestHarness.cpp of AOSP's neuralnetworks module).
 */

/**
 * Compare the @actual elements of an output with the expected ones. False: they differ; @why names
 * operand, element, both values and the tolerance.
 */
bool judge_output(const struct nnt *nnt, const struct nnt_example *ex,
		  const struct nnt_operand *output, const void *actual, char *why, size_t why_size);

/** RANDOM_MULTINOMIAL: class frequencies against the softmax of the input. */
bool judge_multinomial(const struct nnt *nnt, const struct nnt_example *ex, const void *actual,
		       char *why, size_t why_size);

/* example_values.c: inputs of the examples that "nnctl examples" writes. */

/** Fill input @number of an example with numbers of that kind: the same in each run. */
void example_fill(enum probe_values values, const struct nnmodel_operand *operand, uint32_t number,
		  void *data, size_t size);

/* Elements of NNAPI tensors. */

/** Element @i as it is stored, not dequantized; of BOOL8 0 or 1. @data is aligned to nothing. */
double element_read(uint32_t type, const void *data, size_t i);

#endif
