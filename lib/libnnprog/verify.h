/* SPDX-License-Identifier: Apache-2.0 */
/* Inside libnnprog: the stages of nnprog_verify(), each relying on those before it. */
#ifndef NNPROG_VERIFY_H
#define NNPROG_VERIFY_H

#include "nnprog_verify.h"
#include "plan.h"

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

/** The nesting of subgraphs: each is used by an earlier one, and none is nested too deeply. */
int nnprog_verify_nesting(const struct nnprog *prog, struct nnprog_error *err);

#endif
