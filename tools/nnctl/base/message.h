/* SPDX-License-Identifier: Apache-2.0 */
/* Output on standard error: messages, usage errors, progress. */
#ifndef NNCTL_MESSAGE_H
#define NNCTL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The return value of a command with wrong arguments, instead of an exit code. */
#define USAGE_ERROR (-2)

/** Print "nnctl: ", the message and a newline. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** Until it is called with false, nothing is printed: for attempts that may fail. One thread. */
void complain_quietly(bool on);
/** complain(), and return USAGE_ERROR: main() then prints the command's usage. */
int usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/**
 * Progress of work that may take longer than a second. Nothing is shown in the first second, nor
 * when standard error is not a terminal.
 */
struct progress {
	const char *what;
	int64_t start_ns, shown_ns;
};
void progress_start(struct progress *p, const char *what);
void progress_update(struct progress *p, size_t done, size_t total);
void progress_end(struct progress *p);

#endif
