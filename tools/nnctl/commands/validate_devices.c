// SPDX-License-Identifier: Apache-2.0
/* "nnctl validate": built-in models with known answers, on every device or on the named ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "selftest/selftest_run.h"
#include "session/nnctl_session.h"

struct validation {
	cJSON *json; /* the list of results; NULL: text */
	unsigned int passed, failed;
};

static void add_result(cJSON *list, const char *spec, const char *name, const char *model,
		       const struct selftest_result *result)
{
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "device", spec);
	cJSON_AddStringToObject(entry, "name", name);
	cJSON_AddStringToObject(entry, "model", model);
	cJSON_AddBoolToObject(entry, "passed", result->passed);
	cJSON_AddStringToObject(entry, "message", result->message);
	cJSON_AddNumberToObject(entry, "prepare_ns", (double)result->prepare_ns);
	cJSON_AddNumberToObject(entry, "median_ns", (double)result->median_ns);
	cJSON_AddItemToArray(list, entry);
}

static void print_result(const char *spec, const char *name, const char *model,
			 const struct selftest_result *result)
{
	printf("%-16s %-16s %-8s ", spec, name, model);
	if (result->passed)
		printf("PASSED %11.3f %11.3f\n", (double)result->prepare_ns / 1e6,
		       (double)result->median_ns / 1e6);
	else
		printf("FAILED %s\n", result->message);
	/* the next one may take its time */
	fflush(stdout);
}

static void record(struct validation *v, const char *spec, const char *name, const char *model,
		   const struct selftest_result *result)
{
	v->passed += result->passed;
	v->failed += !result->passed;
	if (v->json)
		add_result(v->json, spec, name, model, result);
	else
		print_result(spec, name, model, result);
}

static void record_failure(struct validation *v, const char *spec, const char *message, int error)
{
	struct selftest_result result = { .passed = false };

	snprintf(result.message, sizeof(result.message), "%s",
		 message[0] ? message : strerror(error));
	record(v, spec, "-", "-", &result);
}

static int validate_device(void *cookie, const char *spec)
{
	struct validation *v = cookie;
	struct selftest_result result;
	struct nnhal_device *dev;
	char message[256] = "";
	int ret = nnhal_open(spec, &dev, message, sizeof(message));

	if (ret) {
		record_failure(v, spec, message, -ret);
		return 0;
	}
	for (enum selftest_model which = 0; which < SELFTEST_MODELS; which++) {
		selftest_run(dev, which, &result);
		record(v, spec, dev->ops->name(dev), selftest_name(which), &result);
	}
	dev->ops->destroy(dev);
	return 0;
}

static void validate_each(struct validation *v, const char *spec)
{
	char message[512] = "";
	int ret = device_each(spec, validate_device, v, message, sizeof(message));

	if (ret < 0)
		record_failure(v, spec ? spec : "-", message, -ret);
}

/* @specs: separated by commas; NULL: all. */
static int validate_all(struct validation *v, const char *specs)
{
	char *copy, *spec, *rest = NULL;

	if (!specs) {
		validate_each(v, NULL);
		return 0;
	}
	copy = strdup(specs);
	if (!copy) {
		complain("out of memory");
		return -1;
	}
	for (spec = strtok_r(copy, ",", &rest); spec; spec = strtok_r(NULL, ",", &rest))
		validate_each(v, spec);
	free(copy);
	return 0;
}

static void print_json(struct validation *v)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddItemToObject(root, "results", v->json);
	cJSON_AddNumberToObject(root, "passed", v->passed);
	cJSON_AddNumberToObject(root, "failed", v->failed);
	json_print(root);
}

int cmd_validate(int argc, char **argv)
{
	struct validation v = { 0 };
	struct options o;
	int ret = options_parse(&o, argc, argv, "device json");

	if (ret)
		return ret;
	if (o.json)
		v.json = cJSON_CreateArray();
	else
		printf("%-16s %-16s %-8s %-6s %11s %11s\n", "DEVICE", "NAME", "MODEL", "RESULT",
		       "PREPARE ms", "MEDIAN ms");
	if (validate_all(&v, o.device)) {
		cJSON_Delete(v.json);
		return 1;
	}
	if (!v.passed && !v.failed)
		complain("no device to validate; nnctl doctor says what to do");
	if (o.json)
		print_json(&v);
	else
		printf("%u passed, %u failed\n", v.passed, v.failed);
	return v.failed || !v.passed ? 1 : 0;
}
