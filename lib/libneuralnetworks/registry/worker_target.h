/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a vendor library that a worker loads. */
#ifndef NNR_WORKER_TARGET_H
#define NNR_WORKER_TARGET_H

/** For nnhal_enumerate(), malloc'ed. NULL: a worker cannot have it (logged). */
char *nnr_worker_target(const char *path);

#endif
