// SPDX-License-Identifier: Apache-2.0
#include "trace_case.h"

#include <stdio.h>
#include <string.h>

/* "mobilenet/model.tflite" is known by its folder; what has a meaning in a mark is replaced. */
nntrace_scope_t trace_case_begin(const char *command, const char *model)
{
	static const char generic[] = "/model.tflite";
	char mark[160];
	size_t len = strlen(model), begin;
	int n;

	if (len > strlen(generic) && !strcmp(model + len - strlen(generic), generic))
		len -= strlen(generic);
	for (begin = len; begin && model[begin - 1] != '/'; begin--)
		;
	len -= begin;
	n = snprintf(mark, sizeof(mark),
		     NNTRACE_MARK("", NNTRACE_LAYER_APPLICATION, NNTRACE_PHASE_OVERALL, "%s %.*s"),
		     command, len > 100 ? 100 : (int)len, model + begin);
	for (char *c = mark + strlen("[NN_LA_PO]"); *c; c++)
		if (*c == '[' || *c == ']' || *c == '|' || (unsigned char)*c < ' ')
			*c = '_';
	return nntrace_begin(mark, (size_t)n < sizeof(mark) ? (size_t)n : sizeof(mark) - 1);
}
