// SPDX-License-Identifier: Apache-2.0
/* ASensor_*: what a sensor is. */
#include <errno.h>

#include "ndk/sensor_ndk.h"

int sensor_ndk_result(enum nnsensors_result result)
{
	switch (result) {
	case NNSENSORS_OK:
		return 0;
	case NNSENSORS_NOT_EXIST:
		return -ENOENT;
	case NNSENSORS_NO_MEMORY:
		return -ENOMEM;
	case NNSENSORS_NO_INIT:
		return -ENODEV;
	case NNSENSORS_PERMISSION_DENIED:
		return -EPERM;
	case NNSENSORS_BAD_VALUE:
		return -EINVAL;
	case NNSENSORS_INVALID_OPERATION:
		return -ENOSYS;
	case NNSENSORS_UNKNOWN_ERROR:
		break;
	}
	return INT32_MIN;
}

const char *ASensor_getName(ASensor const *sensor)
{
	return sensor ? sensor->info.name : NULL;
}

const char *ASensor_getVendor(ASensor const *sensor)
{
	return sensor ? sensor->info.vendor : NULL;
}

int ASensor_getType(ASensor const *sensor)
{
	return sensor ? sensor->info.type : ASENSOR_TYPE_INVALID;
}

float ASensor_getResolution(ASensor const *sensor)
{
	return sensor ? sensor->info.resolution : ASENSOR_RESOLUTION_INVALID;
}

int ASensor_getMinDelay(ASensor const *sensor)
{
	return sensor ? sensor->info.min_delay_us : ASENSOR_DELAY_INVALID;
}

int ASensor_getFifoMaxEventCount(ASensor const *sensor)
{
	return sensor ? (int)sensor->info.fifo_max : ASENSOR_FIFO_COUNT_INVALID;
}

int ASensor_getFifoReservedEventCount(ASensor const *sensor)
{
	return sensor ? (int)sensor->info.fifo_reserved : ASENSOR_FIFO_COUNT_INVALID;
}

const char *ASensor_getStringType(ASensor const *sensor)
{
	return sensor ? sensor->info.type_string : NULL;
}

float ASensor_getMaxRange(ASensor const *sensor)
{
	return sensor ? sensor->info.max_range : nanf("");
}

int ASensor_getReportingMode(ASensor const *sensor)
{
	if (!sensor)
		return AREPORTING_MODE_INVALID;
	switch (sensor->info.flags & NNSENSORS_FLAG_MODE_MASK) {
	case NNSENSORS_FLAG_CONTINUOUS:
		return AREPORTING_MODE_CONTINUOUS;
	case NNSENSORS_FLAG_ON_CHANGE:
		return AREPORTING_MODE_ON_CHANGE;
	case NNSENSORS_FLAG_ONE_SHOT:
		return AREPORTING_MODE_ONE_SHOT;
	case NNSENSORS_FLAG_SPECIAL:
		return AREPORTING_MODE_SPECIAL_TRIGGER;
	default:
		return AREPORTING_MODE_INVALID;
	}
}

bool ASensor_isWakeUpSensor(ASensor const *sensor)
{
	return sensor && sensor->info.flags & NNSENSORS_FLAG_WAKE_UP;
}

bool ASensor_isDirectChannelTypeSupported(ASensor const *sensor, int channelType)
{
	if (!sensor)
		return false;
	switch (channelType) {
	case ASENSOR_DIRECT_CHANNEL_TYPE_SHARED_MEMORY:
		return sensor->info.flags & NNSENSORS_FLAG_DIRECT_ASHMEM;
	case ASENSOR_DIRECT_CHANNEL_TYPE_HARDWARE_BUFFER:
		return sensor->info.flags & NNSENSORS_FLAG_DIRECT_GRALLOC;
	default:
		return false;
	}
}

int ASensor_getHighestDirectReportRateLevel(ASensor const *sensor)
{
	if (!sensor)
		return ASENSOR_DIRECT_RATE_STOP;
	return (int)((sensor->info.flags & NNSENSORS_FLAG_DIRECT_REPORT_MASK) >>
		     NNSENSORS_FLAG_DIRECT_REPORT_SHIFT);
}

int ASensor_getHandle(ASensor const *sensor)
{
	return sensor ? sensor->info.handle : ASENSOR_INVALID;
}
