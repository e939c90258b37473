// SPDX-License-Identifier: Apache-2.0
/* A device comes and goes. */
#include <errno.h>
#include <string.h>

#include "core/sensord_core.h"
#include "nnutil_log.h"

static bool same_names(const struct sensor *sensors, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (sensor_same_name(&sensors[i], &sensors[k]))
				return true;
	return false;
}

static bool device_life_check(const struct sensor_device_config *config, char *message, size_t size)
{
	if (!config->num_sensors || config->num_sensors > SENSORS_PER_DEVICE)
		return nnutil_refuse(message, size, false, "a device has 1 to %u sensors",
				     SENSORS_PER_DEVICE);
	for (unsigned int i = 0; i < config->num_sensors; i++)
		if (!sensor_check(&config->sensors[i], message, size))
			return false;
	if (same_names(config->sensors, config->num_sensors))
		return nnutil_refuse(message, size, false, "two sensors have the same name");
	return true;
}

static int device_life_add(const struct sensor_device_config *config, struct sensor_device **added,
			   char *message, size_t size)
{
	struct sensor_device *device = device_create(config);
	int ret;

	if (!device)
		return -errno;
	ret = sensor_list_add(device, message, size);
	if (!ret) {
		/* calls that come before the thread wait for it */
		ret = device_thread_start(device);
		if (ret && sensor_list_remove(device))
			device_put(device);
	}
	if (ret)
		device_put(device);
	else
		*added = device;
	return ret;
}

int device_add(const struct sensor_device_config *config, struct sensor_device **device)
{
	char message[160] = "";
	struct sensor_device *added = NULL;
	int ret = -EINVAL;

	if (device_life_check(config, message, sizeof(message)))
		ret = device_life_add(config, &added, message, sizeof(message));
	if (ret) {
		nnutil_log(NNUTIL_LOG_WARNING, "%s: %s", config->name,
			   message[0] ? message : strerror(-ret));
		return ret;
	}
	sensor_list_changed();
	if (device)
		*device = added;
	else
		device_put(added);
	return 0;
}

void device_remove(struct sensor_device *device)
{
	const bool listed = sensor_list_remove(device);

	device_thread_end(device);
	if (!listed)
		return;
	sensor_list_changed();
	device_put(device);
}

void sensor_list_clear(void)
{
	struct sensor_device *device;

	while ((device = sensor_list_any())) {
		device_remove(device);
		device_put(device);
	}
	device_threads_wait();
}
