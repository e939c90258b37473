/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the rows with vectors, so that all have the same bits. The file of a row has
 * defined, before it includes this: vec, LANES, struct sums, and
 *
 *	v_set, v_add, v_sub, v_mul, v_div, v_and, v_or, v_abs
 *	v_fma(a, b, c), v_fnma(a, b, c)	a b + c, c - a b, rounded once
 *	v_min(a, b), v_max(a, b)	b if one is a NaN
 *	v_round				to nearest, ties to even
 *	v_power(k)			2^k of integers of [-126, 127]
 *	v_load, v_store, v_load_part, v_store_part	the part: the first n lanes, others 0
 *	v_sums_load, v_sums_store, v_sums_add	NNFW_F32_SUMS sums, lane i to i % NNFW_F32_SUMS
 */

/*
 * exp(x) = 2^k (1 + result) of |x| up to 105: x = k ln 2 + r, and the series of exp(r) - 1, |r| <=
 * ln 2 / 2, to the seventh power.
 */
INLINE vec exp_parts(vec x, vec *k)
{
	vec n = v_round(v_mul(x, v_set(1.44269504f)));
	/* ln 2 in two parts, the first with zeros at its end */
	vec r = v_fnma(n, v_set(0.693359375f), x), p = v_set(1.0f / 5040);

	r = v_fnma(n, v_set(-2.12194440e-4f), r);
	p = v_fma(p, r, v_set(1.0f / 720));
	p = v_fma(p, r, v_set(1.0f / 120));
	p = v_fma(p, r, v_set(1.0f / 24));
	p = v_fma(p, r, v_set(1.0f / 6));
	p = v_fma(p, r, v_set(1.0f / 2));
	*k = n;
	return v_fma(p, v_mul(r, r), r);
}

/* Below -105 the result is 0, above 89 infinity: two powers, because one of 2^129 or 2^-152 is
 * none. */
INLINE vec exp_of(vec x)
{
	vec k, p, half, power;

	/* NaN is the second operand, which stays */
	p = exp_parts(v_min(v_set(89), v_max(v_set(-105), x)), &k);
	half = v_round(v_mul(k, v_set(0.5f)));
	power = v_power(half);
	return v_mul(v_fma(power, p, power), v_power(v_sub(k, half)));
}

/* Of [-88, 0]. */
INLINE vec exp_less_one(vec x)
{
	vec k, p = exp_parts(x, &k), power = v_power(k);

	return v_fma(power, p, v_sub(power, v_set(1)));
}

INLINE vec expm1_of(vec x)
{
	return exp_less_one(v_max(v_set(-88), x));
}

INLINE vec sigmoid_of(vec x)
{
	vec k, p, power, one = v_set(1);

	x = v_min(v_set(88), v_max(v_set(-88), x));
	p = exp_parts(v_sub(v_set(0), x), &k);
	power = v_power(k);
	return v_div(one, v_add(one, v_fma(power, p, power)));
}

/* With e = exp(-2 |x|) - 1: -e / (2 + e) and the sign of x. */
INLINE vec tanh_of(vec x)
{
	vec sign = v_and(x, v_set(-0.0f)), size = v_min(v_set(20), v_abs(x));
	vec e = exp_less_one(v_mul(size, v_set(-2)));

	e = v_div(e, v_add(e, v_set(2)));
	/* not positive, but a NaN */
	return v_or(v_abs(e), sign);
}

INLINE void each(float *x, size_t n, vec (*f)(vec))
{
	size_t i = 0;

	for (; i + LANES <= n; i += LANES)
		v_store(x + i, f(v_load(x + i)));
	if (i < n)
		v_store_part(x + i, n - i, f(v_load_part(x + i, n - i)));
}

static void sigmoids(float *x, size_t n)
{
	each(x, n, sigmoid_of);
}

static void tanhs(float *x, size_t n)
{
	each(x, n, tanh_of);
}

static void exps(float *x, size_t n)
{
	each(x, n, exp_of);
}

static void expm1s(float *x, size_t n)
{
	each(x, n, expm1_of);
}

static void exp_sums(float *x, size_t n, float max, float beta, double *sums)
{
	const vec m = v_set(max), b = v_set(beta);
	struct sums s = v_sums_load(sums);
	size_t i = 0;

	for (; i + LANES <= n; i += LANES) {
		vec e = exp_of(v_mul(v_sub(v_load(x + i), m), b));

		v_store(x + i, e);
		s = v_sums_add(s, e);
	}
	if (i < n) {
		vec e = exp_of(v_mul(v_sub(v_load_part(x + i, n - i), m), b));

		v_store_part(x + i, n - i, e);
		/* Without the other lanes. */
		s = v_sums_add(s, v_load_part(x + i, n - i));
	}
	v_sums_store(sums, s);
}

#define NNFW_F32_MATH_ROW                                                         \
	{                                                                         \
		.sigmoid = sigmoids, .tanh = tanhs, .exp = exps, .expm1 = expm1s, \
		.exp_sums = exp_sums                                              \
	}
