/* SPDX-License-Identifier: Apache-2.0 */
/* Rectangles as the NDK has them. */
#ifndef ANDROID_RECT_H
#define ANDROID_RECT_H

#include <stdint.h>

/** In pixels; right and bottom are outside. */
typedef struct ARect {
#ifdef __cplusplus
	typedef int32_t value_type;
#endif
	int32_t left;
	int32_t top;
	int32_t right;
	int32_t bottom;
} ARect;

#endif
