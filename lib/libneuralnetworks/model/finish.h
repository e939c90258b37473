/* SPDX-License-Identifier: Apache-2.0 */
/* Finishing a model. */
#ifndef NNR_FINISH_H
#define NNR_FINISH_H

#include "model/model_data.h"

/** Make the model's data from what the client added. The model is not finished. Result code. */
int nnr_model_finish(ANeuralNetworksModel *model);

#endif
