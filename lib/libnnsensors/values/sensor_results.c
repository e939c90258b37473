// SPDX-License-Identifier: Apache-2.0
/* Results: their names, and which one an errno becomes. */
#include <errno.h>

#include "nnsensors.h"
#include "values/nnsensors_values.h"

NNSENSORS_EXPORT const char *nnsensors_result_name(enum nnsensors_result result)
{
	switch (result) {
	case NNSENSORS_OK:
		return "NNSENSORS_OK";
	case NNSENSORS_NOT_EXIST:
		return "NNSENSORS_NOT_EXIST";
	case NNSENSORS_NO_MEMORY:
		return "NNSENSORS_NO_MEMORY";
	case NNSENSORS_NO_INIT:
		return "NNSENSORS_NO_INIT";
	case NNSENSORS_PERMISSION_DENIED:
		return "NNSENSORS_PERMISSION_DENIED";
	case NNSENSORS_BAD_VALUE:
		return "NNSENSORS_BAD_VALUE";
	case NNSENSORS_INVALID_OPERATION:
		return "NNSENSORS_INVALID_OPERATION";
	case NNSENSORS_UNKNOWN_ERROR:
		return "NNSENSORS_UNKNOWN_ERROR";
	}
	return "unknown";
}

enum nnsensors_result nnsensors_result_of(int error)
{
	switch (error) {
	case 0:
		return NNSENSORS_OK;
	case ENOENT:
	case -ENOENT:
		return NNSENSORS_NOT_EXIST;
	case ENOMEM:
	case -ENOMEM:
		return NNSENSORS_NO_MEMORY;
	case ENODEV:
	case -ENODEV:
		return NNSENSORS_NO_INIT;
	case EPERM:
	case -EPERM:
		return NNSENSORS_PERMISSION_DENIED;
	case EINVAL:
	case -EINVAL:
		return NNSENSORS_BAD_VALUE;
	case ENOSYS:
	case -ENOSYS:
		return NNSENSORS_INVALID_OPERATION;
	default:
		return NNSENSORS_UNKNOWN_ERROR;
	}
}
