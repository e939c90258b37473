/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pixels whose taps are each other's neighbours: an input is loaded once for all of them, where the
 * general tile loads it for each tap. The order of every sum is the same. Included once by a row of
 * the table, which defines
 *
 * LANES, INLINE, vector, lanes (which of a vector's are there), lanes_first(n), load(p, lanes),
 * store(p, vector, lanes), multiply_add(a, b, sum), clamp(a, lo, hi), IN_REGISTER (the constraint
 * of a vector register that is read and written).
 */
#define NEAR_PIXELS 8
#define NEAR_COLUMNS 5

/*
 * @p pixels from pixel @i on, the channels @k from @c on. @x taps in a row; a pixel is @step of
 * them to the right of the one before.
 */
INLINE void near_tile(const struct nnfw_f32_depthwise *d, size_t i, size_t c, lanes k,
		      const size_t p, const size_t x, const size_t step)
{
	const float *in = d->in + i * d->pixel + c, *taps = d->taps + c;
	float *out = d->out + i * d->out_pixel + c;
	vector sums[NEAR_PIXELS], f[NEAR_COLUMNS];

#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++)
		sums[n] = load(d->more ? out + n * d->out_pixel : d->bias + c, k);
	for (size_t y = 0; y < d->rows; y++, in += d->row, taps += d->tap_row) {
		const float *at = in;

#pragma GCC unroll 5
		for (size_t t = 0; t < x; t++)
			f[t] = load(taps + t * d->tap_column, k);
#pragma GCC unroll 20
		for (size_t q = 0; q < (p - 1) * step + x; q++) {
			vector a = load(at, k);

			/* compilers load it again for each use, by an address of its own */
			__asm__("" : IN_REGISTER(a));
			at += d->column;
			__asm__("" : "+r"(at));
#pragma GCC unroll 5
			for (size_t t = q % step; t < x; t += step)
				if (q >= t && (q - t) / step < p)
					sums[(q - t) / step] =
						multiply_add(a, f[t], sums[(q - t) / step]);
		}
	}
#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++)
		store(out + n * d->out_pixel, clamp(sums[n], d->lo, d->hi), k);
}

INLINE void near_channels(const struct nnfw_f32_depthwise *d, size_t i, const size_t p,
			  const size_t x, const size_t step)
{
	size_t c = d->first;

	for (; c + LANES <= d->end; c += LANES)
		near_tile(d, i, c, lanes_first(LANES), p, x, step);
	if (c < d->end)
		near_tile(d, i, c, lanes_first(d->end - c), p, x, step);
}

INLINE size_t near_row(const struct nnfw_f32_depthwise *d, const size_t x, const size_t step)
{
	size_t i = 0;

	for (; i + 8 <= d->pixels; i += 8)
		near_channels(d, i, 8, x, step);
	switch (d->pixels - i) {
	case 7:
	case 6:
		near_channels(d, i, 6, x, step);
		return i + 6;
	case 5:
		near_channels(d, i, 5, x, step);
		return i + 5;
	case 4:
		near_channels(d, i, 4, x, step);
		return i + 4;
	default:
		return i;
	}
}

/* How many pixels were computed, from the first one on. */
INLINE size_t near_pixels(const struct nnfw_f32_depthwise *d)
{
	if (d->multiplier != 1)
		return 0;
	if (d->pixel == d->column && d->columns == 3)
		return near_row(d, 3, 1);
	if (d->pixel == d->column && d->columns == 5)
		return near_row(d, 5, 1);
	if (d->pixel == 2 * d->column && d->columns == 3)
		return near_row(d, 3, 2);
	return 0;
}
