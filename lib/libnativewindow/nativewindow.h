/* SPDX-License-Identifier: Apache-2.0 */
/* AHardwareBuffer: allocation, locks, sockets. */
#ifndef NNACCEL_NATIVEWINDOW_H
#define NNACCEL_NATIVEWINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "nnutil_log.h"

/*
 * What libneuralnetworks.so finds in libnativewindow.so where a process has it
 * (Documentation/hardware-buffer.rst).
 */

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

/* Declarations that the files of this library share. */

/** All but what follows @refs is fixed; that is under the lock of buffer.c. */
struct AHardwareBuffer {
	AHardwareBuffer_Desc desc;
	uint64_t size; /* bytes of the contents */
	int fd;
	bool dmabuf; /* else a memfd that cannot shrink */
	bool writable;
	unsigned int refs;
	void *map; /* from the first lock on */
	unsigned int locks;
	uint64_t access; /* DMA_BUF_SYNC_READ, _WRITE: of all that are locked */
};

/** Log why a call is refused; its result. */
#define nw_refuse(error, ...) (nnutil_log_refusal(__func__, __VA_ARGS__), -(error))

/* ---- desc.c ---- */

/** Bytes of a pixel; 0: a format that is not supported. */
uint32_t nw_pixel_bytes(uint32_t format);
/** Whether it can be allocated. *@size: bytes of its contents; *@why (may be NULL): static text. */
bool nw_desc_check(const AHardwareBuffer_Desc *desc, uint64_t *size, const char **why);

/* ---- backing.c ---- */

/** Zeroed memory of at least @size bytes: its descriptor, or -errno. */
int nw_backing_create(uint64_t size, bool *dmabuf);
/**
 * Whether a descriptor from outside can be the memory of a buffer of @size bytes. *@why: static
 * text, when not.
 */
bool nw_backing_check(int fd, uint64_t size, bool *dmabuf, bool *writable, const char **why);

/* ---- buffer.c ---- */

/**
 * A buffer with one reference; @fd becomes the buffer's. NULL: out of memory, @fd stays the
 * caller's.
 */
AHardwareBuffer *nw_buffer_new(const AHardwareBuffer_Desc *desc, uint64_t size, int fd, bool dmabuf,
			       bool writable);
/** @buffer with a reference more; NULL: it is none of ours. */
AHardwareBuffer *nw_buffer_get(const AHardwareBuffer *buffer);
/** False: it is none of ours. */
bool nw_buffer_put(const AHardwareBuffer *buffer);
/** Of what can change in a buffer. Held for moments: no system call but mmap() is made under it. */
void nw_lock(void);
void nw_unlock(void);

#endif
