/* SPDX-License-Identifier: Apache-2.0 */
/* What was found out about a compilation, for nnaccelCompilation_explain(). */
#ifndef NNR_REPORT_H
#define NNR_REPORT_H

#include "base/settings.h"
#include "plan/compilation.h"
#include "plan/partition_choice.h"

struct nnr_report {
	struct nnr_model_data *data; /* held */
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	int32_t preference;
	bool explicit_devices;
	enum nnr_partitioning partitioning;
	struct nnr_choice *choices; /* [0] is main's; none if no device was queried */
	uint32_t num_choices;
	bool simple;
	int partition_result; /* result code of partitioning and preparing */
	int result; /* of finish() */
	/* why a device cannot prepare its part, the first one; empty if all did */
	char reason[256];
	bool on_reference; /* the whole model went to nnapi-reference instead */
};
struct nnr_report *nnr_report_new(const ANeuralNetworksCompilation *compilation);
void nnr_report_free(struct nnr_report *report);
/** Log the reason of a failure, and keep it if it is the first. */
void nnr_report_reason(struct nnr_report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * Remove a candidate that died, and what was decided with it, to partition anew. False: it is
 * nnapi-reference, or no candidate.
 */
bool nnr_report_leave_out(struct nnr_report *report, const ANeuralNetworksDevice *device);
/** The report of a finished compilation as JSON, malloc'ed. Result code. */
int nnr_report_explain(const struct nnr_report *report, char **json);

#endif
