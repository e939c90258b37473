/* SPDX-License-Identifier: Apache-2.0 */
/* A compilation: what the application set, and the plan that finish() made. */
#ifndef NNR_COMPILATION_H
#define NNR_COMPILATION_H

#include "registry/attributes.h"
#include "plan/step.h"

struct ANeuralNetworksCompilation {
	struct nnr_model_data *data;
	ANeuralNetworksDevice **devices;
	uint32_t num_devices;
	bool explicit_devices; /* createForDevices: no device but these, no fallback */
	int32_t preference, priority; /* PreferenceCode, PriorityCode */
	uint64_t timeout_ns; /* 0: none */
	bool caching;
	char *cache_dir; /* ends in '/', or is empty */
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
	int *cache_fds; /* SL's setCachingFromFds: model files then data files; or NULL */
	uint32_t num_model_cache_fds, num_data_cache_fds;
	struct nnr_attribute *attributes;
	uint32_t num_attributes;
	bool finished;
	struct nnr_plan *plan; /* finished and valid */
	struct nnr_report *report; /* of finish(), whatever its result */
};
/** Created for exactly one device. */
static inline bool nnr_explicit_one(const ANeuralNetworksCompilation *c)
{
	return c->explicit_devices && c->num_devices == 1;
}

#endif
