// SPDX-License-Identifier: Apache-2.0
/* "nnctl ops": ask devices about every NNAPI operation in every type, with a small model each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "commands/nnctl_commands.h"
#include "nnhal.h"
#include "probes/nnctl_probes.h"
#include "session/nnctl_session.h"

/* One combination of types and the device's answer. */
struct answer {
	struct probe_types types;
	uint32_t feature_level;
	bool supported;
	char *reason; /* NULL when supported */
};

struct operation {
	uint32_t opcode;
	struct answer *answers;
	size_t num;
};

/* The answers of one device. */
struct survey {
	struct nnhal_device *dev;
	const char *only; /* the operation's name, or NULL */
	struct operation *ops;
	size_t num_ops;
	unsigned int queried, supported;
};

/* ---- asking ---- */

static void ops_ask(struct survey *s, const struct nnmodel *model, struct answer *a)
{
	char *reasons[1] = { NULL };
	struct nnmodel_error err = NNMODEL_ERROR_INIT;
	bool supported = false;
	enum nnhal_status status;

	if (nnmodel_validate(model, &a->feature_level, &err)) {
		a->reason = strdup(err.text);
		return;
	}
	status = s->dev->ops->get_supported_operations(s->dev, model, &supported, reasons, &err);
	a->supported = status == NNHAL_NONE && supported;
	if (a->supported)
		free(reasons[0]);
	else if (reasons[0])
		a->reason = reasons[0];
	else
		a->reason = strdup(err.text[0] ? err.text : nnhal_status_name(status));
}

static struct operation *find_operation(struct survey *s, uint32_t opcode)
{
	struct operation *bigger;

	if (s->num_ops && s->ops[s->num_ops - 1].opcode == opcode)
		return &s->ops[s->num_ops - 1];
	bigger = realloc(s->ops, (s->num_ops + 1) * sizeof(*bigger));
	if (!bigger)
		return NULL;
	s->ops = bigger;
	s->ops[s->num_ops] = (struct operation){ .opcode = opcode };
	return &s->ops[s->num_ops++];
}

static int probe_device(void *cookie, const struct probe *probe)
{
	struct survey *s = cookie;
	struct operation *op;
	struct answer *bigger, *a;
	struct nnmodel *model;
	char error[160];

	if (s->only && strcasecmp(s->only, nnmodel_operation_name(probe->opcode)))
		return 0;
	op = find_operation(s, probe->opcode);
	if (!op)
		return -ENOMEM;
	bigger = realloc(op->answers, (op->num + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	op->answers = bigger;
	a = &op->answers[op->num++];
	*a = (struct answer){ .types = probe->types };
	model = probe_model(probe, error, sizeof(error));
	if (!model) {
		complain("%s: %s", nnmodel_operation_name(probe->opcode), error);
		return -EINVAL;
	}
	ops_ask(s, model, a);
	nnmodel_free(model);
	s->queried++;
	s->supported += a->supported;
	return 0;
}

static void survey_free(struct survey *s)
{
	for (size_t i = 0; i < s->num_ops; i++) {
		for (size_t k = 0; k < s->ops[i].num; k++)
			free(s->ops[i].answers[k].reason);
		free(s->ops[i].answers);
	}
	free(s->ops);
}

/* ---- showing ---- */

static uint32_t operation_level(const struct operation *op)
{
	return nnmodel_op_find(op->opcode)->feature_level;
}

/* "yes" or "no" for all combinations of the type, "some", or "-": NNAPI allows none. */
static const char *ops_cell(const struct operation *op, uint32_t type)
{
	size_t queried = 0, supported = 0;

	for (size_t i = 0; i < op->num; i++)
		if (op->answers[i].types.type[0] == type) {
			queried++;
			supported += op->answers[i].supported;
		}
	return !queried ? "-" : supported == queried ? "yes" : supported ? "some" : "no";
}

static void print_types(const struct probe_types *types)
{
	for (uint32_t i = 0; i < types->num; i++)
		printf("%s%s", i ? "," : "", probe_type_name(types->type[i]));
}

static void print_survey(const struct survey *s, const char *spec)
{
	printf("%s: %s, NNAPI feature level %u\n%-32s %5s", spec, s->dev->ops->name(s->dev),
	       s->dev->ops->feature_level(s->dev), "operation", "level");
	for (size_t c = 0; c < PROBE_LISTED; c++)
		printf(c + 1 < PROBE_LISTED ? " %-4s" : " %s\n", probe_type_name(probe_listed[c]));
	for (size_t i = 0; i < s->num_ops; i++) {
		const struct operation *op = &s->ops[i];

		printf("%-32s ", nnmodel_operation_name(op->opcode));
		if (op->opcode < NNMODEL_OPCODE_COUNT)
			printf("%5u", operation_level(op));
		else
			printf("%5s", "none");
		for (size_t c = 0; c < PROBE_LISTED; c++)
			printf(c + 1 < PROBE_LISTED ? " %-4s" : " %s",
			       ops_cell(op, probe_listed[c]));
		putchar('\n');
		for (size_t k = 0; k < op->num; k++) {
			if (op->answers[k].supported)
				continue;
			fputs("    not ", stdout);
			print_types(&op->answers[k].types);
			printf(": %s\n",
			       op->answers[k].reason ? op->answers[k].reason : "out of memory");
		}
	}
	printf("%u of %u combinations of types of %zu operations are supported\n", s->supported,
	       s->queried, s->num_ops);
}

static cJSON *operation_json(const struct operation *op)
{
	cJSON *j = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(j, "combinations");
	bool all = true;

	cJSON_AddStringToObject(j, "operation", nnmodel_operation_name(op->opcode));
	cJSON_AddNumberToObject(j, "code", op->opcode);
	if (op->opcode < NNMODEL_OPCODE_COUNT)
		cJSON_AddNumberToObject(j, "feature_level", operation_level(op));
	else
		cJSON_AddNullToObject(j, "feature_level");
	for (size_t k = 0; k < op->num; k++) {
		const struct answer *a = &op->answers[k];
		cJSON *entry = cJSON_CreateObject(),
		      *types = cJSON_AddArrayToObject(entry, "types");

		for (uint32_t i = 0; i < a->types.num; i++)
			cJSON_AddItemToArray(
				types, cJSON_CreateString(nnmodel_type_name(a->types.type[i])));
		cJSON_AddNumberToObject(entry, "feature_level", a->feature_level);
		cJSON_AddBoolToObject(entry, "supported", a->supported);
		if (!a->supported)
			cJSON_AddStringToObject(entry, "reason",
						a->reason ? a->reason : "out of memory");
		cJSON_AddItemToArray(list, entry);
		all &= a->supported;
	}
	cJSON_AddBoolToObject(j, "supported", all);
	return j;
}

static cJSON *survey_json(const struct survey *s, const char *spec)
{
	cJSON *j = cJSON_CreateObject(), *list;

	cJSON_AddStringToObject(j, "device", spec);
	cJSON_AddStringToObject(j, "name", s->dev->ops->name(s->dev));
	cJSON_AddNumberToObject(j, "feature_level", s->dev->ops->feature_level(s->dev));
	cJSON_AddNumberToObject(j, "asked", s->queried);
	cJSON_AddNumberToObject(j, "supported", s->supported);
	list = cJSON_AddArrayToObject(j, "operations");
	for (size_t i = 0; i < s->num_ops; i++)
		cJSON_AddItemToArray(list, operation_json(&s->ops[i]));
	return j;
}

/* ---- the command ---- */

struct listing {
	const char *only;
	cJSON *json;
	unsigned int shown, failed;
};

static int show_device(void *cookie, const char *spec)
{
	struct listing *l = cookie;
	struct survey s = { .only = l->only };
	char message[256] = "";
	int ret = nnhal_open(spec, &s.dev, message, sizeof(message));

	if (ret) {
		complain("%s: %s", spec ? spec : "default device",
			 message[0] ? message : strerror(-ret));
		l->failed++;
		return 0;
	}
	ret = probes_each(probe_device, &s);
	if (ret) {
		complain("%s: %s", spec, strerror(-ret));
		l->failed++;
	} else if (l->json) {
		cJSON_AddItemToArray(l->json, survey_json(&s, spec));
	} else {
		if (l->shown)
			putchar('\n');
		print_survey(&s, spec);
	}
	l->shown += !ret;
	survey_free(&s);
	s.dev->ops->destroy(s.dev);
	return 0;
}

static bool is_operation(const char *name)
{
	for (uint32_t op = 0; op < NNMODEL_OPCODE_COUNT; op++)
		if (!strcasecmp(name, nnmodel_operation_name(op)))
			return true;
	return !strcasecmp(name, nnmodel_operation_name(NNMODEL_DENSIFY));
}

int cmd_ops(int argc, char **argv)
{
	struct listing l = { 0 };
	struct options o;
	int ret = options_parse(&o, argc, argv, "device op json");

	if (ret)
		return ret;
	if (o.op && !is_operation(o.op))
		return usage("NNAPI has no operation %s", o.op);
	l.only = o.op;
	if (o.json)
		l.json = cJSON_CreateArray();
	if (o.device)
		show_device(&l, o.device);
	else
		nnhal_driver.enumerate(show_device, &l);
	if (l.json) {
		json_print(l.json);
	}
	if (!l.shown && !l.failed)
		complain("no device can be used; nnctl doctor says what to do");
	return l.shown && !l.failed ? 0 : 1;
}
