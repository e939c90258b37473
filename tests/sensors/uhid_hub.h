/* SPDX-License-Identifier: Apache-2.0 */
/* The hub of HID sensors (uhid_sensors.c) as a process of the test. Asserts that all goes well. */
#ifndef TESTS_SENSORS_UHID_HUB_H
#define TESTS_SENSORS_UHID_HUB_H

/** Exit code of a test that needs the VM. */
#define UHID_SKIPPED 77

/** Start it, with all of its sensors, and wait until the kernel has it. */
void uhid_hub_start(void);
/** Its next line is @line. */
void uhid_hub_says(const char *line);
/** Give a command, and expect the answer. */
void uhid_hub_command(const char *command, const char *answer);
/** End it; its sensors are gone. */
void uhid_hub_stop(void);

#endif
