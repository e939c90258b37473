/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a .tflite model: an NNAPI model, or why there is none. */
#ifndef NNCTL_IMPORT_RESULT_H
#define NNCTL_IMPORT_RESULT_H

#include "nnmodel.h"

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

#endif
