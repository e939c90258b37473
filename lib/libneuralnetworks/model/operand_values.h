/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands of models under construction, and their values. Models are not finished. Result codes;
 * failures are logged.
 */
#ifndef NNR_OPERAND_VALUES_H
#define NNR_OPERAND_VALUES_H

#include "model/builder.h"

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

#endif
