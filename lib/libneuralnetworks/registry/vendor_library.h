/* SPDX-License-Identifier: Apache-2.0 */
/* Vendor libraries: shared objects with an nnhal_driver. */
#ifndef NNR_VENDOR_LIBRARY_H
#define NNR_VENDOR_LIBRARY_H

#include <stdbool.h>

#include "nnhal.h"

/** Load them from where the configuration says. Once, before the calls below. They stay loaded. */
void nnr_libraries_load(void);
/** Call @found for every device that a library could open now, until it returns false. */
void nnr_libraries_enumerate(bool (*found)(void *cookie, const struct nnhal_driver *driver,
					   const char *spec),
			     void *cookie);

#endif
