// SPDX-License-Identifier: Apache-2.0
/* The exported symbol of libnnaccel-fw.so. */
#include "nnfw_core.h"

static const struct nnfw_plugin plugin = {
	.abi_version = NNFW_ABI_VERSION,
	.create = nnfw_create,
	.destroy = nnfw_destroy,
	.opset = nnfw_opset,
	.version = nnfw_version,
	.caps = nnfw_caps,
	.context_open = nnfw_context_open,
	.context_close = nnfw_context_close,
	.queue_create = nnfw_queue_create,
	.queue_destroy = nnfw_queue_destroy,
	.submit = nnfw_submit,
	.submit_here = nnfw_submit_here,
	.run_here = nnfw_run_here,
	.abort = nnfw_abort,
	.program_load = nnfw_program_load,
	.program_unload = nnfw_program_unload,
	.program_measure = nnfw_program_measure,
	.stats = nnfw_stats,
	.instructions = nnfw_instructions,
};

__attribute__((visibility("default"))) const struct nnfw_plugin *nnfw_plugin(uint32_t abi_version)
{
	return abi_version == NNFW_ABI_VERSION ? &plugin : NULL;
}
