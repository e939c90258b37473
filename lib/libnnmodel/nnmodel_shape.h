/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape_accept.c: shapes as NNAPI declares them: rank 0 is an unknown rank, an extent of 0 is an
 * unknown extent. (A program's shapes, nnprog_shape.h, have other marks: there 0 is an extent.)
 */
#ifndef NNMODEL_SHAPE_H
#define NNMODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the rank and all extents of a tensor are known. */
bool nnmodel_shape_complete(uint32_t rank, const uint32_t *dims);

/**
 * nnmodel_shape_merge() - merge two shapes of one tensor
 * @rank: rank of one of them, and of the result
 * @dims: its extents, and those of the result; with room for @other_rank
 * @other_rank: rank of the other
 * @other_dims: its extents
 *
 * Return: false: they contradict each other, and nothing changed.
 */
bool nnmodel_shape_merge(uint32_t *rank, uint32_t *dims, uint32_t other_rank,
			 const uint32_t *other_dims);

/**
 * nnmodel_shape_bytes() - bytes of the extents that are known
 * @element: bytes of an element
 * @rank: rank
 * @dims: extents; an unknown one counts as 1
 * @bytes: the size
 *
 * Return: 0, or -EOVERFLOW: 4 GiB or more.
 */
int nnmodel_shape_bytes(uint64_t element, uint32_t rank, const uint32_t *dims, uint64_t *bytes);

/** An output as it is declared, before a device reports a shape for it. */
struct nnmodel_declared {
	uint64_t element; /* bytes of an element; 0: not known, as is the size */
	uint64_t room; /* bytes of its memory */
	uint32_t max_rank; /* the largest rank that a report may have */
	uint32_t rank; /* 0: unknown */
	const uint32_t *dims; /* 0: unknown */
};

/** A complete shape that a device reports: an extent of 0 is a tensor without elements. */
struct nnmodel_reported {
	uint32_t rank;
	const uint32_t *dims;
	bool sufficient; /* the tensor fits into the room */
};

/**
 * enum nnmodel_verdict - whether a declared shape accepts a reported one
 * @NNMODEL_ACCEPTED: yes
 * @NNMODEL_OTHER_SHAPE: another rank or extent, or more dimensions than allowed
 * @NNMODEL_TOO_LARGE: 4 GiB or more
 * @NNMODEL_FALSE_SUFFICIENCY: size and room contradict that the room is sufficient, or is not
 */
enum nnmodel_verdict {
	NNMODEL_ACCEPTED,
	NNMODEL_OTHER_SHAPE,
	NNMODEL_TOO_LARGE,
	NNMODEL_FALSE_SUFFICIENCY,
};

/**
 * nnmodel_shape_accept() - judge the shape that a device reports for an output
 * @declared: the output
 * @reported: the report, which is not trusted
 * @bytes: out: the size of the tensor, unless OTHER_SHAPE or TOO_LARGE
 *
 * Each side of a trust boundary judges what the other reports to it, by this one rule.
 */
enum nnmodel_verdict nnmodel_shape_accept(const struct nnmodel_declared *declared,
					  const struct nnmodel_reported *reported, uint64_t *bytes);

#endif
