/* SPDX-License-Identifier: Apache-2.0 */
/* Inside libnnprog: the stages of nnprog_verify(), each relying on those before it. */
#ifndef NNPROG_VERIFY_H
#define NNPROG_VERIFY_H

#include "nnprog.h"

/** No operation or subgraph, in struct nnprog_error. */
#define NNPROG_NONE UINT32_MAX

/** Fill @err (may be NULL); returns -EINVAL. */
int nnprog_refuse_at(struct nnprog_error *err, uint64_t offset, uint32_t subgraph,
		     uint32_t operation, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/** Work of a verification since the last tick. */
struct nnprog_pace {
	int (*tick)(void *cookie);
	void *cookie;
	uint64_t work;
};

/** Entries, of some 30 ns each, between two ticks. */
#define NNPROG_PACE 8192u

/** @work entries more. 0, or what the verification is to end with. */
static inline int nnprog_pace(const struct nnprog *prog, uint64_t work)
{
	struct nnprog_pace *pace = prog->pace;

	if (!pace)
		return 0;
	pace->work += work;
	if (pace->work < NNPROG_PACE)
		return 0;
	pace->work = 0;
	return pace->tick(pace->cookie);
}

/** qsort() at that pace. 0, -ENOMEM, or what nnprog_pace() says. */
int nnprog_sort(const struct nnprog *prog, void *table, size_t count, size_t size,
		int (*compare)(const void *a, const void *b));

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

/** When a tensor lives, in operation numbers, both ends included. first > last: never. */
struct nnprog_life {
	uint32_t first, last;
};

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

/** One tensor to place; @offset is the result. */
struct nnprog_plan_item {
	struct nnprog_life life;
	uint64_t size, offset;
};

/** Place @items so that what lives together does not overlap. 0, -ENOMEM, -EOVERFLOW. */
int nnprog_plan(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size);
/**
 * The same, given up with -ETIME when @stop(@cookie), asked before every item, says so. NULL:
 * never.
 */
int nnprog_plan_until(struct nnprog_plan_item *items, size_t count, uint64_t *arena_size,
		      bool (*stop)(void *cookie), void *cookie);

/** Checks that do not depend on where an operation is stored; used by builder and verifier. */
int nnprog_check_operation(const struct nnprog_op_desc *desc, const struct nnprog_operand *in,
			   uint32_t num_in, uint32_t num_out, struct nnprog_error *err);

/** Whether an operation names subgraphs, and which: then and else, or condition and body. */
bool nnprog_control_graphs(uint32_t opcode, const void *attrs, uint32_t graphs[2]);

/** Inputs and outputs of subgraphs, as a builder or a program holds them. */
struct nnprog_graphs {
	const void *priv;
	uint32_t num;
	uint32_t (*count)(const void *priv, uint32_t graph, bool output);
	void (*get)(const void *priv, uint32_t graph, bool output, uint32_t i,
		    struct nnprog_operand *op);
};

/**
 * In place of a descriptor's infer(), for IF and WHILE in subgraph @from: its operands against
 * those of the subgraphs that it names, which come after @from. @out are the declared outputs;
 * their shapes become what follows.
 */
int nnprog_control_infer(const struct nnprog_graphs *g, uint32_t from, uint32_t opcode,
			 const void *attrs, const struct nnprog_operand *in, uint32_t num_in,
			 struct nnprog_operand *out, uint32_t num_out, struct nnprog_error *err);

/** Which subgraphs are used by which: each one by an earlier one, none too deep. */
int nnprog_verify_nesting(const struct nnprog *prog, struct nnprog_error *err);

/** Type and quantization of one tensor. Text of what is wrong, or NULL. */
const char *nnprog_check_quantization(const struct nnprog_operand *op);
/** Whether all of @count per-channel scales are positive numbers. */
bool nnprog_check_scales(const float *scales, uint32_t count);

#endif
