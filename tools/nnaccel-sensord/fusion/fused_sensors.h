/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensors computed from others: gravity, linear acceleration, rotation vectors, step counter and
 * step detector from accelerometer and gyroscope. Their vendor is "nnaccel fusion". A fused device
 * is a client of its base sensors like any other: a queue_sink, read on the fused device's thread.
 */
#ifndef SENSORD_FUSED_SENSORS_H
#define SENSORD_FUSED_SENSORS_H

/** Add what the present sensors allow, and follow the list's changes. 0 or -errno. */
int fused_sensors_start(void);
void fused_sensors_stop(void);

#endif
