// SPDX-License-Identifier: Apache-2.0
#include "card/card.h"

#include <math.h>

#define IDLE_WATTS 0.5
#define BUSY_WATTS 5.0
#define AMBIENT 35.0
#define KELVIN_PER_WATT 8.0
#define TIME_CONSTANT_S 5.0
#define IDLE_CLOCK_MHZ 200u

void telemetry_init(struct telemetry *t, uint64_t now_ns)
{
	*t = (struct telemetry){ .at_ns = now_ns,
				 .temperature = AMBIENT + KELVIN_PER_WATT * IDLE_WATTS,
				 .power = IDLE_WATTS,
				 .clock_mhz = IDLE_CLOCK_MHZ };
}

void telemetry_update(struct telemetry *t, uint64_t now_ns, uint64_t busy_ns, uint32_t running,
		      uint32_t engines)
{
	const double passed = (double)(now_ns - t->at_ns), part = -passed / 1e9 / TIME_CONSTANT_S;
	const double busy = (double)(busy_ns - t->busy_ns);
	double load, steady;

	if (now_ns <= t->at_ns)
		return;
	/* a running job counts for all of the time */
	load = fmin((busy / passed + running) / (engines ? engines : 1), 1);
	t->at_ns = now_ns;
	t->busy_ns = busy_ns;
	t->power = IDLE_WATTS + load * (BUSY_WATTS - IDLE_WATTS);
	steady = AMBIENT + KELVIN_PER_WATT * t->power;
	t->temperature = steady + (t->temperature - steady) * exp(part);
	t->clock_mhz = load > 0 ? TELEMETRY_MAX_CLOCK_MHZ : IDLE_CLOCK_MHZ;
}
