// SPDX-License-Identifier: Apache-2.0
/* ANeuralNetworksDevice, and functions without an object. */
#include <errno.h>
#include <string.h>

#include "nnhal.h"

#include "base/nnr_base.h"
#include "registry/nnr_registry.h"

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices)
{
	NNUTIL_CALL(__func__);

	if (!numDevices)
		return nnr_refuse(UNEXPECTED_NULL, "numDevices is NULL");
	*numDevices = nnr_num_devices();
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworks_getDevice(uint32_t devIndex, ANeuralNetworksDevice **device)
{
	NNUTIL_CALL(__func__);

	if (!device)
		return nnr_refuse(UNEXPECTED_NULL, "device is NULL");
	*device = nnr_device(devIndex);
	if (!*device)
		return nnr_refuse(BAD_DATA, "device %u does not exist", devIndex);
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device, const char **name)
{
	NNUTIL_CALL(__func__);

	if (!device || !name)
		return nnr_refuse(UNEXPECTED_NULL, "device or name is NULL");
	*name = device->name;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device, const char **version)
{
	NNUTIL_CALL(__func__);

	if (!device || !version)
		return nnr_refuse(UNEXPECTED_NULL, "device or version is NULL");
	*version = device->version;
	return ANEURALNETWORKS_NO_ERROR;
}

/* Devices with an unknown type or level are not listed, so neither can fail here. */
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device, int32_t *type)
{
	NNUTIL_CALL(__func__);

	if (!device || !type)
		return nnr_refuse(UNEXPECTED_NULL, "device or type is NULL");
	*type = device->type;
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
					  int64_t *featureLevel)
{
	NNUTIL_CALL(__func__);
	const uint32_t limit = nnr_settings()->feature_level; /* of the runtime */

	if (!device || !featureLevel)
		return nnr_refuse(UNEXPECTED_NULL, "device or featureLevel is NULL");
	*featureLevel =
		nnr_level_to_code(device->feature_level < limit ? device->feature_level : limit);
	return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device)
{
	NNUTIL_CALL(__func__);

	if (!device)
		return nnr_refuse(UNEXPECTED_NULL, "device is NULL");
	return nnr_device_wait((ANeuralNetworksDevice *)device);
}

int ANeuralNetworksDevice_getExtensionSupport(const ANeuralNetworksDevice *device,
					      const char *extensionName, bool *isExtensionSupported)
{
	NNUTIL_CALL(__func__);

	if (!device || !extensionName || !isExtensionSupported)
		return nnr_refuse(UNEXPECTED_NULL,
				  "device, extensionName or isExtensionSupported is NULL");
	*isExtensionSupported = false;
	for (uint32_t i = 0; i < device->num_extensions && !*isExtensionSupported; i++)
		*isExtensionSupported = !strcmp(device->extensions[i], extensionName);
	return ANEURALNETWORKS_NO_ERROR;
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void)
{
	return NNHAL_LOOP_TIMEOUT_DEFAULT_NS;
}

uint64_t ANeuralNetworks_getMaximumLoopTimeout(void)
{
	return NNHAL_LOOP_TIMEOUT_MAXIMUM_NS;
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void)
{
	return nnr_level_to_code(nnr_settings()->feature_level);
}

/* ---- nnaccel_runtime.h ---- */

int nnaccelRuntime_setIsolation(const char *isolation)
{
	int ret;

	NNUTIL_CALL(__func__);

	if (!isolation)
		return nnr_refuse(UNEXPECTED_NULL, "isolation is NULL");
	ret = nnr_settings_set_isolation(isolation);
	if (ret == -EINVAL)
		return nnr_refuse(BAD_DATA,
				  "isolation is \"%.64s\", must be auto, none, worker or service",
				  isolation);
	if (ret)
		return nnr_refuse(
			BAD_STATE,
			"the process uses another isolation: call this before devices are used");
	return ANEURALNETWORKS_NO_ERROR;
}

int nnaccelRuntime_setAmx(bool use)
{
	NNUTIL_CALL(__func__);

	if (nnr_settings_set_amx(use))
		return nnr_refuse(
			BAD_STATE,
			"the process has chosen for AMX: call this before devices are used");
	return ANEURALNETWORKS_NO_ERROR;
}
