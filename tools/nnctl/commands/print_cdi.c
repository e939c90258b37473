// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl cdi": the cards, and the service, as devices for containers. The format is the Container
 * Device Interface, version 0.3.0, which every runtime of containers reads that has CDI.
 */
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "monitor/nnctl_monitor.h"
#include "nnutil_node.h"
#include "session/nnctl_session.h"

#define KIND "nnaccel.org/npu"

/* Its containerEdits. */
static cJSON *device_add(cJSON *devices, const char *name)
{
	cJSON *device = cJSON_CreateObject();

	cJSON_AddItemToArray(devices, device);
	cJSON_AddStringToObject(device, "name", name);
	return cJSON_AddObjectToObject(device, "containerEdits");
}

static void node_add(cJSON *nodes, const char *name)
{
	cJSON *node = cJSON_CreateObject();
	char path[NNUTIL_NODE_PATH];

	nnutil_node_path(name, path);
	cJSON_AddItemToArray(nodes, node);
	cJSON_AddStringToObject(node, "path", path);
}

static void cards_add(cJSON *devices, const struct card_reading *cards, size_t count)
{
	cJSON *all;

	for (size_t i = 0; i < count; i++)
		node_add(cJSON_AddArrayToObject(device_add(devices, cards[i].name), "deviceNodes"),
			 cards[i].name);
	if (!count)
		return;
	all = cJSON_AddArrayToObject(device_add(devices, "all"), "deviceNodes");
	for (size_t i = 0; i < count; i++)
		node_add(all, cards[i].name);
}

/* Programs in the container use it without an option. */
static void service_add(cJSON *devices)
{
	cJSON *edits = device_add(devices, "service"), *mount = cJSON_CreateObject();
	const char *socket = service_socket();
	char variable[256];

	snprintf(variable, sizeof(variable), "NNACCEL_SERVICE=%s", socket);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(edits, "mounts"), mount);
	cJSON_AddStringToObject(mount, "hostPath", socket);
	cJSON_AddStringToObject(mount, "containerPath", socket);
	cJSON_AddItemToObject(mount, "options",
			      cJSON_CreateStringArray((const char *[]){ "bind", "rw" }, 2));
	cJSON_AddItemToObject(edits, "env",
			      cJSON_CreateStringArray(
				      (const char *[]){ "NNAPI_ISOLATION=service", variable }, 2));
}

int cmd_cdi(int argc, char **argv)
{
	struct card_reading *cards;
	struct options o;
	cJSON *spec, *devices;
	size_t count;
	int ret = options_parse(&o, argc, argv, "root");

	if (ret)
		return ret;
	if (card_readings(o.root, &cards, &count)) {
		complain("out of memory");
		return 1;
	}
	spec = cJSON_CreateObject();
	cJSON_AddStringToObject(spec, "cdiVersion", "0.3.0");
	cJSON_AddStringToObject(spec, "kind", KIND);
	devices = cJSON_AddArrayToObject(spec, "devices");
	cards_add(devices, cards, count);
	service_add(devices);
	free(cards);
	json_print(spec);
	return 0;
}
