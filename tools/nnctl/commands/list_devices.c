// SPDX-License-Identifier: Apache-2.0
/* "nnctl list" and "nnctl info": the devices, and the properties of one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "session/nnctl_session.h"

static const char *const type_names[] = { "unknown", "other", "cpu", "gpu", "accelerator" };
static const char *const state_names[] = { "online", "resetting", "link lost", "failed" };

static const char *type_name(struct nnhal_device *dev)
{
	enum nnhal_device_type type = dev->ops->type(dev);

	return type >= NNHAL_DEVICE_OTHER && type <= NNHAL_DEVICE_ACCELERATOR ? type_names[type]
									      : type_names[0];
}

static const char *state_name(enum nnhal_device_state state)
{
	return state < sizeof(state_names) / sizeof(state_names[0]) ? state_names[state]
								    : "unknown";
}

static const char *isolation_name(enum nnhal_isolation isolation)
{
	return isolation == NNHAL_ISOLATION_WORKER    ? "worker"
	       : isolation == NNHAL_ISOLATION_SERVICE ? "service"
						      : "none";
}

/* "worker process 123, 2 restarts" */
static const char *process_text(const struct nnhal_device_info *info, char *text, size_t size)
{
	char pid[32] = "";

	if (info->worker_pid)
		snprintf(pid, sizeof(pid), " process %d", info->worker_pid);
	snprintf(text, size, "%s%s, %u restart%s", isolation_name(info->isolation), pid,
		 info->worker_restarts, info->worker_restarts == 1 ? "" : "s");
	return text;
}

static void add_isolation(cJSON *entry, const struct nnhal_device_info *info)
{
	cJSON_AddStringToObject(entry, "isolation", isolation_name(info->isolation));
	if (info->isolation == NNHAL_ISOLATION_NONE)
		return;
	cJSON_AddNumberToObject(entry, "worker_pid", info->worker_pid);
	cJSON_AddNumberToObject(entry, "worker_restarts", info->worker_restarts);
	cJSON_AddStringToObject(entry, "sandbox", info->sandbox);
	cJSON_AddStringToObject(entry, "sandbox_missing", missing_layers(info));
}

struct listing {
	cJSON *json;
	unsigned int count;
};

static void print_line(const char *spec, struct nnhal_device *dev,
		       const struct nnhal_device_info *info)
{
	const bool here = info->isolation == NNHAL_ISOLATION_NONE;
	char process[64];

	printf("%-12s %-16s %-12s %-10s %s", spec, dev->ops->name(dev), type_name(dev),
	       state_name(info->state),
	       info->node[0] ? info->node
	       : here	     ? "(in process)"
			     : "");
	if (here) {
		putchar('\n');
		return;
	}
	printf("%s(%s)\n", info->node[0] ? " " : "", process_text(info, process, sizeof(process)));
	printf("             sandbox: %s%s%s\n", info->sandbox[0] ? info->sandbox : "none",
	       *missing_layers(info) ? "; missing: " : "", missing_layers(info));
}

static int list_devices_found(void *cookie, const char *spec)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct listing *l = cookie;
	struct nnhal_device *dev;
	char message[256] = "";
	cJSON *entry;

	if (nnhal_open(spec, &dev, message, sizeof(message))) {
		complain("%s: %s", spec, message);
		return 0;
	}
	nnhal_device_get_info(dev, &info);
	l->count++;
	if (l->json) {
		entry = cJSON_CreateObject();
		cJSON_AddStringToObject(entry, "spec", spec);
		cJSON_AddStringToObject(entry, "name", dev->ops->name(dev));
		cJSON_AddStringToObject(entry, "type", type_name(dev));
		cJSON_AddStringToObject(entry, "version", dev->ops->version(dev));
		cJSON_AddStringToObject(entry, "node", info.node);
		cJSON_AddStringToObject(entry, "state", state_name(info.state));
		add_isolation(entry, &info);
		cJSON_AddItemToArray(l->json, entry);
	} else {
		print_line(spec, dev, &info);
	}
	dev->ops->destroy(dev);
	return 0;
}

int cmd_list(int argc, char **argv)
{
	struct listing l = { 0 };
	char message[512] = "";
	struct options o;
	int ret = options_parse(&o, argc, argv, "device json");

	if (ret)
		return ret;
	if (o.json)
		l.json = cJSON_CreateArray();
	ret = device_each(o.device, list_devices_found, &l, message, sizeof(message));
	if (ret < 0)
		complain("%s", message[0] ? message : strerror(-ret));
	if (l.json)
		json_print(l.json);
	else if (!l.count)
		complain("no device can be used; nnctl doctor says what to do");
	return l.count ? 0 : 1;
}

static void version_text(char *buf, size_t size, uint32_t v)
{
	snprintf(buf, size, "%u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
}

/* true: there are values of its own; null: they are another's, or not known. */
static void add_calibration(cJSON *j, const char *spec)
{
	char path[512];
	const enum calibrated state = calibrated(spec, path, sizeof(path));

	if (state == CALIBRATED_YES || state == CALIBRATED_NEVER)
		cJSON_AddBoolToObject(j, "calibrated", state == CALIBRATED_YES);
	else
		cJSON_AddNullToObject(j, "calibrated");
	if (path[0])
		cJSON_AddStringToObject(j, "calibration", path);
	else
		cJSON_AddNullToObject(j, "calibration");
}

static void info_json(struct nnhal_device *dev, const char *spec,
		      const struct nnhal_device_info *info, const char *firmware)
{
	cJSON *j = cJSON_CreateObject();

	cJSON_AddStringToObject(j, "name", dev->ops->name(dev));
	cJSON_AddStringToObject(j, "type", type_name(dev));
	cJSON_AddStringToObject(j, "version", dev->ops->version(dev));
	cJSON_AddNumberToObject(j, "feature_level", dev->ops->feature_level(dev));
	cJSON_AddStringToObject(j, "node", info->node);
	cJSON_AddStringToObject(j, "state", state_name(info->state));
	cJSON_AddStringToObject(j, "firmware", firmware);
	add_isolation(j, info);
	cJSON_AddNumberToObject(j, "generation", info->generation);
	cJSON_AddNumberToObject(j, "contract_major", info->contract_version >> 16);
	cJSON_AddNumberToObject(j, "contract_minor", info->contract_version & 0xffff);
	cJSON_AddNumberToObject(j, "opset", info->opset_version);
	cJSON_AddNumberToObject(j, "arena_bytes", (double)info->arena_size);
	cJSON_AddNumberToObject(j, "program_quota_bytes", (double)info->program_quota);
	cJSON_AddStringToObject(j, "isa", info->isa);
	cJSON_AddStringToObject(j, "isa_usable", info->isa_usable);
	cJSON_AddStringToObject(j, "isa_missing", info->isa_missing);
	add_calibration(j, spec);
	json_print(j);
}

static void print_calibration(const char *spec)
{
	char path[512], remedy[128];

	switch (calibrated(spec, path, sizeof(path))) {
	case CALIBRATED_YES:
		printf("calibration     %s\n",
		       path[0] ? path
			       : "1.0 by definition: others are measured against this device");
		break;
	case CALIBRATED_NEVER:
		printf("calibration     never: %s;\n                %s\n", calibrated_never_means,
		       calibrated_remedy(spec, remedy, sizeof(remedy)));
		break;
	case CALIBRATED_ELSEWHERE:
		printf("calibration     that of the device itself\n");
		break;
	case CALIBRATED_UNKNOWN:
		break;
	}
}

static void print_process(const struct nnhal_device_info *info)
{
	char process[64];

	printf("process         %s\n", process_text(info, process, sizeof(process)));
	printf("sandbox         %s\n", info->sandbox[0] ? info->sandbox : "none");
	if (*missing_layers(info))
		printf("missing layers  %s\n", missing_layers(info));
}

static const char *runtime_type_name(int32_t type)
{
	static const char *const names[] = {
		[ANEURALNETWORKS_DEVICE_UNKNOWN] = "unknown",
		[ANEURALNETWORKS_DEVICE_OTHER] = "other",
		[ANEURALNETWORKS_DEVICE_CPU] = "cpu",
		[ANEURALNETWORKS_DEVICE_GPU] = "gpu",
		[ANEURALNETWORKS_DEVICE_ACCELERATOR] = "accelerator",
	};

	return type >= 0 && (size_t)type < sizeof(names) / sizeof(names[0]) ? names[type]
									    : "unknown";
}

/* What applications get to know about one device of the runtime, such as a vendor library's. */
static int info_by_runtime(const struct options *o)
{
	const ANeuralNetworksDevice *devices[RUNTIME_MAX_DEVICES];
	const char *name = "", *version = "";
	char message[512] = "";
	int64_t level = 0;
	uint32_t count;
	int32_t type = 0;

	if (runtime_devices_find(o->devices, devices, &count, message, sizeof(message)) !=
	    ANEURALNETWORKS_NO_ERROR) {
		complain("%s", message);
		return 1;
	}
	if (count != 1) {
		complain("%s: %u devices; name one", o->devices ? o->devices : "the runtime",
			 count);
		return 1;
	}
	ANeuralNetworksDevice_getName(devices[0], &name);
	ANeuralNetworksDevice_getVersion(devices[0], &version);
	ANeuralNetworksDevice_getType(devices[0], &type);
	ANeuralNetworksDevice_getFeatureLevel(devices[0], &level);
	if (o->json) {
		cJSON *j = cJSON_CreateObject();

		cJSON_AddStringToObject(j, "name", name);
		cJSON_AddStringToObject(j, "type", runtime_type_name(type));
		cJSON_AddStringToObject(j, "version", version);
		cJSON_AddNumberToObject(j, "feature_level", (double)level);
		json_print(j);
	} else {
		printf("name            %s\ntype            %s\nversion         %s\n"
		       "feature level   %" PRId64 "\n",
		       name, runtime_type_name(type), version, level);
	}
	return 0;
}

int cmd_info(int argc, char **argv)
{
	struct nnhal_device_info info = { .size = sizeof(info) };
	struct nnhal_device *dev;
	char message[256] = "", firmware[32];
	const char *spec;
	struct options o;
	int ret = options_parse(&o, argc, argv, "device devices runtime json");

	if (ret)
		return ret;
	if (o.runtime)
		return info_by_runtime(&o);
	ret = device_open(o.device, &dev, message, sizeof(message));
	if (ret) {
		complain("%s", message[0] ? message : strerror(-ret));
		return 1;
	}
	nnhal_device_get_info(dev, &info);
	spec = o.device ? o.device : info.node[0] ? info.node : "cpu";
	version_text(firmware, sizeof(firmware), info.fw_version);
	if (o.json) {
		info_json(dev, spec, &info, firmware);
	} else {
		printf("name            %s\ntype            %s\nversion         %s\n",
		       dev->ops->name(dev), type_name(dev), dev->ops->version(dev));
		printf("feature level   %u\nnode            %s\n", dev->ops->feature_level(dev),
		       info.node[0]				? info.node
		       : info.isolation == NNHAL_ISOLATION_NONE ? "(in process)"
								: "(none)");
		if (info.isolation != NNHAL_ISOLATION_NONE)
			print_process(&info);
		if (info.node[0])
			printf("kernel driver   %u.%u\n", info.driver_major, info.driver_minor);
		printf("state           %s, generation %u\n", state_name(info.state),
		       info.generation);
		printf("firmware        %s, contract %u.%u, operation set %u\n", firmware,
		       info.contract_version >> 16, info.contract_version & 0xffff,
		       info.opset_version);
		printf("memory          %.0f MiB for intermediates, %.0f MiB for programs\n",
		       (double)info.arena_size / (1 << 20), (double)info.program_quota / (1 << 20));
		if (info.isa[0])
			printf("instructions    %s, usable: %s%s%s\n", info.isa, info.isa_usable,
			       info.isa_missing[0] ? ", missing: " : "", info.isa_missing);
		print_calibration(spec);
	}
	dev->ops->destroy(dev);
	return 0;
}
