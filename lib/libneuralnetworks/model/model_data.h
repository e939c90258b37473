/* SPDX-License-Identifier: Apache-2.0 */
/* Models as objects of the API, and the immutable data of finished ones. */
#ifndef NNR_MODEL_DATA_H
#define NNR_MODEL_DATA_H

#include <stdatomic.h>

#include "nnmodel.h"

#include "base/ndk.h"

/**
 * A finished model, as devices are offered it. Main's operations are in an order that can be
 * executed; trailing default inputs and dead operands are removed. Each referenced model is there
 * once, in @model->referenced. Constants above 128 bytes are in pools (memfds or the application's
 * memory), each byte once. Immutable, reference counted.
 */
struct nnr_model_data {
	atomic_uint refs;
	struct nnmodel *model;
	uint32_t feature_level; /* the lowest that has all of it */
	uint32_t num_added; /* operations as the application added them */
	/* per added operation its number in model->main; NNR_NONE: removed */
	uint32_t *added_to_run;
	bool has_extensions; /* operations of an extension, at any depth */
	bool has_oem; /* OEM_OPERATION, at any depth: no device has it */
	/* identity of main, each referenced model and each pool, for models that refer to this */
	uint64_t id, *referenced_ids, *pool_ids;
	/* of the diagnostics, computed at the first use: 1 when arch_hash is valid */
	atomic_int arch_hash_known;
	uint8_t arch_hash[32];
};
/** Take a reference. */
struct nnr_model_data *nnr_model_data_get(struct nnr_model_data *data);
/** Drop one. @data may be NULL. */
void nnr_model_data_put(struct nnr_model_data *data);

struct ANeuralNetworksModel {
	bool finished, invalid; /* finish() was called; it failed */
	bool support_library; /* created through the Support Library's table */
	struct nnr_model_data *data; /* once finished and valid */
	struct nnr_model_builder *builder; /* until finish() */
};
/** Whether it may have types and operations of extensions. The allowlist does not apply to a
 * Support Library. */
bool nnr_model_may_extend(const ANeuralNetworksModel *model);

/** nnmodel_validate() that treats OEM types and operations as those of an extension. */
int nnr_model_validate(const struct nnmodel *model, uint32_t *feature_level,
		       struct nnmodel_error *err);

#endif
