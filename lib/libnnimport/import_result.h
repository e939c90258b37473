/* SPDX-License-Identifier: Apache-2.0 */
/* The result of an import: an NNAPI model, or the reason for a refusal. */
#ifndef NNIMPORT_IMPORT_RESULT_H
#define NNIMPORT_IMPORT_RESULT_H

#include "nnmodel.h"

enum import_verdict {
	IMPORT_OK,
	IMPORT_LACKS, /* NNAPI cannot express an operation */
	IMPORT_UNSUPPORTED, /* NNAPI has the operation, but nnctl does not translate it */
	IMPORT_FAILED, /* no memory, or an inconsistent file */
};

struct import_result {
	enum import_verdict verdict;
	struct nnmodel *model; /* with IMPORT_OK; owned by the caller */
	uint32_t operation; /* position in the file of the refused one */
	char message[256];
	uint32_t pruned; /* operations left out because no output needs them */
};

#endif
