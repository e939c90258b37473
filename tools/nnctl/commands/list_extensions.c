// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl extensions": vendor extensions of the runtime's devices, their operand types, and whether
 * this program may use them. The lists come from the Support Library, which has the devices of the
 * runtime but nnapi-reference, which has no extensions.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "android/NeuralNetworksSupportLibraryImpl.h"
#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "session/nnctl_session.h"

struct listing {
	const NnApiSLDriverImplFL5 *library;
	cJSON *json, *types; /* json NULL: text */
	unsigned int found;
	bool checked, allowed; /* the answer of the allowlist for the first type */
	const char *extension; /* that is listed now */
};

/* A model of a program that may not use extensions refuses their types. */
static void check_allowed(struct listing *l,
			  const SL_ANeuralNetworksExtensionOperandTypeInformation *info)
{
	const uint32_t dims[] = { 1 };
	ANeuralNetworksOperandType type = {
		.dimensionCount = info->isTensor,
		.dimensions = info->isTensor ? dims : NULL,
	};
	ANeuralNetworksModel *model;

	if (l->checked || ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR)
		return;
	if (ANeuralNetworksModel_getExtensionOperandType(model, l->extension, info->type,
							 &type.type) == ANEURALNETWORKS_NO_ERROR) {
		l->allowed = ANeuralNetworksModel_addOperand(model, &type) ==
			     ANEURALNETWORKS_NO_ERROR;
		l->checked = true;
	}
	ANeuralNetworksModel_free(model);
}

static void found_type(SL_ANeuralNetworksExtensionOperandTypeInformation info, void *cookie)
{
	struct listing *l = cookie;
	cJSON *entry;

	check_allowed(l, &info);
	if (!l->json) {
		printf("    type %u: %s of %u bytes%s\n", info.type,
		       info.isTensor ? "tensor" : "scalar", info.byteSize,
		       info.isTensor ? " an element" : "");
		return;
	}
	entry = cJSON_CreateObject();
	cJSON_AddNumberToObject(entry, "type", info.type);
	cJSON_AddBoolToObject(entry, "tensor", info.isTensor);
	cJSON_AddNumberToObject(entry, "bytes", info.byteSize);
	cJSON_AddItemToArray(l->types, entry);
}

static void list_extension(struct listing *l, const ANeuralNetworksDevice *device, uint32_t index,
			   cJSON *array)
{
	cJSON *entry = NULL;

	if (l->library->SL_ANeuralNetworksDevice_getVendorExtensionName(
		    device, index, &l->extension) != ANEURALNETWORKS_NO_ERROR)
		return;
	l->found++;
	if (l->json) {
		entry = cJSON_CreateObject();
		cJSON_AddStringToObject(entry, "name", l->extension);
		l->types = cJSON_AddArrayToObject(entry, "types");
		cJSON_AddItemToArray(array, entry);
	} else {
		printf("  %s\n", l->extension);
	}
	l->library->SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(
		device, index, l, found_type);
}

static void list_device(struct listing *l, const ANeuralNetworksDevice *device)
{
	cJSON *entry, *array = NULL;
	uint32_t count = 0;
	const char *name;

	if (l->library->ANeuralNetworksDevice_getName(device, &name) != ANEURALNETWORKS_NO_ERROR)
		return;
	l->library->SL_ANeuralNetworksDevice_getVendorExtensionCount(device, &count);
	if (l->json) {
		entry = cJSON_CreateObject();
		cJSON_AddStringToObject(entry, "device", name);
		array = cJSON_AddArrayToObject(entry, "extensions");
		cJSON_AddItemToArray(l->json, entry);
	} else {
		printf("%s:%s\n", name, count ? "" : " none");
	}
	for (uint32_t i = 0; i < count; i++)
		list_extension(l, device, i, array);
}

static void print_json(struct listing *l)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddItemToObject(root, "devices", l->json);
	if (l->checked)
		cJSON_AddBoolToObject(root, "allowed", l->allowed);
	else
		cJSON_AddNullToObject(root, "allowed");
	json_print(root);
}

int cmd_extensions(int argc, char **argv)
{
	NnApiSLDriverImpl *library = ANeuralNetworks_getSLDriverImpl();
	struct listing l = { .library = (const NnApiSLDriverImplFL5 *)library };
	ANeuralNetworksDevice *device;
	struct options o;
	uint32_t count = 0;
	int ret;

	ret = options_parse(&o, argc, argv, "json");
	if (ret)
		return ret;
	if (o.json)
		l.json = cJSON_CreateArray();
	l.library->ANeuralNetworks_getDeviceCount(&count);
	for (uint32_t i = 0; i < count; i++)
		if (l.library->ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR)
			list_device(&l, device);
	if (o.json)
		print_json(&l);
	else if (!count)
		puts("no devices but nnapi-reference, which has no extensions");
	else if (l.checked)
		printf("this program (nnctl) %s\n",
		       l.allowed
			       ? "may use them"
			       : "may not use them: NNAPI_LOG=warning says why, Documentation/allowlist.rst what to do");
	return 0;
}
