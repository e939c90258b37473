/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on standard error: our own, and those of workers. */
#ifndef HALD_LOG_H
#define HALD_LOG_H

#include "launch/nnipc_launch.h"
#include "wire/nnipc_wire.h"

/** A line "nnaccel-hald: ...", in one write. Any thread. */
void hald_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** For lines that a user causes. */
extern struct nnipc_user_log hald_user_log;

/** A line of a worker, with its pid and its user: print() of its log pipe. */
void hald_log_worker(const struct nnipc_log_pipe *log, const char *line);

#endif
