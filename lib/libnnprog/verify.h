/* SPDX-License-Identifier: Apache-2.0 */
/* The verifier. */
#ifndef NNACCEL_VERIFY_H
#define NNACCEL_VERIFY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "nnprog_desc.h"
#include "nnprog_verify.h"
#include "plan.h"

/* verify.c: inside libnnprog: the stages of nnprog_verify(), each relying on those before it. */

/** Byte offset of something inside the program. */
static inline uint64_t nnprog_offset(const struct nnprog *prog, const void *p)
{
	return (uint64_t)((const uint8_t *)p - (const uint8_t *)prog->header);
}

/** Lists of a subgraph or operation in INDEX. Only after the entries are verified. */
static inline const uint32_t *nnprog_list(const struct nnprog *prog, uint32_t position)
{
	return prog->index + position;
}

/** Header, sections, gaps, checksum; sets up the pointers of @prog. */
int nnprog_verify_layout(const void *bytes, size_t size, struct nnprog *prog,
			 struct nnprog_error *err);

/** Every entry by itself: ranges into other sections, kinds, types, quantization, attributes. */
int nnprog_verify_entries(const struct nnprog *prog, struct nnprog_error *err);

/**
 * Data flow and shapes of one subgraph; @life has num_tensors entries and is filled. @operands has
 * room for the operands of the largest operation. *@work counts what shape rules may read beyond
 * the operands themselves, over all subgraphs.
 */
int nnprog_verify_graph(const struct nnprog *prog, uint32_t subgraph, struct nnprog_life *life,
			struct nnprog_operand *operands, uint64_t *work, struct nnprog_error *err);

/** No two planned tensors of a subgraph that live together share bytes. */
int nnprog_verify_arena(const struct nnprog *prog, uint32_t subgraph,
			const struct nnprog_life *life, struct nnprog_error *err);

/* rules.c: how libnnprog refuses: the reason in the caller's struct nnprog_error. */

/** No operation or subgraph, in struct nnprog_error. */
#define NNPROG_NONE UINT32_MAX

/** Fill @err (may be NULL) and return -EINVAL. */
__attribute__((format(printf, 2, 3))) int nnprog_refuse(struct nnprog_error *err, const char *fmt,
							...);
/** The same for a shape over the limits: -EOVERFLOW. */
int nnprog_too_large(struct nnprog_error *err);

/** Fill @err (may be NULL); returns -EINVAL. */
int nnprog_refuse_at(struct nnprog_error *err, uint64_t offset, uint32_t subgraph,
		     uint32_t operation, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* crc.c: the checksum of programs. */

/** Checksum of @size bytes more, as zlib's crc32(); @crc: of those before, 0 at first. */
uint32_t nnprog_crc32(uint32_t crc, const void *bytes, size_t size);

/* tensor_check.c: checks of one tensor. */

/** Type and quantization of one tensor. Text of what is wrong, or NULL. */
const char *nnprog_check_quantization(const struct nnprog_operand *op);
/** Whether all of @count per-channel scales are positive numbers. */
bool nnprog_check_scales(const float *scales, uint32_t count);

#endif
