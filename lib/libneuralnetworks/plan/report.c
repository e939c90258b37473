// SPDX-License-Identifier: Apache-2.0
/*
 * What explain needs to know of a compilation, kept as it was found out: text is made of it only
 * when asked for.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan.h"

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

void nnr_report_free(struct nnr_report *report)
{
	uint32_t i;

	if (!report)
		return;
	for (i = 0; i < report->num_choices; i++)
		nnr_choice_fini(&report->choices[i]);
	free(report->choices);
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
