/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models under construction and finished, operand types, submodels, the operations that a device
 * supports.
 */
#ifndef NNR_MODEL_H
#define NNR_MODEL_H

#include <stdatomic.h>

#include "base/nnr_base.h"
#include "nnmodel.h"
#include "registry/nnr_registry.h"

/* operand_type.c: operand types: standard ones, OEM ones, and those of extensions. */

/**
 * Check a client's @type against the rules of NeuralNetworks.h. @partial: unknown dimensions are
 * allowed. Result code (logged).
 */
int nnr_operand_type_validate(const ANeuralNetworksOperandType *type, bool partial);
bool nnr_type_is_tensor(uint32_t type);
/** Bytes of a scalar or of an element; 0: none, or unknown. */
uint64_t nnr_type_element(uint32_t type);
/** All dimensions are known. Always true for scalars. */
bool nnr_dims_complete(uint32_t type, const uint32_t *dims, uint32_t rank);
/**
 * Bytes of a tensor or scalar. 0: a dimension or the rank of the tensor is unknown. UINT64_MAX:
 * above 2^32 - 1.
 */
uint64_t nnr_type_bytes(uint32_t type, const uint32_t *dims, uint32_t rank);
/** The same of a shape that is completely known, where 0 is a tensor without elements. */
uint64_t nnr_shape_bytes(uint32_t type, uint32_t rank, const uint32_t *dims);

static inline bool nnr_is_oem(uint32_t type)
{
	return type == ANEURALNETWORKS_OEM_SCALAR || type == ANEURALNETWORKS_TENSOR_OEM_BYTE;
}

/*
 * Shapes that are not completely known: a dimension of 0, or a tensor of rank 0, is
 * unknown.
 */

/**
 * nnmodel_shape_merge() into @dims, which have room for NNR_MAX_RANK. False: they contradict each
 * other, or @other_rank is larger, and nothing changed.
 */
bool nnr_dims_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank,
		    const uint32_t *other_dims);
/** A tensor that is not omitted and whose shape is not completely known. */
bool nnr_operand_unknown(const struct nnmodel_operand *operand);
/** Whether an IF or WHILE or its models have inputs or outputs of unknown shape. */
bool nnr_flow_unknown(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
		      const struct nnmodel_operation *op);

/* model_data.c: models as objects of the API, and the immutable data of finished ones. */

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

/*
 * builder.c: models under construction. Functions that take a model need one that is not finished.
 */

/** Constants in nnmodel.values and in the runtime's pools begin at multiples of this. */
#define NNR_VALUE_ALIGN 64u
/** Operands, or operations. */
#define NNR_MAX_ENTRIES 0xfffffffeu

/**
 * A model under construction. What was replaced (values and pools of operands that were set again)
 * stays in @model; finish() takes what is used.
 */
struct nnr_model_builder {
	struct nnmodel *model; /* referenced: those of setOperandValueFromModel(), flattened */
	uint32_t operand_room, operation_room, referenced_room, pool_room, large_room, id_room,
		pool_id_room;
	size_t values_room;
	/*
	 * Per operand the client's buffer of a large value, else NULL. Such an operand is a
	 * CONSTANT_REFERENCE of that length; finish() sets its pool.
	 */
	const void **large;
	uint32_t num_large; /* that are not NULL */
	uint64_t *referenced_ids, *pool_ids;
};
struct nnr_model_builder *nnr_builder_new(void);
void nnr_builder_free(struct nnr_model_builder *builder);

/** Add an operation. Result code (logged). */
int nnr_model_add_operation(ANeuralNetworksModel *model, uint32_t type, uint32_t num_inputs,
			    const uint32_t *inputs, uint32_t num_outputs, const uint32_t *outputs);
/** Set main's inputs and outputs. Result code (logged). */
int nnr_model_identify(ANeuralNetworksModel *model, uint32_t num_inputs, const uint32_t *inputs,
		       uint32_t num_outputs, const uint32_t *outputs);

/* extract.c: models made from parts of other models. */

/**
 * Make a model of operations @ops (ascending numbers) of subgraph @subgraph (0 main, 1 + i
 * referenced[i]) of @source. Its inputs and outputs are the operands @inputs and @outputs, in that
 * order. It has the referenced models that these operations use, constants (pools are dup'ed),
 * extension data, and the extension names in use; it has no unused operands. 0; -EINVAL: an operand
 * is read that is neither constant, nor in @inputs, nor written by @ops; -ENOMEM, -EMFILE.
 */
int nnr_extract(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model);
/**
 * The same; @referenced_from and @pools_from become the numbers in @source of the new model's
 * referenced models and pools. The arrays have room for all of @source's; either may be NULL.
 */
int nnr_extract_from(const struct nnmodel *source, uint32_t subgraph, const uint32_t *ops,
		     uint32_t num_ops, const uint32_t *inputs, uint32_t num_inputs,
		     const uint32_t *outputs, uint32_t num_outputs, struct nnmodel **model,
		     uint32_t *referenced_from, uint32_t *pools_from);
/** The same of all operations of a subgraph. */
int nnr_extract_whole(const struct nnmodel *source, uint32_t subgraph, struct nnmodel **model,
		      uint32_t *referenced_from, uint32_t *pools_from);

/**
 * Set @seen (one per referenced model) for the models that @op uses, directly or not. 0, -ENOMEM.
 */
int nnr_reach(const struct nnmodel *model, const struct nnmodel_subgraph *graph,
	      const struct nnmodel_operation *op, bool *seen);

/**
 * Deep copy into a zeroed @dst. False: out of memory; nnr_subgraph_clear() frees what was copied.
 */
bool nnr_subgraph_copy(struct nnmodel_subgraph *dst, const struct nnmodel_subgraph *src);
void nnr_subgraph_clear(struct nnmodel_subgraph *graph);

/** An operation whose operands may be models. */
bool nnr_takes_models(uint32_t operation);

static inline bool nnr_is_constant(const struct nnmodel_operand *o)
{
	return o->lifetime == NNMODEL_CONSTANT_COPY || o->lifetime == NNMODEL_CONSTANT_REFERENCE;
}

/*
 * import_model.c: the values, pools and finished models that a model under construction refers to,
 * with everything that these refer to. Each is stored once.
 */

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

/* supported.c: which operations devices can run. */

/**
 * Ask the device which operations of a subgraph it can run. The query has the slice that the
 * device's feature level can express. @supported: one per operation, in the subgraph's order; all
 * false if the device fails. @reasons (may be NULL): per operation NULL or a malloc'ed string: why
 * not, or what nnapi-reference finds out at execution. 0 or -ENOMEM.
 */
int nnr_supported_operations(const struct nnmodel *model, uint32_t subgraph,
			     ANeuralNetworksDevice *device, bool *supported, char **reasons);
/** The union of several devices, per operation as the application added them. 0 or -ENOMEM. */
int nnr_supported_by_any(const struct nnr_model_data *data,
			 const ANeuralNetworksDevice *const *devices, uint32_t num,
			 bool *supported);

/* finish.c: finishing a model. */

/** Make the model's data from what the client added. The model is not finished. Result code. */
int nnr_model_finish(ANeuralNetworksModel *model);

/* large_values.c: values of more than 128 bytes. */

/** Copy the clients' large values into one pool. Result code; nothing changes unless NO_ERROR. */
int nnr_builder_copy_large(struct nnr_model_builder *builder);

/*
 * operand_values.c: operands of models under construction, and their values. Models are not
 * finished. Result codes; failures are logged.
 */

int nnr_model_add_operand(ANeuralNetworksModel *model, const ANeuralNetworksOperandType *type);
/** @buffer NULL: the operand is omitted. */
int nnr_model_set_value(ANeuralNetworksModel *model, int32_t index, const void *buffer,
			size_t length);
/** Whether operand @index can have a value of @length bytes in shared memory. */
int nnr_model_check_shared_value(const ANeuralNetworksModel *model, int32_t index, size_t length);
/** After that check: a value in @pool, of which the model takes a copy. @id identifies it. */
int nnr_model_set_shared_value(ANeuralNetworksModel *model, int32_t index, uint64_t id,
			       const struct nnmodel_pool *pool, size_t offset, size_t length);
/** @value is finished and valid. */
int nnr_model_set_model_value(ANeuralNetworksModel *model, int32_t index,
			      const ANeuralNetworksModel *value);
int nnr_model_set_channel_quant(ANeuralNetworksModel *model, int32_t index,
				const ANeuralNetworksSymmPerChannelQuantParams *params);
int nnr_model_set_extension_data(ANeuralNetworksModel *model, int32_t index, const void *data,
				 size_t length);

/* slice.c: the slice of a model that a device's feature level can express. */

/**
 * Choose the operations of a subgraph that can be offered to a device: @kept (one per operation),
 * *@num_kept. @reasons (may be NULL) as of nnr_supported_operations(). @unknown_flow: also IF and
 * WHILE over tensors of unknown size, which libnnhal takes and Android's HAL interfaces do not;
 * *@num_unknown_flow of them are kept. 0, -ENOMEM.
 */
int nnr_slice_choose(const struct nnmodel *model, uint32_t subgraph,
		     const ANeuralNetworksDevice *device, bool unknown_flow, bool *kept,
		     uint32_t *num_kept, uint32_t *num_unknown_flow, char **reasons);
/** Make the model of the kept operations. 0, -ENOMEM, -EINVAL, -EMFILE. */
int nnr_slice_make(const struct nnmodel *model, uint32_t subgraph, const bool *kept,
		   uint32_t num_kept, struct nnmodel **slice);

#endif
