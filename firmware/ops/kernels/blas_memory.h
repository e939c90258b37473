/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNFW_BLAS_MEMORY_H
#define NNFW_BLAS_MEMORY_H

/** Before products on a thread. 0 or -ENOMEM. */
int nnfw_blas_enter(void);

#endif
