/* SPDX-License-Identifier: Apache-2.0 */
/* The sensors of the tests of the service: a file of virtual sensors. */
#ifndef TESTS_SERVICE_SENSORS_H
#define TESTS_SERVICE_SENSORS_H

/* A device that lies still, with two sensors of one chip, and four of others. */
#define SERVICE_SENSORS                               \
	"[sensor]\n"                                  \
	"name = accel\n"                              \
	"type = accelerometer\n"                      \
	"device = imu\n"                              \
	"rates = 5 12.5 25 50 100 200 400 800 1000\n" \
	"generator = constant\n"                      \
	"values = 0 0 9.80665\n"                      \
	"noise = 0.01\n"                              \
	"range = 78.4\n"                              \
	"resolution = 0.0024\n"                       \
	"[sensor]\n"                                  \
	"name = gyro\n"                               \
	"type = gyroscope\n"                          \
	"device = imu\n"                              \
	"rates = 5 12.5 25 50 100 200 400 800 1000\n" \
	"generator = constant\n"                      \
	"values = 0 0 0\n"                            \
	"noise = 0.001\n"                             \
	"range = 34.9\n"                              \
	"resolution = 0.0001\n"                       \
	"[sensor]\n"                                  \
	"name = compass\n"                            \
	"type = magnetic_field\n"                     \
	"device = compass\n"                          \
	"rates = 5 10 20 50 100\n"                    \
	"generator = constant\n"                      \
	"values = 0 20 -40\n"                         \
	"noise = 0.1\n"                               \
	"range = 1200\n"                              \
	"resolution = 0.1\n"                          \
	"[sensor]\n"                                  \
	"name = slow\n"                               \
	"type = pressure\n"                           \
	"device = barometer\n"                        \
	"rates = 1 10 50\n"                           \
	"generator = constant\n"                      \
	"values = 1013.25\n"                          \
	"range = 1200\n"                              \
	"resolution = 0.01\n"                         \
	"[sensor]\n"                                  \
	"name = light\n"                              \
	"type = light\n"                              \
	"device = lamp\n"                             \
	"rates = 1 10\n"                              \
	"generator = steps\n"                         \
	"values = 100 200\n"                          \
	"frequency = 2\n"                             \
	"range = 10000\n"                             \
	"resolution = 1\n"                            \
	"[sensor]\n"                                  \
	"name = once\n"                               \
	"type = significant_motion\n"                 \
	"device = gesture\n"                          \
	"generator = steps\n"                         \
	"frequency = 10\n"
#define SERVICE_SENSORS_COUNT 6

#endif
