/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AHardwareBuffer: memory that processes and devices share, with the names, values and layouts of
 * the NDK. Functions are in libnativewindow.so, as on Android; Documentation/hardware-buffer.rst
 * says what is behind them here, and what is not.
 *
 * A buffer is counted. Any thread may call anything; each user of a buffer holds a reference to it.
 * Results are 0 or a negative errno: -EINVAL stands for an argument that is wrong, which includes a
 * pointer that is no buffer of this library's. NNAPI_LOG=warning makes every failed call say why on
 * stderr.
 */
#ifndef ANDROID_HARDWARE_BUFFER_H
#define ANDROID_HARDWARE_BUFFER_H

#include <inttypes.h>
#include <stdint.h>

#include "rect.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a buffer holds. Channels are in the order of their bytes in memory. */
enum AHardwareBuffer_Format {
	AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
	AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
	AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
	AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
	AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
	/** Bytes: width is their number, height and layers are 1. */
	AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
	AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
	AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
	AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
	AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
	AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
	AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
	AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
	AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
	AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38,
	AHARDWAREBUFFER_FORMAT_R16_UINT = 0x39,
	AHARDWAREBUFFER_FORMAT_R16G16_UINT = 0x3a,
	AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM = 0x3b,
};

/**
 * How it will be used. The lowest two groups of four bits are numbers, the others flags, one beyond
 * an int.
 */
__extension__ enum AHardwareBuffer_UsageFlags {
	AHARDWAREBUFFER_USAGE_CPU_READ_NEVER = 0UL,
	AHARDWAREBUFFER_USAGE_CPU_READ_RARELY = 2UL,
	AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN = 3UL,
	AHARDWAREBUFFER_USAGE_CPU_READ_MASK = 0xFUL,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER = 0UL << 4,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY = 2UL << 4,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN = 3UL << 4,
	AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK = 0xFUL << 4,
	AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE = 1UL << 8,
	AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER = 1UL << 9,
	AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT = AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER,
	AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY = 1ULL << 11,
	AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT = 1UL << 14,
	AHARDWAREBUFFER_USAGE_VIDEO_ENCODE = 1UL << 16,
	AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA = 1UL << 23,
	AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER = 1UL << 24,
	AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP = 1UL << 25,
	AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE = 1UL << 26,
	AHARDWAREBUFFER_USAGE_FRONT_BUFFER = 1ULL << 32,
};

typedef struct AHardwareBuffer_Desc {
	uint32_t width; /* pixels; of BLOB bytes */
	uint32_t height;
	uint32_t layers;
	uint32_t format; /* AHardwareBuffer_Format */
	uint64_t usage; /* AHardwareBuffer_UsageFlags */
	/* pixels from row to row; AHardwareBuffer_allocate() does not look at it */
	uint32_t stride;
	uint32_t rfu0; /* 0 */
	uint64_t rfu1; /* 0 */
} AHardwareBuffer_Desc;

/** One plane of a locked image; strides in bytes. */
typedef struct AHardwareBuffer_Plane {
	void *data;
	uint32_t pixelStride;
	uint32_t rowStride;
} AHardwareBuffer_Plane;

typedef struct AHardwareBuffer_Planes {
	uint32_t planeCount;
	AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

typedef struct AHardwareBuffer AHardwareBuffer;

/**
 * A zeroed buffer with one reference. -EINVAL: the description is none, or is not supported (see
 * AHardwareBuffer_isSupported()); -ENOMEM, -EMFILE and the like. *@outBuffer is NULL then. API
 * level 26.
 */
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc, AHardwareBuffer **outBuffer);

/** One reference more, or less; the last one frees it, locked or not. API level 26. */
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);
void AHardwareBuffer_release(AHardwareBuffer *buffer);

/** What it was allocated with, and its stride. Of no buffer: all 0. API level 26. */
void AHardwareBuffer_describe(const AHardwareBuffer *buffer, AHardwareBuffer_Desc *outDesc);

/**
 * Give the CPU access: the address is valid until the buffer is freed, the contents between lock
 * and unlock. @usage: CPU_READ_*, CPU_WRITE_* or both, of what the buffer was allocated for. @fence
 * (-1: none) is waited for however long it takes, and closed, whatever the result. Several locks
 * may be held at once. @rect promises which part will be written; nothing depends on it here.
 * -EINVAL; -EACCES: it cannot be written; -EIO: the fence ended in an error; what mmap() says. API
 * level 26.
 */
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence, const ARect *rect,
			 void **outVirtualAddress);
/**
 * The same for images of one layer; also the bytes of a pixel and of a row (of BLOB 1 and its
 * size). API level 29.
 */
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
				   const ARect *rect, void **outVirtualAddress,
				   int32_t *outBytesPerPixel, int32_t *outBytesPerStride);
/** The same as planes: one. API level 29. */
int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
			       const ARect *rect, AHardwareBuffer_Planes *outPlanes);
/**
 * The end of one lock: devices see what was written. *@fence (may be NULL) becomes -1: it is done.
 * API level 26.
 */
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);

/**
 * Over a connected AF_UNIX socket (stream, datagram, seqpacket), from and to this library: both
 * then share the memory. One message a buffer. The receiver believes nothing: -EBADMSG is a message
 * that is none, or whose memory is too small, of another kind, or could shrink under its readers;
 * -EPIPE the end of the connection; else what the system says (-EAGAIN on a socket that does not
 * block). Descriptors that came with a refused message are closed. A peer that is gone raises no
 * SIGPIPE. API level 26.
 */
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer, int socketFd);
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd, AHardwareBuffer **outBuffer);

/** 1: it can be allocated, if there is memory; 0: never. API level 29. */
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);

/**
 * A number that the same memory has in every process, and no other while it exists. API level 31.
 */
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);

#ifdef __cplusplus
}
#endif

#endif
