/* SPDX-License-Identifier: Apache-2.0 */
/* PNG and JPEG files to RGB. */
#ifndef NNCTL_PICTURE_H
#define NNCTL_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/** A decoded picture: 8-bit RGB, row by row. */
struct picture {
	uint32_t width, height;
	uint8_t *rgb;
};
/** 0, or -1 after a complaint. */
int picture_read_png(const void *bytes, size_t size, const char *name, struct picture *p);
int picture_read_jpeg(const void *bytes, size_t size, const char *name, struct picture *p);

#endif
