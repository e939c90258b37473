/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the model room share. */
#ifndef NNR_MODEL_H
#define NNR_MODEL_H

#include <stdlib.h>

#include "runtime.h"

/** Constants in nnmodel.values and in pools of the runtime's own begin at multiples of this. */
#define NNR_VALUE_ALIGN 64u
/** Operands, or operations. */
#define NNR_MAX_ENTRIES 0xfffffffeu

static inline bool nnr_is_constant(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_CONSTANT_COPY || o->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

static inline bool nnr_is_oem(uint32_t type)
{
	return type == ANEURALNETWORKS_OEM_SCALAR || type == ANEURALNETWORKS_TENSOR_OEM_BYTE;
}

/** Operations whose operands may be models. */
static inline bool nnr_takes_models(uint32_t operation)
{
	return nnmodel_names_subgraphs(operation) || nnr_is_extension(operation) ||
	       operation == ANEURALNETWORKS_OEM_OPERATION;
}

/** @n entries, zeroed; never NULL for want of entries. */
static inline void *nnr_array(size_t n, size_t size)
{
	return calloc(n ? n : 1, size);
}

/**
 * Room for @need entries of @size bytes in *@array, which has *@room; new ones are zeroed. 0,
 * -ENOMEM.
 */
int nnr_grow(void *array, uint32_t *room, size_t need, size_t size);

/* ---- model.c, model_operand.c, model_import.c ---- */

/**
 * A model under construction. What was replaced (values, pools of operands that were set again)
 * stays in @model: finish() takes what is in use.
 */
struct nnr_model_builder {
	struct nnmodel *model; /* referenced: those of setOperandValueFromModel(), flattened */
	uint32_t operand_room, operation_room, referenced_room, pool_room, large_room, id_room,
		pool_id_room;
	size_t values_room;
	/* per operand, as long as @model has operands: the client's buffer of a large value, else
	 * NULL. Such an operand is a CONSTANT_REFERENCE of that length whose pool is not there
	 * before finish() */
	const void **large;
	uint32_t num_large; /* that are not NULL */
	uint64_t *referenced_ids, *pool_ids;
};
struct nnr_model_builder *nnr_builder_new(void);
void nnr_builder_free(struct nnr_model_builder *builder);
/** The model as a referenced one: its number, or a result code in *@result and NNR_NONE. */
uint32_t nnr_builder_import(struct nnr_model_builder *builder, const struct nnr_model_data *data,
			    int *result);
/**
 * The number of the pool @id, by a copy of @pool's descriptor if it is not there yet. 0, -ENOMEM,
 * -EMFILE, ...
 */
int nnr_builder_pool(struct nnr_model_builder *builder, uint64_t id,
		     const struct nnmodel_pool *pool, uint32_t *number);
/** Append room for @size bytes to the values: 0, -ENOMEM. */
int nnr_builder_values(struct nnr_model_builder *builder, size_t size, size_t *offset);
/** Unique; of pools made here. Memories' numbers are pools' too, and never as large. */
uint64_t nnr_model_id(void);
#define NNR_OWN_POOL (UINT64_C(1) << 63)

/* ---- model_finish.c, model_sort.c, model_large.c, model_defaults.c, model_data.c ---- */

/** Large values into one pool. Result code; nothing is changed unless NO_ERROR. */
int nnr_builder_copy_large(struct nnr_model_builder *builder);
/**
 * Main's operations in an order that can be executed, as they are where possible. @added_to_run
 * (one per operation) becomes the new number of each. 0; -EINVAL: a cycle, or an operand that is
 * never written; -ENOMEM.
 */
int nnr_sort(struct nnmodel *model, uint32_t *added_to_run);
/** Remove trailing inputs of main's operations that have their default value. */
void nnr_remove_defaults(struct nnmodel *model);
/** nnmodel_validate(), to which OEM types and operations are those of an extension. */
int nnr_model_validate(const struct nnmodel *model, uint32_t *feature_level,
		       struct nnmodel_error *err);

/* ---- slice.c ---- */

/**
 * What of a subgraph can be offered to a device. @kept: one per operation; @reasons (may be NULL)
 * as those of nnr_supported_operations(). *@num_kept. @unknown_flow: IF and WHILE over tensors of
 * unknown size too, which the HAL's interfaces refuse and its native form has; *@num_unknown_flow
 * of them are kept. 0, -ENOMEM.
 */
int nnr_slice_choose(const struct nnmodel *model, uint32_t subgraph,
		     const ANeuralNetworksDevice *device, bool unknown_flow, bool *kept,
		     uint32_t *num_kept, uint32_t *num_unknown_flow, char **reasons);
/** The model of the operations that are kept. 0, -ENOMEM, -EINVAL, -EMFILE. */
int nnr_slice_make(const struct nnmodel *model, uint32_t subgraph, const bool *kept,
		   uint32_t num_kept, struct nnmodel **slice);

/* ---- extract.c ---- */

/** Deep copy into a zeroed @dst; on failure what was copied hangs off it. False: out of memory. */
bool nnr_subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src);
void nnr_subgraph_clear(struct nnmodel_subgraph *graph);

/** nnr_extract(), and where the referenced models and pools of *@model come from: their numbers in
 * @source. The arrays have room for all of @source's; either may be NULL. */
int nnr_extract_from(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		     uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		     const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model,
		     uint32_t *referenced_from, uint32_t *pools_from);
/** All of a subgraph. */
int nnr_extract_whole(const struct nnmodel *source, uint32_t subgraph, struct nnmodel **model,
		      uint32_t *referenced_from, uint32_t *pools_from);

/** Marks in @seen (one per referenced model) those that @op uses, directly or not; 0, -ENOMEM. */
int nnr_reach(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
	      const struct nnmodel_operation *op, bool *seen);

#endif
