/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the whole library. */
#ifndef NNHAL_EXPORT_H
#define NNHAL_EXPORT_H

/** A function of nnhal.h; nnhal.map lists them. */
#define NNHAL_EXPORT __attribute__((visibility("default")))

/** Of NNAPI: what IDevice reports. */
#define NNHAL_FEATURE_LEVEL 8u

#endif
