/* SPDX-License-Identifier: Apache-2.0 */
/* Cache files of a step. */
#ifndef NNR_CACHE_FILES_H
#define NNR_CACHE_FILES_H

#include "plan/compilation.h"

/** Descriptors of a device's cache files: model files, then data files. */
struct nnr_cache_files {
	int fds[2 * NNHAL_MAX_CACHE_FILES];
	uint32_t num_model, num_data;
};
/** Open existing files. 0, or -errno: -ENOENT if one is missing. */
int nnr_cache_files_open(struct nnr_cache_files *files,
			 const ANeuralNetworksCompilation *compilation,
			 const ANeuralNetworksDevice *device,
			 const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
/** The same; missing files are created. */
int nnr_cache_files_create(struct nnr_cache_files *files,
			   const ANeuralNetworksCompilation *compilation,
			   const ANeuralNetworksDevice *device,
			   const uint8_t token[NNHAL_CACHE_TOKEN_SIZE]);
void nnr_cache_files_close(struct nnr_cache_files *files);

#endif
