// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nnaccel_load.h"
#include "nnaccel_power.h"

int nn_dev_set(const char *address, const char *file, const char *value)
{
	char path[160];
	int ret = nn_dev_path(address, file, path, sizeof(path));

	return ret ? ret : nn_write_file(path, value);
}

int nn_dev_get(const char *address, const char *file, char *value, size_t size)
{
	char path[160];
	int ret = nn_dev_path(address, file, path, sizeof(path));

	if (!ret)
		ret = nn_read_file(path, value, size);
	if (ret <= 0)
		return ret ? ret : -EIO;
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

int nn_pci_decode(const char *address, bool on)
{
	uint16_t command;
	char path[96];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", address);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command)) {
		ret = -EIO;
	} else {
		command = on ? command | PCI_COMMAND_MEMORY : command & ~PCI_COMMAND_MEMORY;
		if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
			ret = -EIO;
	}
	close(fd);
	return ret;
}

static int pci_is(const char *address, const char *file, const char *wanted)
{
	char value[32];
	int ret = nn_dev_get(address, file, value, sizeof(value));

	return ret ? ret : strcmp(value, wanted) == 0;
}

static int pci_wait(const char *address, const char *file, const char *wanted)
{
	int64_t end = nn_now() + NN_WAIT_S * NN_NS_PER_S;
	int ret;

	while ((ret = pci_is(address, file, wanted)) == 0 && nn_now() < end)
		nn_sleep_ms(10);
	return ret == 1 ? 0 : ret ? ret : -EBUSY;
}

int nn_power_is(const char *address, const char *wanted)
{
	return pci_is(address, "power/runtime_status", wanted);
}

int nn_power_wait(const char *address, const char *wanted)
{
	return pci_wait(address, "power/runtime_status", wanted);
}

int nn_power_wait_usage(const char *address, const char *wanted)
{
	int ret = pci_wait(address, "power/runtime_usage", wanted);

	/* A kernel without CONFIG_PM_ADVANCED_DEBUG does not show it. */
	return ret == -ENOENT ? 0 : ret;
}

int nn_power_auto(const char *address, unsigned int ms)
{
	char text[16];
	int ret;

	snprintf(text, sizeof(text), "%u", ms);
	ret = nn_dev_set(address, "power/autosuspend_delay_ms", text);
	return ret ? ret : nn_dev_set(address, "power/control", "auto");
}

int nn_power_on(const char *address)
{
	int ret = nn_dev_set(address, "power/control", "on");

	return ret ? ret : nn_dev_set(address, "power/autosuspend_delay_ms", "2000");
}

int nn_bus_error(const char *address, const char *state)
{
	char text[96];

	snprintf(text, sizeof(text), "%s %s", state, address);
	return nn_write_file(NN_VMTEST "/parameters/bus_error", text);
}
