/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers for matrices of x86 processors (AMX's tiles), which Linux gives to a process that
 * asks. From then on sigaltstack() wants room for them in every thread of the process, and fails
 * for stacks of the old SIGSTKSZ: a process asks for itself, a library does not for an application.
 */
#ifndef NNUTIL_TILES_H
#define NNUTIL_TILES_H

#include <stdbool.h>

/** Whether the kernel has them to give. */
bool nnutil_tiles_exist(void);
/** Whether this process may use them. */
bool nnutil_tiles_allowed(void);
/**
 * Ask. False: the processor or the kernel has none, or a thread has an alternate stack that is too
 * small.
 */
bool nnutil_tiles_ask(void);

#endif
