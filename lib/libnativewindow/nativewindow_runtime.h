/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libneuralnetworks.so finds in libnativewindow.so where a process has it
 * (Documentation/hardware-buffer.rst).
 */
#ifndef NATIVEWINDOW_RUNTIME_H
#define NATIVEWINDOW_RUNTIME_H

#pragma GCC visibility push(default)
#include "include/android/hardware_buffer.h"

/**
 * The memory of a buffer: a descriptor for the caller, of a dma-buf or of a memfd that cannot
 * shrink. @buffer may be any address: it is only looked for among this library's buffers. *@prot:
 * PROT_READ, perhaps PROT_WRITE; *@size: bytes of its contents. Or -EINVAL: it is none of this
 * library's; -EMFILE.
 */
int nnaccelHardwareBuffer_open(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *desc, int *prot,
			       uint64_t *size);
typedef int nnaccel_hardware_buffer_open_fn(const AHardwareBuffer *buffer,
					    AHardwareBuffer_Desc *desc, int *prot, uint64_t *size);
#pragma GCC visibility pop

#endif
