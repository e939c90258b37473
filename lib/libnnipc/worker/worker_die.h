/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a worker that cannot go on. */
#ifndef NNIPC_WORKER_DIE_H
#define NNIPC_WORKER_DIE_H

/**
 * Log the reason and end the process with exit status 1, at once: no destructor of the vendor
 * library runs. For clients that break the protocol, and for what the client would wait for in
 * vain.
 */
_Noreturn void nnipc_worker_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
