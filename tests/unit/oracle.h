/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected results of device operations, written from their definitions alone and without the
 * kernels' code: index arithmetic element by element, real numbers in double, integers in 64 bits.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stdint.h>

#include "nnprog_attrs.h"
#include "nnfw_op.h"

/** Element @i as it is stored; float16 decoded. */
double oracle_number(const struct nnfw_tensor *t, uint64_t i);
/** Store a number that the type can hold; floats are rounded. */
void oracle_set_number(const struct nnfw_tensor *t, uint64_t i, double v);
/** The real value: integers less the zero point, times the scale. */
double oracle_real(const struct nnfw_tensor *t, uint64_t i);

bool oracle_is_float(const struct nnfw_tensor *t);

/** Flat index of @at in row-major @dims. */
uint64_t oracle_flat(uint32_t rank, const uint32_t *dims, const uint32_t *at);
/** The opposite. */
void oracle_unflat(uint32_t rank, const uint32_t *dims, uint64_t i, uint32_t *at);

/** Nearest integer, ties to even; by the fraction, not by the rounding mode. */
double oracle_round_even(double x);
double oracle_round_away(double x);

/** Range of codes under a fused activation; operations' definition, section Fused activation. */
void oracle_code_range(const struct nnfw_tensor *out, uint32_t activation, double *lo, double *hi);
double oracle_activate(double x, uint32_t activation);

/** The requantization rule. */
double oracle_requantize(int64_t acc, double s_in, double s_w, const struct nnfw_tensor *out,
			 uint32_t activation);

/** Each fills @want with out->elements values: numbers to store (codes for 8 bits). */
void oracle_conv(const struct nnprog_attr_conv2d *a, bool depthwise, const struct nnfw_tensor *in,
		 const struct nnfw_tensor *out, double *want);
void oracle_fully_connected(const struct nnprog_attr_act *a, const struct nnfw_tensor *in,
			    const struct nnfw_tensor *out, double *want);
void oracle_pool(const struct nnprog_attr_pool2d *a, const struct nnfw_tensor *in,
		 const struct nnfw_tensor *out, double *want);
void oracle_resize(const struct nnprog_attr_resize *a, const struct nnfw_tensor *in,
		   const struct nnfw_tensor *out, double *want);

/**
 * Assert that @out holds @want: integers exactly, float32 1e-5 + 1e-5|x|, float16 5 * 2^-10 * (1 +
 * |x|).
 */
void oracle_compare(const struct nnfw_tensor *out, const double *want, const char *what);

#endif
