/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the values of nnhal.h: rows that lib/idl makes, and the values that it leaves to
 * hand-written code. */
#ifndef IPC_SAMPLES_H
#define IPC_SAMPLES_H

#include "idl_sample.h"
#include "messages/nnipc_messages.h"

extern const struct sample_row nnipc_sample_rows[];
extern const size_t nnipc_num_sample_rows;

static inline enum nnhal_status sample_status(uint32_t sample)
{
	return sample == 0   ? NNHAL_DEAD_OBJECT
	       : sample == 1 ? NNHAL_NONE
			     : NNHAL_RESOURCE_EXHAUSTED_PERSISTENT;
}

static inline int sample_errno(uint32_t sample)
{
	return sample == 0 ? -4095 : sample == 1 ? 0 : -1;
}

/** A new model; sample 1 is NULL. */
struct nnmodel *sample_model(uint32_t sample);
/** The same each time; its pools are open as long as the process lives. */
const struct nnmodel *sample_model_of(uint32_t sample);
bool sample_same_model(const struct nnmodel *a, const struct nnmodel *b);

/** Three pools: memory, a token, memory without a descriptor. Sample 2: lists that are not there.
 */
const struct nnhal_request *sample_request_of(uint32_t sample);
/** One per pool: the first is a slot. */
extern const uint32_t sample_slots[3];
/** All but the descriptors of pools. */
bool sample_same_request(const struct nnhal_request *a, const struct nnhal_request *b);

#endif
