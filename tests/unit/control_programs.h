/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs with IF and WHILE for tests of the format and of the firmware's core, and the steps that
 * they are built of. A step that the builder refuses ends the test program; what is to be refused
 * is left to control_end_error().
 */
#ifndef CONTROL_PROGRAMS_H
#define CONTROL_PROGRAMS_H

#include "core_programs.h"
#include "nnprog_builder.h"

#define CONTROL_DIMS(...)   \
	(const uint32_t[])  \
	{                   \
		__VA_ARGS__ \
	}
#define CONTROL_LIST(...)                  \
	(const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t)
#define UNKNOWN NNPROG_DIM_UNKNOWN

/** Begins main. */
struct nnprog_builder *control_begin(void);
/** The next subgraph; its number. */
uint32_t control_graph(struct nnprog_builder *b);
uint32_t control_tensor(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t rank,
			const uint32_t *dims);
/** Rank 1 of @n elements. */
uint32_t control_vector(struct nnprog_builder *b, uint32_t dtype, uint32_t kind, uint32_t n);
/** INT32 [1] or FLOAT32 [1] constants. */
uint32_t control_int(struct nnprog_builder *b, int32_t value);
uint32_t control_float(struct nnprog_builder *b, float value);
void control_binary(struct nnprog_builder *b, uint32_t kind, uint32_t x, uint32_t y, uint32_t out);
/** out BOOL8 = x != 0 */
void control_nonzero(struct nnprog_builder *b, uint32_t x, uint32_t out);
void control_op(struct nnprog_builder *b, uint32_t opcode, const void *attrs, size_t size,
		const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out);
void control_if(struct nnprog_builder *b, uint32_t then_graph, uint32_t else_graph,
		const uint32_t *in, uint32_t num_in, const uint32_t *out, uint32_t num_out);
void control_while(struct nnprog_builder *b, uint32_t condition, uint32_t body, const uint32_t *in,
		   uint32_t num_in, const uint32_t *out, uint32_t num_out);
void control_io(struct nnprog_builder *b, const uint32_t *in, uint32_t num_in, const uint32_t *out,
		uint32_t num_out);
/** Finish and destroy. */
struct core_program control_end(struct nnprog_builder *b);
/** The same for a program that must be refused. Returns the message. */
struct nnprog_error control_end_error(struct nnprog_builder *b);

/** Subgraph x [n], k INT32 [1] -> BOOL8: k != 0. */
uint32_t control_graph_count(struct nnprog_builder *b, uint32_t n);
/** Subgraph x [n] float, k -> x + 1, k - 1. */
uint32_t control_graph_step(struct nnprog_builder *b, uint32_t n);

/** condition BOOL8 [1], x [n] float -> condition ? x + x : x * x. @n, @inner: may be UNKNOWN. */
struct core_program program_if(uint32_t n, uint32_t inner);
/** x [n] float, k INT32 [1] -> k times x + 1, and k. @inner: extents inside the loop. */
struct core_program program_count(uint32_t n, uint32_t inner);
/** x [n] float, k INT32 [1] -> x and 3 more elements (7, 8, 9) an iteration; @n may be UNKNOWN. */
struct core_program program_grow(uint32_t n);
/** x [1] float, k, j INT32 [1] -> x + k * j, by two loops. */
struct core_program program_nested(void);
/** x [1] float, which must not be 0 -> never. */
struct core_program program_endless(void);
/** Endless inside a loop that runs as often as k INT32 [1] says. */
struct core_program program_endless_inside(void);

#endif
