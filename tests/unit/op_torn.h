/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An operation while a client writes: what it reads twice differs, and what it has written is not
 * what it reads back. The results mean nothing; it must end, and touch no memory but its own.
 */
#ifndef OP_TORN_H
#define OP_TORN_H

#include "op_harness.h"

/**
 * Run @t, which has run with success, as often as the environment says: OP_TORN="EVERY SESSIONS
 * RUNS", each EVERY-th call for an operation, beginning with the first: RUNS runs, fewer of large
 * operands, for each of SESSIONS choices of what is the client's and what the program's. Without
 * OP_TORN never. @out: the outputs with the shapes that run() gets.
 *
 * Operands end or begin at a page that nothing may touch. A thread, and each tick, writes to those
 * that a client can write. OP_TORN_SEEN names a file to which the program appends, when it ends, a
 * line for each operation of the device: "NAME 1" when it has run so, else "NAME 0".
 */
void op_torn(const struct op_test *t, const struct nnfw_tensor *out);

#endif
