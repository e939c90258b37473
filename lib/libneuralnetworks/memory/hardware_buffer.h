/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects over AHardwareBuffers of nnaccel's libnativewindow.so. */
#ifndef NNR_HARDWARE_BUFFER_H
#define NNR_HARDWARE_BUFFER_H

#include "memory/memory_object.h"

/** Result code (logged). */
int nnr_memory_create_from_hardware_buffer(const AHardwareBuffer *buffer,
					   ANeuralNetworksMemory **memory);

#endif
