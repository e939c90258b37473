// SPDX-License-Identifier: Apache-2.0
/*
 * Whether a device passes. The policy:
 *
 *	a case failed, or a program ended badly			failed
 *	the device supports none of the examples		incomplete: its forms are others
 *	no program of a group that concerns the device, --skip	incomplete
 *	no service listens, or the device has no node of ours	passed
 *	a case was left out by the program itself		passed; the certificate has its
 *reason
 */
#include "certify/nnctl_certify.h"

#include <string.h>

#include "base/nnctl_base.h"

/* Reasons not to run that say something about the machine or the device, not about the tests. */
static bool obstacle_is_allowed(const cJSON *step)
{
	const char *why = json_text(step, "not_run");

	return !strcmp(json_text(step, "route"), "service") ||
	       !strncmp(why, "not on this device", 18);
}

static void reason_add(cJSON *reasons, const cJSON *step, const char *why)
{
	char text[512];

	snprintf(text, sizeof(text), "%s, %s, %s: %s", json_text(step, "group"),
		 json_text(step, "name"), json_text(step, "route"), why);
	cJSON_AddItemToArray(reasons, cJSON_CreateString(text));
}

/* Whether the device supports anything that was tried. */
static bool coverage_judge(cJSON *certificate, cJSON *totals, cJSON *reasons)
{
	const cJSON *coverage = cJSON_GetObjectItemCaseSensitive(certificate, "coverage");
	unsigned int supported, bad, all = coverage_count(coverage, &supported, &bad);

	cJSON_AddNumberToObject(totals, "combinations", all);
	cJSON_AddNumberToObject(totals, "combinations_supported", supported);
	cJSON_AddNumberToObject(totals, "combinations_failed", bad);
	if (!supported)
		cJSON_AddItemToArray(
			reasons, cJSON_CreateString(
					 "the device supports none of the examples: name a "
					 "folder of its own forms with --vectors (nnctl capture)"));
	return supported;
}

bool certify_judge(cJSON *certificate)
{
	const cJSON *steps = cJSON_GetObjectItemCaseSensitive(certificate, "steps"), *step;
	unsigned int passed = 0, bad = 0, skipped = 0, missing = 0;
	cJSON *totals = cJSON_AddObjectToObject(certificate, "totals");
	cJSON *reasons = cJSON_AddArrayToObject(certificate, "reasons");
	bool supported;
	char text[64];

	cJSON_ArrayForEach(step, steps)
	{
		const unsigned int n = (unsigned int)json_number(step, "failed");

		passed += (unsigned int)json_number(step, "passed");
		skipped += (unsigned int)json_number(step, "skipped");
		bad += n;
		if (n) {
			snprintf(text, sizeof(text), "%u failed", n);
			reason_add(reasons, step, text);
		}
		if (!cJSON_HasObjectItem(step, "not_run") || obstacle_is_allowed(step))
			continue;
		missing++;
		reason_add(reasons, step, json_text(step, "not_run"));
	}
	cJSON_AddNumberToObject(totals, "passed", passed);
	cJSON_AddNumberToObject(totals, "failed", bad);
	cJSON_AddNumberToObject(totals, "skipped", skipped);
	cJSON_AddNumberToObject(totals, "not_run", missing);
	supported = coverage_judge(certificate, totals, reasons);
	cJSON_AddStringToObject(certificate, "verdict",
				bad			? "failed"
				: missing || !supported ? "incomplete"
							: "passed");
	return !bad && !missing && supported;
}
