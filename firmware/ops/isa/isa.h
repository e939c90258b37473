/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instruction sets. A family of kernels (a folder of firmware/ops: half/, q8_gemm/, ...) declares a
 * struct of functions in its header and defines one per instruction set, in a file named after both
 * (half/half_scalar.c, half/half_avx2.c). isa.c has the table of all: a row has the kernels that
 * differ from those of the row which it extends. One row is chosen when the firmware starts and
 * serves the process until it ends, because what load() has packed is for that row. The table is
 * constant data, so no kernel can be replaced at run time.
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

/** X(family) for each family of kernels. */
#define NNFW_FAMILIES(X) \
	X(columns)       \
	X(f32_binary)    \
	X(f32_depthwise) \
	X(f32_gemm)      \
	X(f32_math)      \
	X(half)          \
	X(q8_arg)        \
	X(q8_binary)     \
	X(q8_depthwise)  \
	X(q8_dot)        \
	X(q8_gemm)       \
	X(q8_map)        \
	X(q8_pool)       \
	X(q8_softmax)    \
	X(resize_rows)

/** A row of the table. */
struct nnfw_isa {
	const char *name; /* for NNACCEL_ISA */
	/** The row that this one extends; NULL: the first, which has kernels of each family. */
	const struct nnfw_isa *base;
	/** Processor and operating system allow it. */
	bool (*usable)(void);
	/** Whether the kernel has granted what the row needs; NULL: the row needs no grant. */
	bool (*granted)(void);
	/** Request the grant: for NNACCEL_ISA and for heavy programs. */
	bool (*ask)(void);
	/* Its own kernels; NULL: those of @base. NNFW_KERNELS_OF() finds them. */
#define NNFW_FAMILY(family) const struct nnfw_##family##_kernels *family;
	NNFW_FAMILIES(NNFW_FAMILY)
#undef NNFW_FAMILY
};

/**
 * The row of this process: the one that NNACCEL_ISA names, else the last of the table that is
 * usable and needs no grant. The first call decides; any thread.
 */
const struct nnfw_isa *nnfw_isa(void);

/** The kernels of @family for @row: its own, or those of the nearest row that it extends. */
#define NNFW_KERNELS_OF(row, family)                  \
	({                                            \
		const struct nnfw_isa *with_ = (row); \
                                                      \
		while (!with_->family)                \
			with_ = with_->base;          \
		with_->family;                        \
	})

/** The kernels of @family for this process. */
#define NNFW_KERNELS(family) NNFW_KERNELS_OF(nnfw_isa(), family)

/**
 * The row of a program with many 8-bit products: the last of the table that is usable, and granted
 * now at the latest, if its products are right (nnfw_q8_gemm_agree()); else, and where NNACCEL_ISA
 * names a row, nnfw_isa(). Any thread.
 */
const struct nnfw_isa *nnfw_isa_heavy(void);

/**
 * Whether NNACCEL_ISA can be obeyed. 0, or -EINVAL with a line in the log that lists the rows which
 * are usable: no such row, or not usable here; nnfw_isa() then gives "scalar".
 */
int nnfw_isa_check(void);

/** Row @i of the table, worst first; NULL: there are fewer. */
const struct nnfw_isa *nnfw_isa_row(size_t i);

#endif
