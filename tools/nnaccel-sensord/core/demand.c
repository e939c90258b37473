// SPDX-License-Identifier: Apache-2.0
/* What the subscribers of a device want of the hardware. */
#include "core/sensord_core.h"

#include <string.h>

/* The fastest of all, and no later than the most impatient wants it. */
static struct sensor_demand demand_of(const struct sensor *sensor)
{
	struct sensor_demand demand = { 0, 0 };

	for (const struct subscription *s = sensor->subscriptions; s; s = s->next) {
		if (!demand.period_ns || s->period_ns < demand.period_ns)
			demand.period_ns = s->period_ns;
		if (s == sensor->subscriptions || s->latency_ns < demand.latency_ns)
			demand.latency_ns = s->latency_ns;
	}
	return demand;
}

void sensor_runs_at(struct sensor *sensor, int64_t period_ns)
{
	sensor->device->periods_ns[sensor->index] = period_ns;
}

int demand_update(struct sensor_device *device)
{
	struct sensor_demand demands[SENSORS_PER_DEVICE];
	int64_t before[SENSORS_PER_DEVICE];
	int ret;

	memset(demands, 0, sizeof(demands));
	device->demands_old = false;
	for (unsigned int i = 0; i < device->num_sensors; i++)
		demands[i] = demand_of(&device->sensors[i]);
	if (!memcmp(demands, device->demands, sizeof(demands)))
		return 0;
	memcpy(before, device->periods_ns, sizeof(before));
	for (unsigned int i = 0; i < device->num_sensors; i++)
		device->periods_ns[i] = demands[i].period_ns;
	ret = device->ops->configure(device, demands);
	if (ret) {
		memcpy(device->periods_ns, before, sizeof(before));
		return ret;
	}
	memcpy(device->demands, demands, sizeof(demands));
	/* what it is when it is switched on again is not known */
	for (unsigned int i = 0; i < device->num_sensors; i++)
		if (!demands[i].period_ns)
			device->sensors[i].has_last = false;
	return 0;
}
