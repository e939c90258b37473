/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a file to struct tflite_model. */
#ifndef NNIMPORT_PARSE_FILE_H
#define NNIMPORT_PARSE_FILE_H

#include "tflite.h"

/**
 * Read @size bytes at @bytes. 0, or -EINVAL with "offset 123: ..." in @error (@error_size bytes),
 * or -ENOMEM.
 */
int tflite_parse(const void *bytes, size_t size, struct tflite_model *model, char *error,
		 size_t error_size);
/** The same with another subgraph than the first; @made: of others, as in struct tflite_model. */
int tflite_parse_graph(const void *bytes, size_t size, uint32_t graph, size_t made,
		       struct tflite_model *model, char *error, size_t error_size);

#endif
