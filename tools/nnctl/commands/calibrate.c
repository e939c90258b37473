// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl calibrate": measure the speed of a device relative to the CPU and store it for the
 * device's capabilities. Libraries never measure by themselves. The measurements and their file are
 * shown.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnhal.h"
#include "session/nnctl_session.h"

static double ratio(const struct nnhal_calibration_report *r, uint32_t i)
{
	return (double)r->programs[i].device_ns / (double)r->programs[i].reference_ns;
}

static void print_text(const struct nnhal_calibration_report *r)
{
	printf("%s, firmware %s, library %s, on %s\n", r->device, r->firmware, r->library, r->cpu);
	if (r->reference) {
		puts("it is what all others are measured against: 1.0 by definition, nothing to measure");
		return;
	}
	printf("%-12s %12s %12s %10s\n", "program", "device us", "CPU us", "ratio");
	for (uint32_t i = 0; i < r->num_programs; i++) {
		if (!r->programs[i].device_ns)
			printf("%-12s %12s %12s %10s\n", r->programs[i].name, "-", "-", "-");
		else
			printf("%-12s %12.1f %12.1f %10.3f\n", r->programs[i].name,
			       (double)r->programs[i].device_ns / 1e3,
			       (double)r->programs[i].reference_ns / 1e3, ratio(r, i));
	}
	printf("stored in %s\n", r->path[0] ? r->path : "no file");
}

static void print_json(const struct nnhal_calibration_report *r)
{
	cJSON *root = cJSON_CreateObject(), *programs, *item;

	cJSON_AddStringToObject(root, "device", r->device);
	cJSON_AddStringToObject(root, "firmware", r->firmware);
	cJSON_AddStringToObject(root, "library", r->library);
	cJSON_AddStringToObject(root, "cpu", r->cpu);
	cJSON_AddBoolToObject(root, "reference", r->reference);
	if (r->path[0])
		cJSON_AddStringToObject(root, "path", r->path);
	else
		cJSON_AddNullToObject(root, "path");
	programs = cJSON_AddObjectToObject(root, "programs");
	for (uint32_t i = 0; i < r->num_programs; i++) {
		if (!r->programs[i].device_ns) {
			cJSON_AddNullToObject(programs, r->programs[i].name);
			continue;
		}
		item = cJSON_AddObjectToObject(programs, r->programs[i].name);
		cJSON_AddNumberToObject(item, "device_ns", (double)r->programs[i].device_ns);
		cJSON_AddNumberToObject(item, "reference_ns", (double)r->programs[i].reference_ns);
		cJSON_AddNumberToObject(item, "ratio", ratio(r, i));
	}
	json_print(root);
}

int cmd_calibrate(int argc, char **argv)
{
	struct nnhal_calibration_report report = { .size = sizeof(report) };
	enum nnhal_calibrate how;
	struct options o;
	char message[256];
	int ret = options_parse(&o, argc, argv, "device show dry-run json");

	if (ret)
		return ret;
	if (o.model)
		return usage("unexpected argument %s", o.model);
	if (o.show && o.dry_run)
		return usage("--show and --dry-run exclude each other: --show measures nothing");
	how = o.show	  ? NNHAL_CALIBRATE_SHOW
	      : o.dry_run ? NNHAL_CALIBRATE_MEASURE
			  : NNHAL_CALIBRATE_STORE;
	ret = nnhal_calibrate(o.device, how, &report, message, sizeof(message));
	if (!ret || report.num_programs) {
		if (o.json)
			print_json(&report);
		else
			print_text(&report);
	}
	if (ret)
		complain("%s", message[0] ? message : strerror(-ret));
	return ret ? 1 : 0;
}

const char calibrated_never_means[] =
	"its cost counts as 1.0, the CPU's, and of equal costs the runtime takes the CPU";

enum calibrated calibrated(const char *spec, char *path, size_t size)
{
	struct nnhal_calibration_report report = { .size = sizeof(report) };
	const int ret = nnhal_calibrate(spec, NNHAL_CALIBRATE_SHOW, &report, NULL, 0);

	if (path)
		snprintf(path, size, "%s", ret ? "" : report.path);
	switch (ret) {
	case 0:
		return CALIBRATED_YES;
	case -ENOENT:
		/* also of a node that does not exist; a report has the name of a device that does
		 */
		return report.device[0] ? CALIBRATED_NEVER : CALIBRATED_UNKNOWN;
	case -EOPNOTSUPP:
		return CALIBRATED_ELSEWHERE;
	default:
		return CALIBRATED_UNKNOWN;
	}
}

const char *calibrated_remedy(const char *spec, char *text, size_t size)
{
	const char *setting = secure_getenv("NNACCEL_CALIBRATION");
	const bool off = setting && !strcmp(setting, "off");

	snprintf(text, size, "%srun nnctl calibrate --device %s",
		 off ? "unset NNACCEL_CALIBRATION, which is \"off\", and " : "", spec);
	return text;
}
