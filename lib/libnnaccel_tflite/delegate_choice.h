/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes of a graph the delegate takes, and why it leaves the others. */
#ifndef DELEGATE_CHOICE_H
#define DELEGATE_CHOICE_H

#include "delegate_model.h"

/**
 * The nodes to delegate, a list from malloc(), in *@chosen; NULL with an error. Writes the log.
 * TFL_OK, or TFL_ERROR after a report to the host: it does not answer, memory ran out, or a node
 * stays that must not.
 */
int delegate_choose(struct tfl_context *context, const struct delegate_settings *settings,
		    struct tfl_int_array **chosen);

#endif
