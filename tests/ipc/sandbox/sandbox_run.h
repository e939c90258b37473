/* SPDX-License-Identifier: Apache-2.0 */
/* Running sandbox_subject: starting it, and reading its log. */
#ifndef TESTS_SANDBOX_RUN_H
#define TESTS_SANDBOX_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lines.h"
#include "sandbox/sandbox.h"

struct subject {
	struct nnipc_child child;
	int socket; /* ours */
	struct lines log;
};

/** sandbox_subject, or a copy of it. */
extern const char *subject_program;

/** Start; fails the test if that does not work. @profile may be NULL. */
void subject_start(struct subject *s, const char *mode, const char *deed, const char *profile);
/** Read the log to its end, wait, close. Returns nnipc_child_wait()'s status; @how may be NULL. */
int subject_end(struct subject *s, char *how, size_t size);
/** Both. */
int subject_run(struct subject *s, const char *mode, const char *deed, const char *profile);
/** Whether a line of the log is @line. */
bool subject_printed(const struct subject *s, const char *line);

#endif
