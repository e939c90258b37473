/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temperature, power and clock of the emulated silicon, modelled from its load. It takes 0.5 W idle
 * and 5 W with all engines busy, is 8 K above 35 degrees Celsius for each watt, with a time
 * constant of 5 s, and has a clock of 1000 MHz while a job runs, else 200 MHz.
 */
#ifndef NNBOARD_TELEMETRY_H
#define NNBOARD_TELEMETRY_H

#include <stdint.h>

#define TELEMETRY_MAX_CLOCK_MHZ 1000u

struct telemetry {
	uint64_t at_ns, busy_ns; /* at the last update */
	double temperature; /* degrees Celsius */
	double power; /* W */
	uint32_t clock_mhz;
};

/** An idle card at @now_ns. */
void telemetry_init(struct telemetry *t, uint64_t now_ns);

/**
 * telemetry_update() - go on to @now_ns
 * @t: telemetry
 * @now_ns: of the card's clock
 * @busy_ns: time for which jobs have held engines, of those that have given them up
 * @running: jobs that hold one now
 * @engines: number of engines
 */
void telemetry_update(struct telemetry *t, uint64_t now_ns, uint64_t busy_ns, uint32_t running,
		      uint32_t engines);

#endif
