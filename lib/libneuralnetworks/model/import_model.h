/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values, pools and finished models that a model under construction refers to, with everything
 * that these refer to. Each is stored once.
 */
#ifndef NNR_IMPORT_MODEL_H
#define NNR_IMPORT_MODEL_H

#include "model/builder.h"

/** Append room for @size bytes to the values. 0, -ENOMEM. */
int nnr_builder_values(struct nnr_model_builder *builder, size_t size, size_t *offset);
/**
 * The number of the pool @id, which gets a copy of @pool's descriptor if it is new. 0, -ENOMEM,
 * -EMFILE, ...
 */
int nnr_builder_pool(struct nnr_model_builder *builder, uint64_t id,
		     const struct nnmodel_pool *pool, uint32_t *number);
/** The number of the model as a referenced one. NNR_NONE: *@result is the result code. */
uint32_t nnr_builder_import(struct nnr_model_builder *builder, const struct nnr_model_data *data,
			    int *result);
/** A new identity of a model or, with NNR_OWN_POOL, of a pool of the runtime. Pools of memory
 * objects are identified by the object's id, which is never as large. */
uint64_t nnr_model_id(void);
#define NNR_OWN_POOL (UINT64_C(1) << 63)

#endif
