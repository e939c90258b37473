// SPDX-License-Identifier: Apache-2.0
/*
 * "nnctl reduce": successive operations of a model that go wrong on a device as the whole model
 * does, as few as a search finds, in a capture with the values that another device computes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/nnctl_base.h"
#include "capture/nnctl_capture.h"
#include "commands/nnctl_commands.h"
#include "compare/nnctl_compare.h"

enum outcome { UNKNOWN, RIGHT, DIFFERENT, FAILED, REFUSED };

struct reduction {
	const struct options *o;
	char *specs[2]; /* that has the values; that goes wrong */
	char *attempt; /* file of the attempt */
	enum outcome wanted;
	uint32_t num_operations;
	uint32_t num_attempts;
	struct progress progress;
};

/* ---- one attempt ---- */

static bool outputs_differ(const struct session *s, const struct difference_bounds *bounds)
{
	for (uint32_t i = 0; i < s->num_outputs; i++) {
		const struct session_tensor right = {
			.info = s->outputs[i].info,
			.data = (void *)capture_output(&s->capture, i),
		};

		if (difference_of(&right, &s->outputs[i], bounds).beyond)
			return true;
	}
	return false;
}

static enum outcome capture_outcome(const struct reduction *r)
{
	const struct difference_bounds bounds = { (double)r->o->steps, r->o->tolerance };
	struct session s = { .memory_fd = -1 };
	struct nnhal_execution_result result;
	enum outcome outcome = REFUSED;

	if (session_load(&s, r->attempt, false)) {
		session_close(&s);
		return UNKNOWN;
	}
	if (!device_run_open(&s, r->specs[1])) {
		if (session_execute(&s, false, &result) != NNHAL_NONE)
			outcome = FAILED;
		else
			outcome = outputs_differ(&s, &bounds) ? DIFFERENT : RIGHT;
		nnhal_execution_result_clear(&result);
	}
	session_close(&s);
	return outcome;
}

/* The model, and two binary searches. */
static uint32_t attempts_most(const struct reduction *r)
{
	uint32_t most = 1;

	for (uint32_t n = r->num_operations; n > 1; n = (n + 1) / 2)
		most += 2;
	return most;
}

/* Operations from @first to before @end: with the values of the first device, on the second one. */
static enum outcome attempt(struct reduction *r, uint32_t first, uint32_t end)
{
	enum outcome outcome = UNKNOWN;

	if (!range_capture(r->o, r->specs[0], first, end - first, r->attempt))
		outcome = capture_outcome(r);
	r->num_attempts++;
	progress_update(&r->progress, r->num_attempts, attempts_most(r));
	return outcome;
}

/* 1: the attempt goes wrong as the model does, and is the result so far; 0: not; -1: complaint. */
static int attempt_keep(struct reduction *r, uint32_t first, uint32_t end)
{
	enum outcome outcome;

	complain_quietly(true);
	outcome = attempt(r, first, end);
	complain_quietly(false);
	if (outcome != r->wanted)
		return 0;
	if (!rename(r->attempt, r->o->output))
		return 1;
	complain("%s: %s", r->o->output, strerror(errno));
	return -1;
}

/* ---- the search: what goes wrong in fewer operations is kept ---- */

/* @end becomes the least one from which the first operations go wrong. */
static int end_find(struct reduction *r, uint32_t *end)
{
	uint32_t low = 1;

	while (low < *end) {
		const uint32_t middle = low + (*end - low) / 2;
		const int ret = attempt_keep(r, 0, middle);

		if (ret < 0)
			return ret;
		if (ret)
			*end = middle;
		else
			low = middle + 1;
	}
	return 0;
}

/* @first becomes the greatest one for which the operations before @end go wrong. */
static int first_find(struct reduction *r, uint32_t *first, uint32_t end)
{
	uint32_t high = end - 1;

	while (*first < high) {
		const uint32_t middle = high - (high - *first) / 2;
		const int ret = attempt_keep(r, middle, end);

		if (ret < 0)
			return ret;
		if (ret)
			*first = middle;
		else
			high = middle - 1;
	}
	return 0;
}

/* ---- the whole model ---- */

static int operations_count(struct reduction *r)
{
	struct session s = { .memory_fd = -1 };
	int ret = session_load(&s, r->o->model, false);

	if (!ret)
		r->num_operations = s.import.model->main.num_operations;
	session_close(&s);
	if (!ret && !r->num_operations) {
		complain("%s: the model has no operations", r->o->model);
		ret = -1;
	}
	return ret;
}

static int model_try(struct reduction *r)
{
	r->wanted = attempt(r, 0, r->num_operations);
	if (r->wanted == UNKNOWN)
		return -1;
	if (r->wanted == RIGHT) {
		complain("nothing to reduce: the outputs of %s and %s are equal", r->specs[0],
			 r->specs[1]);
		return -1;
	}
	if (!rename(r->attempt, r->o->output))
		return 0;
	complain("%s: %s", r->o->output, strerror(errno));
	return -1;
}

static void result_print(const struct reduction *r, uint32_t first, uint32_t end)
{
	static const char *const verbs[] = {
		[DIFFERENT] = "differ from those of",
		[FAILED] = "fail",
		[REFUSED] = "are refused",
	};
	static const char *const words[] = {
		[DIFFERENT] = "different", [FAILED] = "failed", [REFUSED] = "refused"
	};
	cJSON *json = r->o->json ? cJSON_CreateObject() : NULL;

	if (json) {
		cJSON_AddStringToObject(json, "outcome", words[r->wanted]);
		cJSON_AddNumberToObject(json, "first", first);
		cJSON_AddNumberToObject(json, "last", end - 1);
		cJSON_AddNumberToObject(json, "operations", r->num_operations);
		cJSON_AddNumberToObject(json, "attempts", r->num_attempts);
		cJSON_AddStringToObject(json, "file", r->o->output);
		json_print(json);
		return;
	}
	printf("operations %u to %u of %u: ", first, end - 1, r->num_operations);
	if (r->wanted == DIFFERENT)
		printf("the outputs of %s %s %s\n", r->specs[1], verbs[r->wanted], r->specs[0]);
	else
		printf("on %s they %s\n", r->specs[1], verbs[r->wanted]);
}

static int reduce(struct reduction *r)
{
	uint32_t first = 0, end;
	int ret = operations_count(r);

	progress_start(&r->progress, "reducing, attempt");
	if (!ret)
		ret = model_try(r);
	end = r->num_operations;
	if (!ret)
		ret = end_find(r, &end);
	if (!ret)
		ret = first_find(r, &first, end);
	progress_end(&r->progress);
	unlink(r->attempt);
	if (!ret)
		result_print(r, first, end);
	return ret;
}

int cmd_reduce(int argc, char **argv)
{
	struct reduction r = { 0 };
	struct options o;
	int ret = options_parse(&o, argc, argv,
				"ARGUMENT devices input mean std steps tolerance output json");

	if (ret)
		return ret;
	if (!o.output)
		return usage("--output is missing: the file that is written");
	r.o = &o;
	ret = device_pair_split(o.devices, r.specs);
	if (ret)
		return ret;
	if (asprintf(&r.attempt, "%s.attempt", o.output) < 0) {
		complain("out of memory");
		r.attempt = NULL;
		ret = -1;
	} else {
		ret = reduce(&r);
	}
	free(r.attempt);
	free(r.specs[0]);
	return ret ? 1 : 0;
}
