/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork(). The child has one thread. Objects of the parent that stand for work or for devices are
 * not the child's: plans, events, device buffers. They answer DEAD_OBJECT, and freeing them touches
 * nothing. What is data only goes on: models, memory from file descriptors, handles of devices. A
 * compilation's settings are data; its plan is made anew when the child first needs it.
 * Documentation/manners.rst has the table.
 *
 * Global locks are new in the child, together with what they guard. Locks of inherited objects are
 * not taken.
 */
#ifndef NNR_FORK_H
#define NNR_FORK_H

#include <stdatomic.h>

/** Number of this process in a line of forks. It changes in a child that has one thread. */
extern atomic_uint nnr_process;
static inline unsigned int nnr_process_number(void)
{
	return atomic_load_explicit(&nnr_process, memory_order_relaxed);
}

/** Call before anything is made that a fork would harm. Cheap when called again. */
void nnr_fork_watch(void);

/**
 * The fork handlers of a file. Any function may be NULL. Files do not depend on each other's order.
 */
struct nnr_fork_handlers {
	void (*before)(void); /* in the parent, before the fork */
	void (*parent)(void);
	void (*child)(void);
};
/**
 * Register the handlers of a file: .before, .parent, .child. The linker collects them in a section,
 * so that nothing runs when the library is loaded.
 */
#define NNR_FORK_HANDLERS(...)                                                 \
	static const struct nnr_fork_handlers fork_handlers = { __VA_ARGS__ }; \
	static const struct nnr_fork_handlers *const fork_entry                \
		__attribute__((section("nnr_fork_handlers"), used)) = &fork_handlers

#endif
