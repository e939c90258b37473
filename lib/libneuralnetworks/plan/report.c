// SPDX-License-Identifier: Apache-2.0
/*
 * Findings about a compilation, and their JSON text, which is made on request.
 * Documentation/runtime.rst documents the fields. Unknown numbers (times and sizes of unknown
 * shapes) are null.
 */
#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_log.h"

#include "base/nnr_base.h"
#include "plan/nnr_plan.h"

struct nnr_report *nnr_report_new(const ANeuralNetworksCompilation *compilation)
{
	struct nnr_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->devices = calloc((size_t)compilation->num_devices + 1, sizeof(*report->devices));
	if (!report->devices) {
		free(report);
		return NULL;
	}
	memcpy(report->devices, compilation->devices,
	       compilation->num_devices * sizeof(*report->devices));
	report->num_devices = compilation->num_devices;
	report->preference = compilation->preference;
	report->explicit_devices = compilation->explicit_devices;
	report->data = nnr_model_data_get(compilation->data);
	return report;
}

static void forget_choices(struct nnr_report *report)
{
	uint32_t i;

	for (i = 0; i < report->num_choices; i++)
		nnr_choice_fini(&report->choices[i]);
	free(report->choices);
	report->choices = NULL;
	report->num_choices = 0;
	report->simple = false;
}

bool nnr_report_leave_out(struct nnr_report *report, const ANeuralNetworksDevice *device)
{
	uint32_t i = 0;

	while (i < report->num_devices && report->devices[i] != device)
		i++;
	if (i == report->num_devices || device->is_reference)
		return false;
	report->num_devices--;
	memmove(&report->devices[i], &report->devices[i + 1],
		(report->num_devices - i) * sizeof(*report->devices));
	forget_choices(report);
	return true;
}

void nnr_report_free(struct nnr_report *report)
{
	if (!report)
		return;
	forget_choices(report);
	free(report->devices);
	nnr_model_data_put(report->data);
	free(report);
}

void nnr_report_reason(struct nnr_report *report, const char *fmt, ...)
{
	char text[sizeof(report->reason)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	nnutil_log(NNUTIL_LOG_INFO, "%s", text);
	if (!report->reason[0])
		memcpy(report->reason, text, sizeof(text));
}

/* ---- JSON ---- */

/* cJSON returns NULL without memory at any step; then the whole text is dropped. */
struct writer {
	const struct nnr_report *report;
	bool failed;
};

static cJSON *report_check(struct writer *w, cJSON *item)
{
	w->failed |= !item;
	return item;
}

static void add_string(struct writer *w, cJSON *object, const char *name, const char *value)
{
	report_check(w, cJSON_AddStringToObject(object, name, value));
}

static void add_number(struct writer *w, cJSON *object, const char *name, double value)
{
	if (isfinite(value) && value < (double)FLT_MAX)
		report_check(w, cJSON_AddNumberToObject(object, name, value));
	else
		report_check(w, cJSON_AddNullToObject(object, name));
}

static void add_bool(struct writer *w, cJSON *object, const char *name, bool value)
{
	report_check(w, cJSON_AddBoolToObject(object, name, value));
}

static cJSON *append_object(struct writer *w, cJSON *array)
{
	cJSON *object = report_check(w, cJSON_CreateObject());

	if (object && !cJSON_AddItemToArray(array, object)) {
		cJSON_Delete(object);
		w->failed = true;
		return NULL;
	}
	return object;
}

static const char *preference_name(int32_t preference)
{
	return preference == ANEURALNETWORKS_PREFER_LOW_POWER	      ? "LOW_POWER"
	       : preference == ANEURALNETWORKS_PREFER_SUSTAINED_SPEED ? "SUSTAINED_SPEED"
								      : "FAST_SINGLE_ANSWER";
}

static const char *partitioning_name(enum nnr_partitioning mode)
{
	return mode == NNR_PARTITION_NO		     ? "none"
	       : mode == NNR_PARTITION_WITH_FALLBACK ? "with fallback"
						     : "without fallback";
}

static const char *device_name(const struct writer *w, uint32_t device)
{
	return device < w->report->num_devices ? w->report->devices[device]->name : "runtime";
}

static void operation_name(const struct nnmodel *model, uint32_t type, char *name, size_t size)
{
	uint32_t i;

	if (!nnr_is_extension(type)) {
		snprintf(name, size, "%s", nnmodel_operation_name(type));
		return;
	}
	for (i = 0; i < model->num_extensions; i++)
		if (model->extensions[i].prefix == type >> 16) {
			snprintf(name, size, "%s:%u", model->extensions[i].name, type & 0xffff);
			return;
		}
	snprintf(name, size, "extension %u:%u", type >> 16, type & 0xffff);
}

/* ---- operations ---- */

/* Control flow over unknown sizes that nnapi-reference has because of them. */
static bool is_kept_whole(const struct writer *w, const struct nnr_choice *c, uint32_t op)
{
	return c->unknown_size[op] && c->device[op] < c->num_devices &&
	       w->report->devices[c->device[op]]->is_reference;
}

/* Other devices that could have had it, and what there would be against it. */
static const char *why_not(const struct writer *w, const struct nnr_choice *c, uint32_t op,
			   uint32_t device)
{
	size_t at = (size_t)device * c->num_operations + op;

	if (!nnr_choice_sure(c, device, op))
		return c->reasons[at] ? c->reasons[at] : "the device does not support it";
	if (is_kept_whole(w, c, op))
		return "an operand of the control flow has an unknown size, which nnapi-reference takes before others";
	if (c->device[op] == NNR_NONE || c->device[op] == c->num_devices)
		return "nnapi-reference was chosen, and the runtime runs its control flow itself";
	if (c->base[op] == device)
		return "moving the tensors of the step would cost more than the device gains";
	return c->rating[at] > c->rating[(size_t)c->device[op] * c->num_operations + op]
		       ? "the cost is higher"
		       : "the cost is the same, and the other device comes first";
}

static void add_elsewhere(struct writer *w, cJSON *object, const struct nnr_choice *c, uint32_t op)
{
	cJSON *list = report_check(w, cJSON_AddArrayToObject(object, "elsewhere")), *entry;
	uint32_t d;

	for (d = 0; list && d < c->num_devices; d++) {
		size_t at = (size_t)d * c->num_operations + op;

		if (d == c->device[op])
			continue;
		entry = append_object(w, list);
		if (!entry)
			return;
		add_string(w, entry, "device", device_name(w, d));
		add_bool(w, entry, "supported", c->supported[at]);
		add_number(w, entry, "cost", c->rating[at]);
		add_number(w, entry, "time_ns", c->time[at]);
		add_string(w, entry, "why_not", why_not(w, c, op, d));
	}
}

static const char *decided_by(const struct writer *w, const struct nnr_choice *c, uint32_t op)
{
	uint32_t device = c->device[op], d, able = 0;
	bool equal = false;

	if (device == NNR_NONE)
		return "nobody";
	if (is_kept_whole(w, c, op))
		return "unknown size";
	if (device != c->base[op] && device < c->num_devices)
		return "transfer";
	for (d = 0; d < c->num_devices; d++) {
		size_t at = (size_t)d * c->num_operations + op;

		able += nnr_choice_sure(c, d, op);
		equal |= d != c->base[op] && nnr_choice_sure(c, d, op) &&
			 c->rating[at] <= c->rating[(size_t)c->base[op] * c->num_operations + op];
	}
	return able <= 1 ? "support" : equal ? "order" : "cost";
}

/* The numbers that the application's addOperation() gave main's operations. NULL: out of memory. */
static uint32_t *added_numbers(const struct nnr_model_data *data)
{
	uint32_t num = data->model->main.num_operations,
		 *added = calloc((size_t)num + 1, sizeof(*added)), i;

	for (i = 0; added && i < num; i++)
		added[i] = NNR_NONE;
	for (i = 0; added && i < data->num_added; i++)
		if (data->added_to_run[i] < num)
			added[data->added_to_run[i]] = i;
	return added;
}

/* The reason that the chosen device gave nevertheless. */
static void add_remark(struct writer *w, cJSON *entry, const char *remark)
{
	if (remark)
		add_string(w, entry, "remark", remark);
	else
		report_check(w, cJSON_AddNullToObject(entry, "remark"));
}

static void add_operations(struct writer *w, cJSON *object, const struct nnr_choice *c)
{
	const struct nnmodel *model = w->report->data->model;
	const struct nnmodel_subgraph *graph = nnr_subgraph(model, c->subgraph);
	cJSON *list = report_check(w, cJSON_AddArrayToObject(object, "operations")), *entry;
	uint32_t *added = c->subgraph ? NULL : added_numbers(w->report->data), i, from;
	char name[128];

	w->failed |= !c->subgraph && !added;
	for (i = 0; !w->failed && i < c->num_operations; i++) {
		entry = append_object(w, list);
		if (!entry)
			break;
		operation_name(model, graph->operations[i].type, name, sizeof(name));
		/* interpreted control flow has the figures of nnapi-reference, which won it */
		from = c->base[i] != NNR_NONE && c->device[i] == c->num_devices ? c->base[i]
										: c->device[i];
		add_number(w, entry, "operation", i);
		add_number(w, entry, "added",
			   added && added[i] != NNR_NONE ? added[i] : (double)NAN);
		add_string(w, entry, "name", name);
		if (c->device[i] == NNR_NONE)
			report_check(w, cJSON_AddNullToObject(entry, "device"));
		else
			add_string(w, entry, "device", device_name(w, c->device[i]));
		add_number(w, entry, "step", c->node[i] == NNR_NONE ? (double)NAN : c->node[i]);
		add_string(w, entry, "decided_by", decided_by(w, c, i));
		if (from != NNR_NONE) {
			add_number(w, entry, "cost",
				   c->rating[(size_t)from * c->num_operations + i]);
			add_number(w, entry, "time_ns",
				   c->time[(size_t)from * c->num_operations + i]);
			/* control flow that the runtime runs: its models' operations have it */
			add_remark(w, entry,
				   from == c->device[i]
					   ? c->reasons[(size_t)from * c->num_operations + i]
					   : NULL);
		}
		add_elsewhere(w, entry, c, i);
	}
	free(added);
}

/* ---- steps and transfers ---- */

struct totals {
	double steps, transfers, bytes, time_ns;
};

static void add_steps(struct writer *w, cJSON *object, const struct nnr_choice *c,
		      struct totals *totals)
{
	cJSON *list = report_check(w, cJSON_AddArrayToObject(object, "steps")), *entry;
	double *time = calloc((size_t)c->num_nodes + 1, sizeof(*time));
	uint32_t *num = calloc((size_t)c->num_nodes + 1, sizeof(*num));
	uint32_t i;

	w->failed |= !time || !num;
	for (i = 0; time && num && c->num_nodes && i < c->num_operations; i++) {
		num[c->node[i]]++;
		if (c->device[i] < c->num_devices)
			time[c->node[i]] += c->time[(size_t)c->device[i] * c->num_operations + i];
	}
	for (i = 0; !w->failed && i < c->num_nodes; i++) {
		entry = append_object(w, list);
		if (!entry)
			break;
		add_number(w, entry, "step", i);
		add_string(w, entry, "device", device_name(w, c->node_device[i]));
		add_number(w, entry, "operations", num[i]);
		add_number(w, entry, "time_ns", time[i]);
		totals->time_ns += time[i];
	}
	totals->steps += c->num_nodes;
	free(time);
	free(num);
}

/* Operand @o, once per step that takes it and is elsewhere. */
static void add_transfers_of(struct writer *w, cJSON *list, const struct nnr_choice *c, uint32_t o,
			     uint32_t *last_reader, struct totals *totals)
{
	const struct nnmodel_subgraph *graph = nnr_subgraph(w->report->data->model, c->subgraph);
	uint32_t from = c->flow.producer[o], r, to;
	double bytes = nnr_cost_bytes(&graph->operands[o]);
	cJSON *entry;

	if (from == NNR_NONE)
		return;
	for (r = c->flow.first[o]; r < c->flow.first[o + 1]; r++) {
		to = c->flow.readers[r];
		if (c->device[to] == c->device[from] || last_reader[c->node[to]] == o + 1)
			continue;
		last_reader[c->node[to]] = o + 1;
		entry = append_object(w, list);
		if (!entry)
			return;
		add_number(w, entry, "operand", o);
		add_number(w, entry, "bytes", bytes);
		add_number(w, entry, "from_step", c->node[from]);
		add_number(w, entry, "to_step", c->node[to]);
		totals->transfers++;
		totals->bytes += bytes;
	}
}

static void add_transfers(struct writer *w, cJSON *object, const struct nnr_choice *c,
			  struct totals *totals)
{
	const struct nnmodel_subgraph *graph = nnr_subgraph(w->report->data->model, c->subgraph);
	cJSON *list = report_check(w, cJSON_AddArrayToObject(object, "transfers"));
	uint32_t *last_reader = calloc((size_t)c->num_nodes + 1, sizeof(*last_reader)), o;

	w->failed |= !last_reader;
	for (o = 0; !w->failed && c->num_nodes && o < graph->num_operands; o++)
		add_transfers_of(w, list, c, o, last_reader, totals);
	free(last_reader);
}

/* ---- the whole ---- */

static void add_devices(struct writer *w, cJSON *root)
{
	cJSON *list = report_check(w, cJSON_AddArrayToObject(root, "devices")), *entry;
	uint32_t i;

	for (i = 0; list && i < w->report->num_devices; i++) {
		const ANeuralNetworksDevice *device = w->report->devices[i];

		entry = append_object(w, list);
		if (!entry)
			return;
		add_string(w, entry, "name", device->name);
		add_string(w, entry, "version", device->version);
		add_number(w, entry, "type", device->type);
		add_number(w, entry, "feature_level", device->feature_level);
	}
}

static void add_graphs(struct writer *w, cJSON *root)
{
	cJSON *list = report_check(w, cJSON_AddArrayToObject(root, "graphs")), *entry, *sums;
	struct totals totals = { 0 };
	uint32_t i;

	for (i = 0; list && i < w->report->num_choices; i++) {
		const struct nnr_choice *c = &w->report->choices[i];

		/* one that memory ran out for */
		if (!c->flow.first || !c->node_device)
			continue;
		entry = append_object(w, list);
		if (!entry)
			return;
		add_number(w, entry, "subgraph", c->subgraph);
		add_steps(w, entry, c, &totals);
		add_operations(w, entry, c);
		add_transfers(w, entry, c, &totals);
	}
	sums = report_check(w, cJSON_AddObjectToObject(root, "totals"));
	if (!sums)
		return;
	add_number(w, sums, "steps", totals.steps);
	add_number(w, sums, "transfers", totals.transfers);
	add_number(w, sums, "transfer_bytes", totals.bytes);
	add_number(w, sums, "transfer_ns", totals.bytes * nnr_config()->transfer_ns_per_kib / 1024);
	add_number(w, sums, "step_ns", totals.steps * nnr_config()->step_ns);
	add_number(w, sums, "time_ns", totals.time_ns);
}

static void add_header(struct writer *w, cJSON *root)
{
	const struct nnr_report *r = w->report;

	add_string(w, root, "result", nnutil_result_name(r->result));
	add_string(w, root, "preference", preference_name(r->preference));
	add_string(w, root, "partitioning", partitioning_name(r->partitioning));
	add_bool(w, root, "explicit_devices", r->explicit_devices);
	add_bool(w, root, "one_step", r->simple || r->on_reference);
	add_bool(w, root, "fell_back", r->on_reference && r->partitioning != NNR_PARTITION_NO);
	add_string(w, root, "partition_result", nnutil_result_name(r->partition_result));
	if (r->reason[0])
		add_string(w, root, "reason", r->reason);
	else
		report_check(w, cJSON_AddNullToObject(root, "reason"));
	add_number(w, root, "feature_level", r->data->feature_level);
}

int nnr_report_explain(const struct nnr_report *report, char **json)
{
	struct writer w = { .report = report };
	cJSON *root = report_check(&w, cJSON_CreateObject());

	*json = NULL;
	if (root) {
		add_header(&w, root);
		add_devices(&w, root);
		add_graphs(&w, root);
	}
	if (!w.failed)
		*json = cJSON_Print(root);
	cJSON_Delete(root);
	return *json ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OUT_OF_MEMORY;
}
