/* SPDX-License-Identifier: Apache-2.0 */
/* How sensors and their events look in a table. */
#ifndef NNCTL_SENSOR_TEXT_H
#define NNCTL_SENSOR_TEXT_H

#include <stddef.h>

#include "nnsensors.h"

/** Name of a type for a table: "accelerometer", "0x10001". */
const char *sensor_text_type(const struct nnsensors_info *info, char *text, size_t size);
const char *sensor_text_unit(const struct nnsensors_info *info);
/** The values of an event: "0.020 -0.110 9.790". */
const char *sensor_text_values(const struct nnsensors_event *event, char *text, size_t size);

#endif
