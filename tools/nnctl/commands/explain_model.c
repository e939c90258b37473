// SPDX-License-Identifier: Apache-2.0
/* "nnctl explain": which device runs which operation of a model, and why. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnaccel_runtime.h"
#include "nnutil_log.h"
#include "runtime/nnctl_runtime.h"
#include "session/nnctl_session.h"

/* malloc'ed, or NULL after a complaint. *@finished: the result code of finish(). */
static char *explain(ANeuralNetworksModel *model, const char *devices, int *finished)
{
	ANeuralNetworksCompilation *compilation;
	char *json = NULL, message[512];
	int result;

	if (runtime_compilation_create(model, devices, &compilation, message, sizeof(message)) !=
	    ANEURALNETWORKS_NO_ERROR) {
		complain("%s", message);
		return NULL;
	}
	*finished = ANeuralNetworksCompilation_finish(compilation);
	result = nnaccelCompilation_explain(compilation, &json);
	if (result != ANEURALNETWORKS_NO_ERROR)
		complain("the runtime cannot explain the compilation: %s",
			 nnutil_result_name(result));
	ANeuralNetworksCompilation_free(compilation);
	return json;
}

/* ---- text ---- */

static const char *string_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsString(item) ? item->valuestring : "-";
}

/* NAN: unknown. */
static double number_of(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

/* "-" for an unknown value. Up to four results may be used at a time. */
static const char *explain_model_figure(double value, const char *format)
{
	static char texts[4][32];
	static unsigned int next;
	char *text = texts[next++ % 4];

	if (isnan(value))
		return "-";
	snprintf(text, sizeof(texts[0]), format, value);
	return text;
}

static void print_operation(const cJSON *op)
{
	const cJSON *other;

	printf("  %4.0f  %-28s %-20s %4s  %8s %10s  %s\n", number_of(op, "operation"),
	       string_of(op, "name"), string_of(op, "device"),
	       explain_model_figure(number_of(op, "step"), "%.0f"),
	       explain_model_figure(number_of(op, "cost"), "%.3g"),
	       explain_model_figure(number_of(op, "time_ns") / 1000, "%.1f"),
	       string_of(op, "decided_by"));
	if (cJSON_IsString(cJSON_GetObjectItemCaseSensitive(op, "remark")))
		printf("        %s\n", string_of(op, "remark"));
	cJSON_ArrayForEach(other, cJSON_GetObjectItemCaseSensitive(op, "elsewhere"))
		printf("        not on %s: %s (cost %s)\n", string_of(other, "device"),
		       string_of(other, "why_not"),
		       cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(other, "supported"))
			       ? explain_model_figure(number_of(other, "cost"), "%.3g")
			       : "-");
}

static void print_graph(const cJSON *graph)
{
	const cJSON *item;

	if (number_of(graph, "subgraph") > 0)
		printf("\nreferenced model %.0f, which the runtime runs step by step\n",
		       number_of(graph, "subgraph") - 1);
	else
		printf("\nmain model\n");
	printf("  %4s  %-28s %-20s %4s  %8s %10s  %s\n", "op", "operation", "device", "step",
	       "cost", "us", "decided by");
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(graph, "operations"))
		print_operation(item);
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(graph, "steps"))
		printf("  step %.0f on %s: %.0f operations, %s us\n", number_of(item, "step"),
		       string_of(item, "device"), number_of(item, "operations"),
		       explain_model_figure(number_of(item, "time_ns") / 1000, "%.1f"));
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(graph, "transfers"))
		printf("  operand %.0f moves from step %.0f to step %.0f: %s bytes\n",
		       number_of(item, "operand"), number_of(item, "from_step"),
		       number_of(item, "to_step"),
		       explain_model_figure(number_of(item, "bytes"), "%.0f"));
}

/* Operations that nnapi-reference has only because its cost is not higher than the device's. */
static unsigned int lost_by_order(const cJSON *root, const char *device)
{
	const cJSON *graph, *op, *other;
	unsigned int lost = 0;

	cJSON_ArrayForEach(graph, cJSON_GetObjectItemCaseSensitive(root, "graphs"))
		cJSON_ArrayForEach(op, cJSON_GetObjectItemCaseSensitive(graph, "operations"))
	{
		if (strcmp(string_of(op, "decided_by"), "order") ||
		    strcmp(string_of(op, "device"), "nnapi-reference"))
			continue;
		cJSON_ArrayForEach(other, cJSON_GetObjectItemCaseSensitive(op, "elsewhere"))
			lost += !strcmp(string_of(other, "device"), device) &&
				number_of(other, "cost") <= number_of(op, "cost");
	}
	return lost;
}

/* Of a device that idles for want of a calibration. */
static int print_never_calibrated(void *cookie, const char *spec)
{
	struct nnhal_device *dev;
	unsigned int lost;
	char remedy[128];

	if (nnhal_open(spec, &dev, NULL, 0))
		return 0;
	lost = lost_by_order(cookie, dev->ops->name(dev));
	if (lost && calibrated(spec, NULL, 0) == CALIBRATED_NEVER)
		printf("%s was never calibrated: %s (%u operation%s here); %s\n",
		       dev->ops->name(dev), calibrated_never_means, lost, lost == 1 ? "" : "s",
		       calibrated_remedy(spec, remedy, sizeof(remedy)));
	dev->ops->destroy(dev);
	return 0;
}

static void print_text(const cJSON *root)
{
	const cJSON *item, *totals = cJSON_GetObjectItemCaseSensitive(root, "totals");

	printf("result %s, preference %s, partitioning %s%s\n", string_of(root, "result"),
	       string_of(root, "preference"), string_of(root, "partitioning"),
	       cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "explicit_devices"))
		       ? ", no devices but the listed ones"
		       : "");
	if (cJSON_IsString(cJSON_GetObjectItemCaseSensitive(root, "reason")))
		printf("%s: %s\n", string_of(root, "partition_result"), string_of(root, "reason"));
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "fell_back")))
		printf("so the whole model is on nnapi-reference, not as chosen below\n");
	printf("devices:");
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "devices"))
		printf(" %s (%s)", string_of(item, "name"), string_of(item, "version"));
	printf("\n");
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "graphs"))
		print_graph(item);
	printf("\n%.0f steps, %.0f transfers of %s bytes; estimated %s us: computing %s us, transfers %s us, ",
	       number_of(totals, "steps"), number_of(totals, "transfers"),
	       explain_model_figure(number_of(totals, "transfer_bytes"), "%.0f"),
	       explain_model_figure((number_of(totals, "time_ns") +
				     number_of(totals, "transfer_ns") +
				     number_of(totals, "step_ns")) /
					    1000,
				    "%.1f"),
	       explain_model_figure(number_of(totals, "time_ns") / 1000, "%.1f"),
	       explain_model_figure(number_of(totals, "transfer_ns") / 1000, "%.1f"));
	printf("launching %s us\n",
	       explain_model_figure(number_of(totals, "step_ns") / 1000, "%.1f"));
}

static int explain_model_print(const char *json, bool as_json)
{
	cJSON *root;

	if (as_json) {
		puts(json);
		return 0;
	}
	root = cJSON_Parse(json);
	if (!root) {
		complain("out of memory");
		return 1;
	}
	nnhal_driver.enumerate(print_never_calibrated, root);
	print_text(root);
	cJSON_Delete(root);
	return 0;
}

int cmd_explain(int argc, char **argv)
{
	int finished = ANEURALNETWORKS_NO_ERROR, result, ret = 1;
	struct runtime_model model;
	struct session s = { 0 };
	char message[128], *json;
	struct options o;

	ret = options_parse(&o, argc, argv, "devices json ARGUMENT");
	if (ret)
		return ret;
	ret = 1;
	if (!o.devices)
		device_warn();
	if (session_load(&s, o.model, false)) {
		session_close(&s);
		return 1;
	}
	result = runtime_model_create(s.import.model, &model, message, sizeof(message));
	if (result != ANEURALNETWORKS_NO_ERROR) {
		complain("%s: the runtime refuses the model: %s", o.model, message);
	} else {
		json = explain(model.model, o.devices, &finished);
		if (json)
			ret = explain_model_print(json, o.json);
		free(json);
		runtime_model_free(&model);
	}
	session_close(&s);
	if (!ret && finished != ANEURALNETWORKS_NO_ERROR) {
		complain(
			"%s: the runtime cannot compile the model: %s (set NNAPI_LOG=info for the reason)",
			o.model, nnutil_result_name(finished));
		ret = 1;
	}
	return ret;
}
