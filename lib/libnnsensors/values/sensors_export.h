/* SPDX-License-Identifier: Apache-2.0 */
/* Visibility of what libnnsensors.so exports. */
#ifndef NNSENSORS_EXPORT_H
#define NNSENSORS_EXPORT_H

/** A function of a public header; nnsensors.map lists them. */
#define NNSENSORS_EXPORT __attribute__((visibility("default")))

#endif
