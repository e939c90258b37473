// SPDX-License-Identifier: Apache-2.0
/*
 * Which descriptions of buffers are valid, and which of those there is memory for: bytes, and
 * images of one plane.
 */
#include "nativewindow.h"

uint32_t nw_pixel_bytes(uint32_t format)
{
	switch (format) {
	case AHARDWAREBUFFER_FORMAT_BLOB:
	case AHARDWAREBUFFER_FORMAT_R8_UNORM:
		return 1;
	case AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM:
	case AHARDWAREBUFFER_FORMAT_R16_UINT:
		return 2;
	case AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM:
		return 3;
	case AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM:
	case AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM:
	case AHARDWAREBUFFER_FORMAT_R16G16_UINT:
		return 4;
	case AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT:
	case AHARDWAREBUFFER_FORMAT_R10G10B10A10_UNORM:
		return 8;
	default:
		return 0;
	}
}

/* Usages that cannot be kept here: of a layout, or of protected memory. */
static const char *usage_obstacle(const AHardwareBuffer_Desc *desc)
{
	const uint64_t images = AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE |
				AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER |
				AHARDWAREBUFFER_USAGE_VIDEO_ENCODE;
	const bool blob = desc->format == AHARDWAREBUFFER_FORMAT_BLOB;

	if (desc->usage & AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT)
		return "there is no protected memory";
	if (desc->usage &
	    (AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP | AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE))
		return "there are no cube maps and no mipmaps";
	if (blob && desc->usage & images)
		return "BLOB is bytes, the usage one of images";
	if (!blob && desc->usage & (AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA |
				    AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER))
		return "the usage needs BLOB";
	return NULL;
}

bool nw_desc_check(const AHardwareBuffer_Desc *desc, uint64_t *size, const char **why)
{
	const char *obstacle = NULL;
	uint64_t pixels;

	*size = 0;
	if (!desc->width || !desc->height || !desc->layers)
		obstacle = "width, height and layers are at least 1";
	else if (desc->rfu0 || desc->rfu1)
		obstacle = "reserved members are not 0";
	else if (!nw_pixel_bytes(desc->format))
		obstacle =
			"the format is unknown, or an image of several planes, for depth or for stencil";
	else if (desc->format == AHARDWAREBUFFER_FORMAT_BLOB &&
		 (desc->height != 1 || desc->layers != 1))
		obstacle = "height and layers of BLOB are 1";
	else if (__builtin_mul_overflow((uint64_t)desc->width * desc->height, desc->layers,
					&pixels) ||
		 __builtin_mul_overflow(pixels, nw_pixel_bytes(desc->format), size) ||
		 *size > INT64_MAX / 2)
		obstacle = "it is too large";
	else
		obstacle = usage_obstacle(desc);
	if (why)
		*why = obstacle;
	return !obstacle;
}

int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc)
{
	uint64_t size;

	return desc && nw_desc_check(desc, &size, NULL);
}
