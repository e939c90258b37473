/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the values of nnsensors.h: rows that lib/idl makes. */
#ifndef SENSOR_SAMPLES_H
#define SENSOR_SAMPLES_H

#include "idl_sample.h"
#include "messages/sensor_messages.h"

extern const struct sample_row sensor_sample_rows[];
extern const size_t sensor_num_sample_rows;

#endif
