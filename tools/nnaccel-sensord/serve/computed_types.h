/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which types of sensors others are computed from, by fusion here or by a sensor hub. A rule about
 * a type covers each of these forms.
 */
#ifndef SENSORD_COMPUTED_TYPES_H
#define SENSORD_COMPUTED_TYPES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Whether events of @type reveal those of @base: a rotation vector of an accelerometer, an
 * uncalibrated twin of the calibrated one and the other way round. Not of itself.
 */
bool type_is_computed_from(int32_t type, int32_t base);
/** Whether only those may use sensors of @type whom a rule names: health, and what is not known. */
bool type_needs_rule(int32_t type);

#endif
