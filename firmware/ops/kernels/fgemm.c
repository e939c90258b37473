// SPDX-License-Identifier: Apache-2.0
/*
 * Products of floats, cut so that there is a tick each millisecond. Rows and columns of the result
 * are cut at multiples of what the library works on at once, so that every element is summed in the
 * order of the whole product. Only sums of more than MAX_K products are cut themselves.
 */
#include <errno.h>
#include <openblas-serial/cblas.h>

#include "kernels/blas_memory.h"
#include "kernels/fgemm.h"

/* Multiply-adds between two ticks: some hundred microseconds. */
#define TICK ((size_t)16 << 20)
#define MAX_K ((size_t)1 << 20)

static void product(const struct nnfw_gemm *g)
{
	if (g->vector)
		cblas_sgemv(CblasRowMajor, CblasNoTrans, (blasint)g->n, (blasint)g->k, 1, g->y,
			    (blasint)g->ldy, g->x, 1, g->keep, g->c, 1);
	else
		cblas_sgemm(CblasRowMajor, g->trans_x ? CblasTrans : CblasNoTrans,
			    g->trans_y ? CblasTrans : CblasNoTrans, (blasint)g->m, (blasint)g->n,
			    (blasint)g->k, 1, g->x, (blasint)g->ldx, g->y, (blasint)g->ldy, g->keep,
			    g->c, (blasint)g->ldc);
}

/* A part of @extent, a multiple of 16 and at most @limit if that is not less. Parts are of about
 * one size: for small ones the library has other routines, which sum in another order. */
static size_t piece(size_t extent, size_t limit)
{
	size_t parts = limit < extent ? (extent + limit - 1) / (limit ? limit : 1) : 1;

	return (extent / parts + 15) & ~(size_t)15;
}

int nnfw_gemm(struct nnfw_progress *progress, const struct nnfw_gemm *whole)
{
	struct nnfw_gemm g = *whole;
	size_t rows, columns, depth;

	if (nnfw_blas_enter())
		return -ENOMEM;
	if (g.m * g.k <= TICK / (g.n ? g.n : 1)) {
		product(&g);
		return 0;
	}
	depth = g.k > MAX_K ? MAX_K : g.k;
	rows = piece(g.m, TICK / depth / 64 ? TICK / depth / 64 : 1);
	columns = piece(g.n, TICK / depth / (rows < g.m ? rows : g.m) + 1);
	for (size_t i = 0; i < whole->m; i += g.m) {
		g.m = whole->m - i < rows + 16 ? whole->m - i : rows;
		for (size_t j = 0; j < whole->n; j += g.n) {
			g.n = whole->n - j < columns + 16 ? whole->n - j : columns;
			g.keep = whole->keep;
			g.c = whole->c + i * g.ldc + j;
			for (size_t k = 0; k < whole->k; k += depth) {
				int ret = nnfw_progress_tick(progress);

				if (ret)
					return ret;
				g.k = whole->k - k < depth ? whole->k - k : depth;
				g.x = whole->x + (g.trans_x ? k * g.ldx + i : i * g.ldx + k);
				g.y = whole->y + (g.trans_y ? j * g.ldy + k : k * g.ldy + j);
				product(&g);
				g.keep = 1;
			}
		}
	}
	return 0;
}
