// SPDX-License-Identifier: Apache-2.0
/* Values of a generated sensor. */
#include "virtual/sensord_virtual.h"

#include <math.h>
#include <string.h>

#include "nnutil_clock.h"

/* ---- random numbers ---- */

double generator_random(uint64_t *random)
{
	uint64_t x = *random += 0x9e3779b97f4a7c15ull; /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* Of a normal distribution with deviation 1. */
static double normal(uint64_t *random)
{
	const double radius = sqrt(-2 * log(1 - generator_random(random)));

	return radius * cos(2 * M_PI * generator_random(random));
}

/* ---- values ---- */

static bool is_event(uint32_t mode)
{
	return mode == NNSENSORS_FLAG_ONE_SHOT || mode == NNSENSORS_FLAG_SPECIAL;
}

bool generator_fits(const struct generator *g, const struct sensor_type *row, int32_t type,
		    uint32_t mode, const char **why)
{
	const bool counts = row->payload == SENSOR_PAYLOAD_STEP_COUNT;

	if (!counts && !nnsensors_payload_floats(row->payload))
		*why = "sensors of this type cannot be generated";
	else if ((counts || is_event(mode)) && g->kind != GENERATOR_STEPS)
		*why = "sensors that count or tell of events have \"generator = steps\"";
	else if (g->kind == GENERATOR_MOTION && !motion_has(type))
		*why = "only accelerometers and gyroscopes tell of motion";
	else if ((g->kind == GENERATOR_STEPS || g->kind == GENERATOR_SINE) && !(g->frequency > 0))
		*why = "this generator needs a frequency";
	else if (g->kind == GENERATOR_STEPS && !counts && !is_event(mode) && g->num_values < 2)
		*why = "steps between values need two values or more";
	else if (g->kind != GENERATOR_STEPS &&
		 g->num_values > nnsensors_payload_floats(row->payload))
		*why = "more values than the type has";
	else
		return true;
	return false;
}

/* How many steps there were until @time_ns. */
static uint64_t count_steps(double frequency, int64_t time_ns)
{
	const int64_t s = time_ns / NNUTIL_NS_PER_S, rest = time_ns % NNUTIL_NS_PER_S;
	const double steps = (double)s * frequency + (double)rest * 1e-9 * frequency;

	return steps > 0 ? (uint64_t)steps : 0;
}

static double value_of(const struct generator *g, unsigned int i, int64_t time_ns)
{
	switch (g->kind) {
	case GENERATOR_SINE:
		return (double)g->values[i] +
		       (double)g->amplitudes[i] *
			       sin(2 * M_PI * motion_phase(g->frequency, time_ns) +
				   (double)g->phases[i] * M_PI / 180);
	case GENERATOR_STEPS:
		/* events of one value without another: 1.0 */
		if (i)
			return 0;
		if (!g->num_values)
			return 1;
		return (double)g->values[count_steps(g->frequency, time_ns) % g->num_values];
	case GENERATOR_CONSTANT:
	case GENERATOR_MOTION:
		break;
	}
	return (double)g->values[i];
}

static float generator_limit(double value, const struct nnsensors_info *info)
{
	const double range = (double)info->max_range, step = (double)info->resolution;

	if (step > 0)
		value = round(value / step) * step;
	return (float)(value > range ? range : value < -range ? -range : value);
}

void generator_make(const struct generator *g, const struct nnsensors_info *info,
		    const struct sensor_type *row, int64_t time_ns, uint64_t *random,
		    union nnsensors_payload *payload)
{
	const unsigned int floats = nnsensors_payload_floats(row->payload);
	double motion[3];
	int8_t *status;

	memset(payload, 0, sizeof(*payload));
	if (row->payload == SENSOR_PAYLOAD_STEP_COUNT) {
		payload->step_count = count_steps(g->frequency, time_ns);
		return;
	}
	if (g->kind == GENERATOR_MOTION)
		motion_values(&g->motion, info->type, time_ns, motion);
	for (unsigned int i = 0; i < floats; i++) {
		double value = value_of(g, i, time_ns);

		if (g->kind == GENERATOR_MOTION && i < 3)
			value += motion[i];
		if (g->noise > 0)
			value += g->noise * normal(random);
		payload->data[i] = generator_limit(value, info);
	}
	status = nnsensors_payload_status(row->payload, payload);
	if (status)
		*status = NNSENSORS_STATUS_HIGH;
}
