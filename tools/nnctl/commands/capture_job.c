// SPDX-License-Identifier: Apache-2.0
/* "nnctl capture": a model, inputs, and the outputs of a device, in one file; "nnctl replay". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "capture/nnctl_capture.h"
#include "commands/nnctl_commands.h"
#include "compare/nnctl_compare.h"
#include "nncapture.h"
#include "session/nnctl_session.h"

/* ---- capture ---- */

struct job {
	struct session session;
	struct nnmodel *model; /* the session gives its own up when it is open */
	struct nncapture_value *values; /* of all inputs, then outputs, of the NNAPI model */
	void *before; /* the memory of the session before the execution, which has the states */
	char origin[256];
};

static int job_open(struct job *j, const struct options *o)
{
	struct session *s = &j->session;

	if (session_load(s, o->model, false))
		return -1;
	if (o->random_weights && random_weights(s->import.model))
		return -1;
	j->model = nnmodel_clone(s->import.model);
	if (!j->model) {
		complain("out of memory");
		return -1;
	}
	if (options_open(o, s) || options_fill_inputs(o, s))
		return -1;
	j->before = malloc(s->memory_size);
	j->values = calloc((size_t)s->num_in + s->num_out + 1, sizeof(*j->values));
	if (!j->before || !j->values) {
		complain("out of memory");
		return -1;
	}
	memcpy(j->before, s->memory, s->memory_size);
	session_origin(s, j->origin, sizeof(j->origin));
	return 0;
}

/* After the execution: values of inputs are in the memory only then, if they are INT64. */
static void job_collect(struct job *j)
{
	const struct session *s = &j->session;

	for (uint32_t i = 0; i < s->num_in + s->num_out; i++) {
		const bool state = i >= s->num_inputs && i < s->num_in;
		const uint8_t *memory = state ? j->before : s->memory;

		j->values[i].data = memory + s->arguments[i].offset;
		j->values[i].size = s->arguments[i].length;
	}
	for (uint32_t i = 0; i < s->num_inputs; i++)
		j->values[i].name = s->inputs[i].info.name;
	for (uint32_t i = 0; i < s->num_outputs; i++)
		j->values[s->num_in + i].name = s->outputs[i].info.name;
}

/* A capture that is captured again keeps its limits. */
static struct nncapture_limits job_limits(const struct job *j)
{
	return session_is_capture(&j->session) ? capture_limits(&j->session.capture)
					       : (struct nncapture_limits){ 0 };
}

static int job_capture(struct job *j, const struct options *o)
{
	struct nnhal_execution_result result;
	struct nncapture_error error;
	enum nnhal_status status;
	const char *title;
	char name[128];
	size_t length;
	int ret;

	if (job_open(j, o))
		return -1;
	status = session_execute(&j->session, false, &result);
	if (status != NNHAL_NONE)
		complain("the execution failed, which %s records: %s%s%s", o->output,
			 nnhal_status_name(status), result.message[0] ? ": " : "", result.message);
	nnhal_execution_result_clear(&result);
	job_collect(j);
	title = session_title(o->model, &length);
	snprintf(name, sizeof(name), "%.*s", (int)length, title);
	ret = nncapture_write(
		&(struct nncapture){
			.name = name,
			.origin = j->origin,
			.model = j->model,
			.inputs = j->values,
			.outputs = status == NNHAL_NONE ? j->values + j->session.num_in : NULL,
			.limits = job_limits(j),
		},
		o->output, &error);
	if (ret)
		complain("%s", error.text);
	return ret || status != NNHAL_NONE ? -1 : 0;
}

int cmd_capture(int argc, char **argv)
{
	struct job j = { .session = { .memory_fd = -1 } };
	struct options o;
	int ret = options_parse(
		&o, argc, argv,
		"ARGUMENT device devices runtime input mean std output random-weights");

	if (ret)
		return ret;
	if (!o.output)
		return usage("--output is missing: the file that is written");
	ret = job_capture(&j, &o);
	session_close(&j.session);
	nnmodel_free(j.model);
	free(j.values);
	free(j.before);
	return ret ? 1 : 0;
}

/* ---- replay ---- */

/* Returns whether all outputs are within the bounds. @json: NULL: text. */
static bool outputs_replay(const struct session *s, const struct difference_bounds *bounds,
			   cJSON *json)
{
	cJSON *list = json ? cJSON_AddArrayToObject(json, "outputs") : NULL;
	bool equal = true;

	for (uint32_t i = 0; i < s->num_outputs; i++) {
		const struct session_tensor *now = &s->outputs[i];
		const struct session_tensor then = {
			.info = now->info,
			.data = (void *)capture_output(&s->capture, i),
		};
		const struct difference d = difference_of(&then, now, bounds);

		equal = equal && !d.beyond;
		if (list) {
			cJSON *entry = cJSON_CreateObject();

			cJSON_AddStringToObject(entry, "name", now->info.name);
			difference_json(entry, &then, now, &d);
			cJSON_AddItemToArray(list, entry);
		} else {
			printf("output %u (%s): ", i, now->info.name);
			difference_text(&then, now, &d);
		}
	}
	return equal;
}

/* Whether it went as when it was captured. */
static bool execution_replay(struct session *s, const struct difference_bounds *bounds, cJSON *json)
{
	const bool failed = capture_failed(&s->capture);
	struct nnhal_execution_result result;
	enum nnhal_status status = session_execute(s, false, &result);
	bool same = false;

	if (json)
		cJSON_AddStringToObject(json, "status", nnhal_status_name(status));
	else if (status != NNHAL_NONE)
		printf("the execution failed%s: %s%s%s\n", failed ? ", as it was captured" : "",
		       nnhal_status_name(status), result.message[0] ? ": " : "", result.message);
	else if (failed)
		puts("the execution succeeded; it failed when it was captured");
	if (status != NNHAL_NONE || failed)
		same = status != NNHAL_NONE && failed;
	else
		same = outputs_replay(s, bounds, json);
	nnhal_execution_result_clear(&result);
	return same;
}

static void limits_json(cJSON *json, const struct nncapture_limits *limits)
{
	if (limits->loop_timeout_ns)
		cJSON_AddNumberToObject(json, "loop_timeout_ns", (double)limits->loop_timeout_ns);
	if (limits->timeout_ns)
		cJSON_AddNumberToObject(json, "timeout_ns", (double)limits->timeout_ns);
}

static void limits_text(const struct nncapture_limits *limits)
{
	if (limits->loop_timeout_ns)
		printf("each WHILE may take %.3f ms\n", (double)limits->loop_timeout_ns / 1e6);
	/* another device may be slower and right */
	if (limits->timeout_ns)
		printf("the execution had %.3f ms left, which replay does not apply\n",
		       (double)limits->timeout_ns / 1e6);
}

static int replay(struct session *s, const struct options *o)
{
	const struct difference_bounds bounds = { (double)o->steps, o->tolerance };
	struct nncapture_limits limits;
	char origin[256];
	cJSON *json;
	bool same;

	if (session_load(s, o->model, false))
		return -1;
	if (!session_is_capture(s)) {
		complain("%s: no capture; nnctl capture makes one of a model", o->model);
		return -1;
	}
	if (options_open(o, s))
		return -1;
	capture_origin(&s->capture, origin, sizeof(origin));
	limits = capture_limits(&s->capture);
	json = o->json ? cJSON_CreateObject() : NULL;
	if (json) {
		cJSON_AddStringToObject(json, "captured", origin);
		cJSON_AddStringToObject(json, "device", session_where(s));
		limits_json(json, &limits);
	} else {
		printf("captured by %s; now on %s\n", origin, session_where(s));
		limits_text(&limits);
	}
	same = execution_replay(s, &bounds, json);
	if (json) {
		cJSON_AddBoolToObject(json, "same", same);
		json_print(json);
	}
	return same ? 0 : -1;
}

int cmd_replay(int argc, char **argv)
{
	struct session s = { .memory_fd = -1 };
	struct options o;
	int ret = options_parse(&o, argc, argv,
				"ARGUMENT device devices runtime steps tolerance json");

	if (ret)
		return ret;
	ret = replay(&s, &o);
	session_close(&s);
	return ret ? 1 : 0;
}
