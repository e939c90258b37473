// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnutil_clock.h"
#include "session/nnctl_session.h"

#define MAX_LABELS (1u << 20)

struct labels {
	char *text; /* lines ended by NUL */
	char **names;
	size_t count;
};

static int labels_load(struct labels *l, const char *path)
{
	size_t size = 0, lines = 1;

	memset(l, 0, sizeof(*l));
	if (!path)
		return 0;
	l->text = read_file(path, MAX_LABELS, &size);
	if (!l->text)
		return -1;
	for (size_t i = 0; i < size; i++)
		lines += l->text[i] == '\n';
	l->names = calloc(lines, sizeof(*l->names));
	if (!l->names) {
		complain("out of memory");
		free(l->text);
		return -1;
	}
	for (char *p = l->text, *next; p && *p; p = next) {
		next = strchr(p, '\n');
		if (next)
			*next++ = '\0';
		p[strcspn(p, "\r")] = '\0';
		l->names[l->count++] = p;
	}
	return 0;
}

static void labels_free(struct labels *l)
{
	free(l->names);
	free(l->text);
}

/* The @top largest elements, largest first; equal ones in order of their numbers. */
static size_t largest(const struct session_tensor *t, size_t top, size_t *index)
{
	size_t n = session_elements(t), found = 0;

	for (size_t i = 0; i < n; i++) {
		double v = session_stored(t, i);
		size_t k = found;

		while (k && session_stored(t, index[k - 1]) < v)
			k--;
		if (k >= top)
			continue;
		if (found < top)
			found++;
		memmove(&index[k + 1], &index[k], (found - k - 1) * sizeof(*index));
		index[k] = i;
	}
	return found;
}

static cJSON *output_json(const struct session_tensor *t, const size_t *index, size_t count,
			  const struct labels *labels)
{
	cJSON *out = cJSON_CreateObject(), *top = cJSON_AddArrayToObject(out, "top");
	cJSON *shape = cJSON_AddArrayToObject(out, "shape");

	cJSON_AddStringToObject(out, "name", t->info.name);
	cJSON_AddStringToObject(out, "type", nnimport_type_name(t->info.type));
	for (uint32_t i = 0; i < t->info.rank; i++)
		cJSON_AddItemToArray(shape, cJSON_CreateNumber(t->info.dims[i]));
	for (size_t i = 0; i < count; i++) {
		cJSON *entry = cJSON_CreateObject();

		cJSON_AddNumberToObject(entry, "index", (double)index[i]);
		if (index[i] < labels->count)
			cJSON_AddStringToObject(entry, "label", labels->names[index[i]]);
		cJSON_AddNumberToObject(entry, "value", session_real(t, index[i]));
		cJSON_AddItemToArray(top, entry);
	}
	return out;
}

static void output_text(const struct session_tensor *t, uint32_t number, const size_t *index,
			size_t count, const struct labels *labels)
{
	printf("output %u: %s, %s [", number, t->info.name, nnimport_type_name(t->info.type));
	for (uint32_t i = 0; i < t->info.rank; i++)
		printf("%s%d", i ? ", " : "", t->info.dims[i]);
	puts("]");
	for (size_t i = 0; i < count; i++)
		printf("  %6zu  %9.6g  %s\n", index[i], session_real(t, index[i]),
		       index[i] < labels->count ? labels->names[index[i]] : "");
}

static int write_output(const struct session *s, const char *path)
{
	FILE *f = fopen(path, "wb");
	int error = f ? 0 : errno;

	/* all outputs, raw, one behind the other */
	for (uint32_t i = 0; !error && i < s->num_outputs; i++)
		if (fwrite(s->outputs[i].data, 1, s->outputs[i].info.size, f) !=
		    s->outputs[i].info.size)
			error = errno;
	if (f && fclose(f) && !error)
		error = errno;
	if (!error)
		return 0;
	complain("%s: %s", path, strerror(error));
	return -1;
}

static int run_model_show(const struct session *s, const struct options *o,
			  const struct labels *labels, const struct nnhal_timing *timing,
			  double wall_ms)
{
	size_t top = o->output && !o->json ? 0 : (size_t)o->top;
	cJSON *json = o->json ? cJSON_CreateObject() : NULL;
	cJSON *outputs = json ? cJSON_AddArrayToObject(json, "outputs") : NULL;
	size_t *index = calloc(top + 2, sizeof(*index));

	if (!index) {
		complain("out of memory");
		return 1;
	}
	for (uint32_t i = 0; i < s->num_outputs; i++) {
		size_t count = largest(&s->outputs[i], top, index);

		if (json)
			cJSON_AddItemToArray(outputs,
					     output_json(&s->outputs[i], index, count, labels));
		else if (!o->output)
			output_text(&s->outputs[i], i, index, count, labels);
	}
	free(index);
	if (json) {
		cJSON_AddStringToObject(json, "device", session_where(s));
		cJSON_AddNumberToObject(json, "prepare_ms", (double)s->prepare_ns / 1e6);
		cJSON_AddNumberToObject(json, "round_trip_ms", wall_ms);
		if (timing->on_device_ns >= 0)
			cJSON_AddNumberToObject(json, "device_ms",
						(double)timing->on_device_ns / 1e6);
		if (timing->in_driver_ns >= 0)
			cJSON_AddNumberToObject(json, "driver_ms",
						(double)timing->in_driver_ns / 1e6);
		json_print(json);
	} else if (!o->output) {
		printf("%s: prepared in %.1f ms, ran in %.3f ms", session_where(s),
		       (double)s->prepare_ns / 1e6, wall_ms);
		if (timing->on_device_ns >= 0)
			printf(", on the device %.3f ms", (double)timing->on_device_ns / 1e6);
		puts("");
	}
	return o->output && write_output(s, o->output) ? 1 : 0;
}

/* Repeats are for timing; the last result is shown. */
static int run_model_execute(struct session *s, const struct options *o,
			     struct nnhal_timing *timing, double *wall_ms)
{
	struct nnhal_execution_result result = NNHAL_EXECUTION_RESULT_INIT;
	enum nnhal_status status = NNHAL_NONE;
	struct progress progress;

	progress_start(&progress, "running");
	for (long i = 0; i < o->repeat && status == NNHAL_NONE; i++) {
		NNTRACE_APP(NNTRACE_PHASE_EXECUTION, "run");
		int64_t start = nnutil_monotonic_ns();

		status = session_execute(s, true, &result);
		*wall_ms = (double)(nnutil_monotonic_ns() - start) / 1e6;
		*timing = result.timing;
		if (status != NNHAL_NONE)
			complain("the execution failed: %s%s%s", nnhal_status_name(status),
				 result.message[0] ? ": " : "", result.message);
		nnhal_execution_result_clear(&result);
		progress_update(&progress, (size_t)i + 1, (size_t)o->repeat);
	}
	progress_end(&progress);
	return status == NNHAL_NONE ? 0 : -1;
}

static int model_run(struct session *s, const struct options *o, const struct labels *labels)
{
	struct nnhal_timing timing = { NNHAL_NO_TIME, NNHAL_NO_TIME };
	double wall_ms = 0;
	TRACE_CASE("run", o->model);

	if (session_load(s, o->model, false) || options_open(o, s) || options_load_inputs(o, s) ||
	    run_model_execute(s, o, &timing, &wall_ms))
		return 1;
	return run_model_show(s, o, labels, &timing, wall_ms);
}

int cmd_run(int argc, char **argv)
{
	struct labels labels;
	struct options o;
	struct session s;
	int ret;

	ret = options_parse(
		&o, argc, argv,
		"ARGUMENT device devices runtime input labels top output mean std repeat json");
	if (ret)
		return ret;
	if (labels_load(&labels, o.labels))
		return 1;
	ret = model_run(&s, &o, &labels);
	session_close(&s);
	labels_free(&labels);
	return ret;
}
