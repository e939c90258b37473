/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of constants that nothing can change any more: memfds that are sealed against writes and
 * against getting smaller, for everyone who has a descriptor. Their pages can stand for a copy.
 */
#ifndef NNMODEL_POOL_FILE_H
#define NNMODEL_POOL_FILE_H

#include "nnmodel.h"

/** Whether constants of a model are in such a file. */
bool nnmodel_any_sealed(const struct nnmodel_maps *maps);

/**
 * The descriptor, which is the model's, of the sealed file that has @size bytes at @data, and their
 * @offset in it. -1: they are elsewhere. @data is of nnmodel_constant() with the same arguments.
 */
int nnmodel_sealed_file(const struct nnmodel *model, const struct nnmodel_maps *maps,
			const void *data, size_t size, uint64_t *offset);

#endif
