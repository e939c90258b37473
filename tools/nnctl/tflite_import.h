/* SPDX-License-Identifier: Apache-2.0 */
/* From a .tflite model to an NNAPI model. */
#ifndef NNCTL_TFLITE_IMPORT_H
#define NNCTL_TFLITE_IMPORT_H

#include "nnmodel.h"
#include "tflite.h"

enum import_verdict {
	IMPORT_OK,
	IMPORT_LACKS, /* NNAPI itself cannot express an operation */
	IMPORT_UNSUPPORTED, /* NNAPI could, but nnctl does not translate it */
	IMPORT_FAILED, /* no memory, or the file contradicts itself */
};

struct import_result {
	enum import_verdict verdict;
	struct nnmodel *model; /* IMPORT_OK: the caller's */
	uint32_t operation; /* position in the file of the refused one */
	char message[256];
	uint32_t pruned; /* operations left out because no output needs them */
};

/** Translate subgraph 0. Operations that no model output needs are left out. Variable tensors start
 * at zero in every run. */
void tflite_import(const struct tflite_model *tflite, struct import_result *result);

#endif
