/* SPDX-License-Identifier: Apache-2.0 */
/* A capture (capture/capture_write.h) of one operation, with the values that it had in the model.
 */
#ifndef NNCTL_OPERATION_CAPTURE_H
#define NNCTL_OPERATION_CAPTURE_H

#include "capture/one_operation.h"
#include "session/session.h"

struct operation_capture {
	struct one_operation one;
	char name[64]; /* "CONV_2D, operation 7 of mobilenet" */
	uint32_t *places; /* private: where the session has the values of inputs, then outputs */
};

/**
 * Make what operation @number reads and writes outputs of the model. The session is loaded and not
 * opened; @title: of the model. 0, or -1 after a complaint. operation_capture_free() whatever the
 * outcome.
 */
int operation_capture_prepare(struct session *s, uint32_t number, const char *title,
			      struct operation_capture *c);
/** After an execution, the first one of the session. 0, or -1 after a complaint. */
int operation_capture_write(const struct session *s, const struct operation_capture *c,
			    const char *origin, const char *path);
void operation_capture_free(struct operation_capture *c);

#endif
