/* SPDX-License-Identifier: Apache-2.0 */
/* Loading one vendor library into the process. */
#ifndef NNR_LOAD_DRIVER_H
#define NNR_LOAD_DRIVER_H

#include "nnhal.h"

/** *@handle: of dlopen(); the library stays loaded. NULL: it cannot be used (logged). */
const struct nnhal_driver *nnr_driver_load(const char *path, void **handle);

#endif
