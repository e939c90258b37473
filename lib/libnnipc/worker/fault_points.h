/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of the protocol at which nnipc_fault_point() is called, each with what the host has seen by
 * then. A test program that links the worker with an nnipc_fault_point() of its own fails there.
 */
#ifndef NNIPC_FAULT_POINTS_H
#define NNIPC_FAULT_POINTS_H

/* clang-format off */
#define NNIPC_FAULT_POINTS(X)                                                                  \
	X("before-hello")            /* nothing */                                             \
	X("after-hello")             /* the worker's HELLO */                                  \
	X("before-enumerate-reply")  /* HELLO; ENUMERATE waits */                              \
	X("before-open")             /* HELLO; OPEN waits, the vendor has not been called */   \
	X("before-open-reply")       /* HELLO; OPEN waits, the device is open */               \
	X("after-open-reply")        /* the reply to OPEN */                                   \
	X("before-launch")           /* prepare or execute waits, the vendor was not called */ \
	X("after-vendor-launch")     /* prepare or execute waits, the vendor has returned */   \
	X("after-launch-reply")      /* the reply to prepare or execute */                     \
	X("before-notify")           /* perhaps the reply; the callback waits */               \
	X("after-notify")            /* the notification, perhaps before the reply */          \
	X("during-execution")        /* a synchronous, fenced or burst execution waits */      \
	X("before-sync-reply")       /* the same; the vendor has returned */                   \
	X("burst-before-reply")      /* an execution in a ring waits; the vendor has returned */ \
	X("after-fenced-reply")      /* the fence of a fenced execution */                     \
	X("release")                 /* the host has given an object back */
/* clang-format on */

#endif
