/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Power and bus of the device: sysfs attributes of the PCI device, runtime PM, bus errors. See the table "Power" in
 * Documentation/failure-and-recovery.rst.
 */
#ifndef NNACCEL_POWER_H
#define NNACCEL_POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define NN_VMTEST	"/sys/module/nnaccel_vmtest"

/** System suspend and bus errors need the VM's helper module (tests/vm/module). */
#define NEED_VMTEST() do { \
		if (access(NN_VMTEST, F_OK) && system("modprobe -q nnaccel_vmtest")) \
			SKIP(return, "no module nnaccel_vmtest: tests of the VM only"); \
	} while (0)

/** Write @value to the attribute @file of the device @address. All functions here return 0 or a negative errno. */
int nn_dev_set(const char *address, const char *file, const char *value);
/** Read an attribute, without its newline. */
int nn_dev_get(const char *address, const char *file, char *value, size_t size);
/** Switch the decoding of memory on or off. Off, registers have no values, as behind a bus that fails. */
int nn_pci_decode(const char *address, bool on);
/** Whether power/runtime_status is @wanted ("active", "suspended", "suspending"): 1, 0 or a negative errno. */
int nn_power_is(const char *address, const char *wanted);
/** Wait until it is; -EBUSY after NN_WAIT_S. */
int nn_power_wait(const char *address, const char *wanted);
/** Wait for power/runtime_usage, if the kernel shows it. */
int nn_power_wait_usage(const char *address, const char *wanted);
/** Let the card sleep after @ms without jobs. */
int nn_power_auto(const char *address, unsigned int ms);
/** Keep the card awake, with the default delay: what the driver starts with. */
int nn_power_on(const char *address);
/** Call the driver's handlers of bus errors, see tests/vm/module/nnaccel_vmtest.c. */
int nn_bus_error(const char *address, const char *state);

#endif
