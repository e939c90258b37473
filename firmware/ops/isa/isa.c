// SPDX-License-Identifier: Apache-2.0
/* The table of instruction sets, and the choice of a row. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "isa/isa.h"
#include "isa/usable.h"
#include "nnutil_text.h"
#include "nnutil_log.h"
#include "nnutil_process.h"
#include "q8_gemm/q8_gemm_agree.h"

/* A family's kernels for a row are in the file that is named after both; not every row has some. */
#define DECLARE_FOR(family, row) extern const struct nnfw_##family##_kernels nnfw_##family##_##row;
#define DECLARE(family)                 \
	DECLARE_FOR(family, scalar)     \
	DECLARE_FOR(family, avx2)       \
	DECLARE_FOR(family, avxvnni)    \
	DECLARE_FOR(family, avx512)     \
	DECLARE_FOR(family, avx512vnni) \
	DECLARE_FOR(family, amx)        \
	DECLARE_FOR(family, neon)       \
	DECLARE_FOR(family, dotprod)    \
	DECLARE_FOR(family, i8mm)
NNFW_FAMILIES(DECLARE)

/* Worst first. */
enum {
	SCALAR,
#if defined(NNFW_SCALAR_ONLY)
#elif defined(__x86_64__)
	AVX2,
	AVXVNNI,
	AVX512,
	AVX512VNNI,
	AMX,
#elif defined(__aarch64__)
	NEON,
	DOTPROD,
	I8MM,
#endif
	NUM_ROWS,
};

static const struct nnfw_isa rows[NUM_ROWS] = {
	[SCALAR] = {
		.name = "scalar",
		.usable = nnfw_usable_always,
		.columns = &nnfw_columns_scalar,
		.f32_binary = &nnfw_f32_binary_scalar,
		.f32_depthwise = &nnfw_f32_depthwise_scalar,
		.f32_gemm = &nnfw_f32_gemm_scalar,
		.f32_math = &nnfw_f32_math_scalar,
		.half = &nnfw_half_scalar,
		.q8_arg = &nnfw_q8_arg_scalar,
		.q8_binary = &nnfw_q8_binary_scalar,
		.q8_depthwise = &nnfw_q8_depthwise_scalar,
		.q8_dot = &nnfw_q8_dot_scalar,
		.q8_gemm = &nnfw_q8_gemm_scalar,
		.q8_map = &nnfw_q8_map_scalar,
		.q8_pool = &nnfw_q8_pool_scalar,
		.q8_softmax = &nnfw_q8_softmax_scalar,
		.resize_rows = &nnfw_resize_rows_scalar,
	},
#if defined(NNFW_SCALAR_ONLY)
#elif defined(__x86_64__)
	[AVX2] = {
		.name = "avx2",
		.base = &rows[SCALAR],
		.usable = nnfw_usable_avx2,
		.columns = &nnfw_columns_avx2,
		.f32_binary = &nnfw_f32_binary_avx2,
		.f32_depthwise = &nnfw_f32_depthwise_avx2,
		.f32_gemm = &nnfw_f32_gemm_avx2,
		.f32_math = &nnfw_f32_math_avx2,
		.half = &nnfw_half_avx2,
		.q8_arg = &nnfw_q8_arg_avx2,
		.q8_binary = &nnfw_q8_binary_avx2,
		.q8_depthwise = &nnfw_q8_depthwise_avx2,
		.q8_dot = &nnfw_q8_dot_avx2,
		.q8_gemm = &nnfw_q8_gemm_avx2,
		.q8_map = &nnfw_q8_map_avx2,
		.q8_pool = &nnfw_q8_pool_avx2,
		.q8_softmax = &nnfw_q8_softmax_avx2,
		.resize_rows = &nnfw_resize_rows_avx2,
	},
	[AVXVNNI] = {
		.name = "avxvnni",
		.base = &rows[AVX2],
		.usable = nnfw_usable_avxvnni,
		.q8_depthwise = &nnfw_q8_depthwise_avxvnni,
		.q8_gemm = &nnfw_q8_gemm_avxvnni,
	},
	[AVX512] = {
		.name = "avx512",
		.base = &rows[AVX2],
		.usable = nnfw_usable_avx512,
		.columns = &nnfw_columns_avx512,
		.f32_binary = &nnfw_f32_binary_avx512,
		.f32_depthwise = &nnfw_f32_depthwise_avx512,
		.f32_gemm = &nnfw_f32_gemm_avx512,
		.f32_math = &nnfw_f32_math_avx512,
		.q8_arg = &nnfw_q8_arg_avx512,
		.q8_binary = &nnfw_q8_binary_avx512,
		.q8_map = &nnfw_q8_map_avx512,
		.q8_pool = &nnfw_q8_pool_avx512,
		.q8_softmax = &nnfw_q8_softmax_avx512,
		.resize_rows = &nnfw_resize_rows_avx512,
	},
	[AVX512VNNI] = {
		.name = "avx512vnni",
		.base = &rows[AVX512],
		.usable = nnfw_usable_avx512vnni,
		.q8_depthwise = &nnfw_q8_depthwise_avx512vnni,
		.q8_dot = &nnfw_q8_dot_avx512vnni,
		.q8_gemm = &nnfw_q8_gemm_avx512vnni,
	},
	[AMX] = {
		.name = "amx",
		.base = &rows[AVX512VNNI],
		.usable = nnfw_usable_amx,
		.granted = nnutil_tiles_allowed,
		.ask = nnutil_tiles_ask,
		.q8_gemm = &nnfw_q8_gemm_amx,
	},
#elif defined(__aarch64__)
	[NEON] = {
		.name = "neon",
		.base = &rows[SCALAR],
		.usable = nnfw_usable_always,
		.f32_depthwise = &nnfw_f32_depthwise_neon,
		.f32_gemm = &nnfw_f32_gemm_neon,
		.f32_math = &nnfw_f32_math_neon,
		.half = &nnfw_half_neon,
		.q8_depthwise = &nnfw_q8_depthwise_neon,
		.q8_dot = &nnfw_q8_dot_neon,
		.q8_gemm = &nnfw_q8_gemm_neon,
		.q8_map = &nnfw_q8_map_neon,
	},
	[DOTPROD] = {
		.name = "dotprod",
		.base = &rows[NEON],
		.usable = nnfw_usable_dotprod,
		.q8_dot = &nnfw_q8_dot_dotprod,
		.q8_gemm = &nnfw_q8_gemm_dotprod,
	},
	[I8MM] = {
		.name = "i8mm",
		.base = &rows[DOTPROD],
		.usable = nnfw_usable_i8mm,
		.q8_gemm = &nnfw_q8_gemm_i8mm,
	},
#endif
};

const struct nnfw_isa *nnfw_isa_row(size_t i)
{
	return i < NUM_ROWS ? &rows[i] : NULL;
}

/* The row of that name if it is usable. */
static const struct nnfw_isa *named(const char *name)
{
	for (size_t i = 0; i < NUM_ROWS; i++) {
		if (strcmp(rows[i].name, name))
			continue;
		if (!rows[i].usable() || (rows[i].ask && !rows[i].ask()))
			return NULL;
		return &rows[i];
	}
	return NULL;
}

static const struct nnfw_isa *best(void)
{
	size_t i = NUM_ROWS - 1;

	while (!rows[i].usable() || rows[i].ask)
		i--;
	return &rows[i];
}

const struct nnfw_isa *nnfw_isa(void)
{
	static const struct nnfw_isa *_Atomic chosen;
	const struct nnfw_isa *isa = atomic_load_explicit(&chosen, memory_order_relaxed);
	const char *name;

	/* constant data: threads that come together choose the same */
	if (isa)
		return isa;
	name = nnutil_env_text("NNACCEL_ISA");
	isa = name ? named(name) : best();
	isa = isa ? isa : &rows[0];
	atomic_store_explicit(&chosen, isa, memory_order_relaxed);
	return isa;
}

static pthread_mutex_t heavy_lock = PTHREAD_MUTEX_INITIALIZER;

/* Whether the products of @row are right: they are compared once. */
static bool row_agrees(const struct nnfw_isa *row)
{
	static enum { NEW, RIGHT, WRONG } state;
	bool right;

	pthread_mutex_lock(&heavy_lock);
	if (state == NEW) {
		state = nnfw_q8_gemm_agree(NNFW_KERNELS(q8_gemm), row->q8_gemm) ? RIGHT : WRONG;
		if (state == WRONG)
			nnutil_log(
				NNUTIL_LOG_ERROR,
				"instruction set %s: a product is wrong on this machine; %s is used",
				row->name, nnfw_isa()->name);
	}
	right = state == RIGHT;
	pthread_mutex_unlock(&heavy_lock);
	return right;
}

const struct nnfw_isa *nnfw_isa_heavy(void)
{
	const struct nnfw_isa *row = &rows[NUM_ROWS - 1];

	if (!row->ask || nnutil_env_text("NNACCEL_ISA") || !row->usable())
		return nnfw_isa();
	if (!row->granted() && !row->ask()) {
		nnutil_log(NNUTIL_LOG_DEBUG,
			   "instruction set %s: the kernel refuses it; %s is used", row->name,
			   nnfw_isa()->name);
		return nnfw_isa();
	}
	return row_agrees(row) ? row : nnfw_isa();
}

int nnfw_isa_check(void)
{
	const char *name = nnutil_env_text("NNACCEL_ISA");
	char have[128] = "";

	if (!name || named(name))
		return 0;
	/* a row of that name that is usable: the kernel refuses the grant */
	for (size_t i = 0; i < NUM_ROWS; i++)
		if (rows[i].usable() && strcmp(rows[i].name, name))
			snprintf(have + strlen(have), sizeof(have) - strlen(have), " %s",
				 rows[i].name);
	nnutil_log(NNUTIL_LOG_ERROR,
		   "NNACCEL_ISA=%s: this machine has no such instruction set; it has%s", name,
		   have);
	return -EINVAL;
}
