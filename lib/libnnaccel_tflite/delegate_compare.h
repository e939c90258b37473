/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options "compare" and "sample": a sample of the computations is done on another
 * device, too, and the outputs are compared.
 */
#ifndef DELEGATE_COMPARE_H
#define DELEGATE_COMPARE_H

#include "delegate_reason.h"
#include "delegate_settings.h"
#include "nnmodel.h"

struct delegate_compare;

/**
 * Compile @model, which must outlive it, for the other device. @where: of messages, as "nodes 0 to
 * 7". *@compare is NULL without the option. 0, or -errno with the reason.
 */
int delegate_compare_open(struct nnmodel *model, const struct delegate_settings *settings,
			  const char *where, struct delegate_compare **compare,
			  struct delegate_reason *reason);
/** Report what was found to the log and the file of "explain"; NULL: nothing. */
void delegate_compare_close(struct delegate_compare *compare);

/**
 * After a computation with @data (delegate_run.h): compute again if it is one of the sample. The
 * caller's result is what it was, whatever this finds. Any thread; NULL: nothing.
 */
void delegate_compare_look(struct delegate_compare *compare, void *const *data);

#endif
