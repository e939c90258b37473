// SPDX-License-Identifier: Apache-2.0
/* The end of a worker that cannot go on. */
#include "worker/nnipc_worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "nnutil_log.h"

_Noreturn void nnipc_worker_die(const char *format, ...)
{
	char why[256];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	nnutil_log(NNUTIL_LOG_ERROR, "worker ends: %s", why);
	_exit(1);
}
