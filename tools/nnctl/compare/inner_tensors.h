/* SPDX-License-Identifier: Apache-2.0 */
/* Results of operations inside a model, as outputs of it. */
#ifndef NNCTL_INNER_TENSORS_H
#define NNCTL_INNER_TENSORS_H

#include "session/session.h"

/** Tensors of a window at most, and their bytes: memory of a device is limited. */
#define INNER_TENSORS 64
#define INNER_BYTES (64u << 20)

struct inner_tensor {
	uint32_t operation; /* of the NNAPI model */
	char operation_name[48];
	struct nnimport_origin origin;
	uint32_t output; /* of the session */
};

struct inner_window {
	uint32_t next; /* the operation behind the last one of this window */
	uint32_t count;
	struct inner_tensor tensors[INNER_TENSORS];
};

/**
 * Make the results of operations from @first on outputs of the model, behind those of the file. The
 * model is loaded and not opened. Left out are tensors that no output can be: those of unknown
 * shape, of types of extensions, and the states. Sets @window; next is the number of operations if
 * there are no others. 0, or -1 after a complaint.
 */
int inner_window_open(struct session *s, uint32_t first, struct inner_window *window);

/**
 * Make one operand an output; sets @output to its number in the session. The model is loaded and
 * not opened. 0, or -1 after a complaint: see above.
 */
int inner_output(struct session *s, uint32_t operand, uint32_t *output);

#endif
