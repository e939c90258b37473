/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A promise: a fenced execution was launched and will write device buffers when its fence signals.
 * Embedded in the execution's object, which execute/ifenced_callback.c implements. Private to
 * libnnhal.
 */
#ifndef NNHAL_PROMISE_H
#define NNHAL_PROMISE_H

struct nnhal_promise;

struct nnhal_promise_ops {
	void (*get)(struct nnhal_promise *promise);
	void (*put)(struct nnhal_promise *promise);
	/** If the execution has ended: end its writes (nnhal_buf_end()), without waiting. */
	void (*settle)(struct nnhal_promise *promise);
};

struct nnhal_promise {
	const struct nnhal_promise_ops *ops;
};

#endif
