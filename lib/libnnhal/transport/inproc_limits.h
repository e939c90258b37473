/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that the firmware in this process may take: what there is, shared with the application. */
#ifndef NNHAL_INPROC_LIMITS_H
#define NNHAL_INPROC_LIMITS_H

#include <stdint.h>

/** Bytes of loaded programs: @mib MiB; 0: half of what the process can have. */
uint64_t nnhal_inproc_quota(unsigned int mib);
/** Bytes of one run's temporaries: 1 GiB, and no more than half of what the process can have. */
uint64_t nnhal_inproc_arena(void);

#endif
