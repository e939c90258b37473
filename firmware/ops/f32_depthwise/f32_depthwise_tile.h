/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any pixels and channels, with several input pixels and vectors at a time. Included once by a row
 * of the table, which defines LANES, vector, integers (as many), lanes (which of a vector's are
 * there), lanes_first(n), load(p, lanes), store(p, vector, lanes), integers_load(p),
 * gather(p, integers, lanes), multiply_add(a, b, sum), clamp(a, lo, hi).
 */
#define PIXELS 8
#define VECTORS 4

/* Input channels of output channels from @c on. */
INLINE integers inputs(size_t c, size_t multiplier)
{
	int index[LANES];

	for (size_t i = 0; i < LANES; i++)
		index[i] = (int)((c + i) / multiplier);
	return integers_load(index);
}

/* @p pixels from pixel @i on, @v vectors of channels from @c on, each with the lanes of @k. */
INLINE void tile(const struct nnfw_f32_depthwise *d, size_t i, size_t c, const size_t p,
		 const size_t v, lanes k, const bool many)
{
	const integers index = many ? inputs(c, d->multiplier) : (integers){ 0 };
	float *out = d->out + i * d->out_pixel + c;
	const float *in[PIXELS];
	vector sums[PIXELS][VECTORS];

#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++) {
		in[n] = d->in + (i + n) * d->pixel + (many ? 0 : c);
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			sums[n][j] = load(
				(d->more ? out + n * d->out_pixel : d->bias + c) + j * LANES, k);
	}
	for (size_t y = 0; y < d->rows; y++) {
		const float *taps = d->taps + y * d->tap_row + c;
		size_t at = y * d->row;

		for (size_t x = 0; x < d->columns; x++, at += d->column, taps += d->tap_column) {
#pragma GCC unroll 4
			for (size_t j = 0; j < v; j++) {
				const vector f = load(taps + j * LANES, k);

#pragma GCC unroll 8
				for (size_t n = 0; n < p; n++) {
					const float *from = in[n] + at + j * LANES;
					const vector a = many ? gather(from, index, k)
							      : load(from, k);

					sums[n][j] = multiply_add(a, f, sums[n][j]);
				}
			}
		}
	}
#pragma GCC unroll 8
	for (size_t n = 0; n < p; n++) {
#pragma GCC unroll 4
		for (size_t j = 0; j < v; j++)
			store(out + n * d->out_pixel + j * LANES, clamp(sums[n][j], d->lo, d->hi),
			      k);
	}
}

/* All channels of @p pixels from @i on, @v vectors at a time. */
INLINE void channels(const struct nnfw_f32_depthwise *d, size_t i, const size_t p, const size_t v)
{
	const lanes all = lanes_first(LANES), last = lanes_first((d->end - d->first) % LANES);
	size_t c = d->first;

	if (d->multiplier != 1) {
		for (; c + LANES <= d->end; c += LANES)
			tile(d, i, c, p, 1, all, true);
		if (c < d->end)
			tile(d, i, c, p, 1, last, true);
		return;
	}
	for (; c + v * LANES <= d->end; c += v * LANES)
		tile(d, i, c, p, v, all, false);
	for (; v > 1 && c + LANES <= d->end; c += LANES)
		tile(d, i, c, p, 1, all, false);
	if (c < d->end)
		tile(d, i, c, p, 1, last, false);
}
