// SPDX-License-Identifier: Apache-2.0
/* Finished models, counted. */
#include "model.h"

struct nnr_model_data *nnr_model_data_get(struct nnr_model_data *data)
{
	atomic_fetch_add_explicit(&data->refs, 1, memory_order_relaxed);
	return data;
}

void nnr_model_data_put(struct nnr_model_data *data)
{
	if (!data || atomic_fetch_sub_explicit(&data->refs, 1, memory_order_acq_rel) != 1)
		return;
	nnmodel_free(data->model);
	free(data->added_to_run);
	free(data->referenced_ids);
	free(data->pool_ids);
	free(data);
}
