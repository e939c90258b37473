/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of a generated sensor. But for the noise, they are a function of the sample's time stamp
 * alone: a test computes the expected value from the stamp.
 */
#ifndef SENSORD_GENERATOR_H
#define SENSORD_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "values/sensor_types.h"
#include "virtual/motion.h"

#define GENERATOR_VALUES 16u

enum generator_kind {
	GENERATOR_CONSTANT, /* values */
	GENERATOR_SINE, /* values + amplitudes sin(2 pi frequency t + phases) */
	GENERATOR_STEPS, /* frequency times a second: the next value, one more, or an event */
	GENERATOR_MOTION, /* motion.h */
};

/**
 * struct generator - what a sensor says
 * @kind: see there
 * @motion: of GENERATOR_MOTION, with its own frequency and amplitude
 * @num_values: how many of @values were given; the others are 0
 * @values, @amplitudes, @phases: of each float of the payload; phases in degrees
 * @frequency: Hz, of GENERATOR_SINE and GENERATOR_STEPS
 * @noise: standard deviation of what is added to each float
 * @seed: of the noise
 */
struct generator {
	enum generator_kind kind;
	struct motion motion;
	unsigned int num_values;
	float values[GENERATOR_VALUES], amplitudes[GENERATOR_VALUES], phases[GENERATOR_VALUES];
	double frequency, noise;
	uint64_t seed;
};

/** Whether a sensor with this row and reporting mode can have @generator; @why otherwise. */
bool generator_fits(const struct generator *generator, const struct sensor_type *row, int32_t type,
		    uint32_t mode, const char **why);

/**
 * generator_make() - the payload of a sample
 * @generator: of the sensor
 * @info: of the sensor: values end at its range, and are multiples of its resolution
 * @row: of its type
 * @time_ns: the sample's stamp
 * @random: state of the noise, @generator->seed at first
 * @payload: set
 */
void generator_make(const struct generator *generator, const struct nnsensors_info *info,
		    const struct sensor_type *row, int64_t time_ns, uint64_t *random,
		    union nnsensors_payload *payload);
/** The next number of @random's sequence, 0 <= n < 1. */
double generator_random(uint64_t *random);

#endif
