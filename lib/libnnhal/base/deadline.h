/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines: CLOCK_BOOTTIME in nanoseconds, NNHAL_NO_TIME for none. Private to libnnhal.
 */
#ifndef NNHAL_DEADLINE_H
#define NNHAL_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "nnhal.h"

/** NNHAL_NO_TIME or >= 0. */
bool nnhal_time_valid(int64_t ns);
bool nnhal_deadline_passed(int64_t deadline_ns);
/** For poll(): -1: none; 0: it has passed. Rounded up: at the end of that time it has passed. */
int nnhal_deadline_ms(int64_t deadline_ns);
/** Absolute CLOCK_MONOTONIC for the transport; 0: none. */
uint64_t nnhal_deadline_monotonic(int64_t deadline_ns);
/**
 * NONE: the deadline is in the future. PERSISTENT: it had passed at the call (@call_ns,
 * CLOCK_MONOTONIC), so the same call would fail again. TRANSIENT: it passed since the call.
 */
enum nnhal_status nnhal_deadline_missed(int64_t deadline_ns, int64_t call_ns);
/** The earlier of a deadline and now + duration. */
int64_t nnhal_deadline_with_duration(int64_t deadline_ns, int64_t duration_ns);

#endif
