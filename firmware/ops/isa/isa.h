/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets. A family of kernels (a folder of firmware/ops: half/, q8_gemm/, ...) declares a
 * struct of functions in its header and defines one per instruction set, in a file named after both
 * (half/half_scalar.c, half/half_avx2.c). isa.c has the table of all; one row is chosen when the
 * firmware starts and serves the process until it ends, because what load() has packed is for that
 * row.
 *
 * The scalar kernels define the results: for integers every row gives the same bits, for floats
 * what Documentation/operations.rst allows.
 *
 * A row that needs a grant of the kernel (AMX) is not worth it to small programs: nnfw_isa() passes
 * it over, and heavy programs ask for it (nnfw_isa_heavy()). Its kernels use what those of the row
 * before it have packed.
 *
 * Files of a family never call nnfw_isa(): operations choose, kernels compute.
 */
#ifndef NNFW_ISA_H
#define NNFW_ISA_H

#include <stdbool.h>
#include <stddef.h>

/** A row of the table. A row without a kernel of its own has that of the row which it builds on. */
struct nnfw_isa {
	const char *name; /* for NNACCEL_ISA */
	/** Processor and operating system allow it. */
	bool (*usable)(void);
	/** Whether the kernel has granted what the row needs; NULL: the row needs no grant. */
	bool (*granted)(void);
	/** Request the grant: for NNACCEL_ISA and for heavy programs. */
	bool (*ask)(void);
	const struct nnfw_columns_kernels *columns;
	const struct nnfw_f32_binary_kernels *f32_binary;
	const struct nnfw_f32_depthwise_kernels *f32_depthwise;
	const struct nnfw_f32_gemm_kernels *f32_gemm;
	const struct nnfw_f32_math_kernels *f32_math;
	const struct nnfw_half_kernels *half;
	const struct nnfw_q8_arg_kernels *q8_arg;
	const struct nnfw_q8_binary_kernels *q8_binary;
	const struct nnfw_q8_depthwise_kernels *q8_depthwise;
	const struct nnfw_q8_dot_kernels *q8_dot;
	const struct nnfw_q8_gemm_kernels *q8_gemm;
	const struct nnfw_q8_map_kernels *q8_map;
	const struct nnfw_q8_pool_kernels *q8_pool;
	const struct nnfw_q8_softmax_kernels *q8_softmax;
	const struct nnfw_resize_rows_kernels *resize_rows;
};

/**
 * The row of this process: the one that NNACCEL_ISA names, else the last of the table that is
 * usable and needs no grant. The first call decides; any thread.
 */
const struct nnfw_isa *nnfw_isa(void);

/**
 * The row of a program with many 8-bit products: the last of the table that is usable, and granted
 * now at the latest, if its products are right (nnfw_q8_gemm_agree()); else, and where NNACCEL_ISA
 * names a row, nnfw_isa(). Any thread.
 */
const struct nnfw_isa *nnfw_isa_heavy(void);

/**
 * Whether NNACCEL_ISA can be obeyed. 0, or -EINVAL with a line in the log: no such row, or not
 * usable here; nnfw_isa() then gives "scalar".
 */
int nnfw_isa_check(void);

/** Row @i of the table, worst first; NULL: there are fewer. */
const struct nnfw_isa *nnfw_isa_row(size_t i);

#endif
