// SPDX-License-Identifier: Apache-2.0
/* Whether the operations tables of a vendor library's objects are complete. */
#include "worker/nnipc_worker.h"

bool nnipc_device_complete(const struct nnhal_device *dev)
{
	const struct nnhal_device_ops *ops = dev ? dev->ops : NULL;

	return ops && NNIPC_HAS(nnhal_device_ops, ops, allocate) && ops->destroy && ops->name &&
	       ops->version && ops->type && ops->feature_level && ops->get_capabilities &&
	       ops->get_number_of_cache_files && ops->get_supported_operations &&
	       ops->prepare_model && ops->get_status && ops->get_supported_extensions &&
	       ops->prepare_model_from_cache;
}

bool nnipc_prepared_model_complete(const struct nnhal_prepared_model *model)
{
	const struct nnhal_prepared_model_ops *ops = model ? model->ops : NULL;

	return ops && NNIPC_HAS(nnhal_prepared_model_ops, ops, create_reusable_execution) &&
	       ops->destroy && ops->execute && ops->execute_synchronously && ops->execute_fenced &&
	       ops->configure_burst;
}

bool nnipc_fenced_callback_complete(const struct nnhal_fenced_callback *callback)
{
	const struct nnhal_fenced_callback_ops *ops = callback ? callback->ops : NULL;

	return ops && NNIPC_HAS(nnhal_fenced_callback_ops, ops, get_execution_info) && ops->destroy;
}

bool nnipc_burst_complete(const struct nnhal_burst *burst)
{
	const struct nnhal_burst_ops *ops = burst ? burst->ops : NULL;

	return ops && NNIPC_HAS(nnhal_burst_ops, ops, release_memory_resource) && ops->destroy &&
	       ops->execute_synchronously;
}

bool nnipc_execution_complete(const struct nnhal_execution *execution)
{
	const struct nnhal_execution_ops *ops = execution ? execution->ops : NULL;

	return ops && NNIPC_HAS(nnhal_execution_ops, ops, execute_fenced) && ops->destroy &&
	       ops->execute_synchronously;
}

bool nnipc_buffer_complete(const struct nnhal_buffer *buffer)
{
	const struct nnhal_buffer_ops *ops = buffer ? buffer->ops : NULL;

	return ops && NNIPC_HAS(nnhal_buffer_ops, ops, copy_from) && ops->destroy && ops->copy_to;
}
