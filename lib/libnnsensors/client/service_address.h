/* SPDX-License-Identifier: Apache-2.0 */
/* Reaching the sensor service: its socket, and HELLO. */
#ifndef NNSENSORS_SERVICE_ADDRESS_H
#define NNSENSORS_SERVICE_ADDRESS_H

#include <stddef.h>

/**
 * A socket on which both sides have sent HELLO, kept from children of fork(), the caller's. @path
 * NULL: of the environment, or the default. -errno with @message, as nnsensors_manager_open() says.
 */
int sensor_service_connect(const char *path, char *message, size_t size);

#endif
