// SPDX-License-Identifier: Apache-2.0
/*
 * Files that become shorter than their mappings. A client may shrink a memory that the vendor
 * library has mapped: the worker is what is lost then, and the log says why.
 */
#include "worker/nnipc_worker.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static void on_bus_error(int signal)
{
	static const char line[] =
		"nnapi: worker ends: bus error: a mapped file is shorter than its mapping; has the "
		"client shrunk a memory that is in use?\n";

	(void)signal;
	if (write(STDERR_FILENO, line, sizeof(line) - 1) < 0)
		_exit(2); /* the log has no reader */
	_exit(1);
}

void nnipc_bus_error_watch(void)
{
	struct sigaction action = { .sa_handler = on_bus_error };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
