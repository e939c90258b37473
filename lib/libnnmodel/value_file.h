/* SPDX-License-Identifier: Apache-2.0 */
/* Large constants of a model in a file in memory. Users link libnnmodel; libnnhal does not export
 * it. */
#ifndef VALUE_FILE_H
#define VALUE_FILE_H

#include "nnmodel.h"

/** NNMODEL_LARGE_VALUE - bytes of a value from which it goes into a file */
#define NNMODEL_LARGE_VALUE 16384u

/**
 * struct nnmodel_value_file - a file in memory with the large values of a model
 * @open: there is one: nnmodel.pools[@pool]
 * @pool: number of the pool
 * @size: bytes of the file
 *
 * All zeros before the first value. A runtime takes the file's descriptor, where it copies values
 * that are in nnmodel.values.
 */
struct nnmodel_value_file {
	bool open;
	uint32_t pool;
	uint64_t size;
};

/**
 * nnmodel_set_value_in_file() - make an operand a CONSTANT_REFERENCE to a value in a file
 * @model: the model
 * @file: of this model
 * @operand: number of the operand
 * @value: contents, copied
 * @size: bytes; below NNMODEL_LARGE_VALUE this is nnmodel_set_value()
 *
 * The same if there can be no file.
 *
 * Return: 0 or -errno.
 */
int nnmodel_set_value_in_file(struct nnmodel *model, struct nnmodel_value_file *file,
			      uint32_t operand, const void *value, size_t size);

/**
 * nnmodel_seal_value_file() - make the file constant: before others get its descriptor
 * @model: the model
 * @file: of this model; no value can be added afterwards
 *
 * Return: 0 or -errno.
 */
int nnmodel_seal_value_file(const struct nnmodel *model, const struct nnmodel_value_file *file);

#endif
