// SPDX-License-Identifier: Apache-2.0
/* Totals and self times, as the reference and as strict mode compute them. */
#include <math.h>
#include <string.h>

#include "nntp.h"

static const uint8_t main_phases[] = { NNTP_PI, NNTP_PP, NNTP_PC, NNTP_PE, NNTP_PT };
static const uint8_t execution_parts[] = { NNTP_PIO, NNTP_PTR, NNTP_PCO, NNTP_PR };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool is_part(unsigned int phase)
{
	return memchr(execution_parts, (int)phase, sizeof(execution_parts)) != NULL;
}

/*
 * 0 means unknown where marks are optional: in the application, and in the parts of the driver's
 * execution.
 */
static double totals_known(unsigned int layer, unsigned int phase, double ms)
{
	if (ms == 0 && (layer == NNTP_LA || (layer == NNTP_LD && is_part(phase))))
		return NAN;
	return ms;
}

static double or_zero(double ms)
{
	return isnan(ms) ? 0 : ms;
}

static double maximum(const double *layers)
{
	double max = NAN;

	for (unsigned int l = 0; l < NNTP_TABLE_LAYERS; l++)
		if (!isnan(layers[l]) && !(layers[l] <= max))
			max = layers[l];
	return or_zero(max);
}

/*
 * The time of a layer minus that of the next lower layer that has any. @queries: the driver had
 * calls, but no executions.
 */
static void subtract_below(const double *total, double *self, bool queries)
{
	double below = 0;

	for (unsigned int l = 0; l < NNTP_TABLE_LAYERS; l++) {
		double t = total[l];

		self[l] = t;
		if (isnan(t) || t == 0)
			continue;
		if (queries && l == NNTP_LD)
			continue;
		if (queries && l == NNTP_LI) {
			self[l] = t - or_zero(total[NNTP_LD]);
			continue;
		}
		self[l] = t - below;
		below = t;
	}
}

/* strict: driver and CPU are both directly below the runtime. */
static void subtract_below_strictly(const double *total, double *self)
{
	double device = or_zero(total[NNTP_LI]) != 0 ? total[NNTP_LI] : or_zero(total[NNTP_LD]);
	double below = device + or_zero(total[NNTP_LC]);

	for (unsigned int l = 0; l < NNTP_TABLE_LAYERS; l++)
		self[l] = total[l];
	if (or_zero(total[NNTP_LI]) != 0)
		self[NNTP_LI] = total[NNTP_LI] - or_zero(total[NNTP_LD]);
	if (or_zero(total[NNTP_LR]) != 0) {
		self[NNTP_LR] = total[NNTP_LR] - below;
		below = total[NNTP_LR];
	}
	if (or_zero(total[NNTP_LA]) != 0)
		self[NNTP_LA] = total[NNTP_LA] - below;
}

static void finish_phase(struct nntp_table *t, unsigned int phase, bool strict)
{
	t->total[phase][NNTP_LT] = maximum(t->total[phase]);
	if (strict)
		subtract_below_strictly(t->total[phase], t->self[phase]);
	else
		subtract_below(t->total[phase], t->self[phase],
			       phase == NNTP_PO && or_zero(t->total[NNTP_PE][NNTP_LD]) == 0);
	t->self[phase][NNTP_LT] = t->total[phase][NNTP_LT];
}

/*
 * strict: the own time of a layer is its sum over the phases; the rest of the whole is the
 * application's.
 */
static void finish_overall_strictly(struct nntp_table *t)
{
	double rest = t->total[NNTP_PO][NNTP_LA];

	for (unsigned int l = 0; l < NNTP_LA; l++) {
		double sum = 0;

		for (size_t p = 0; p < COUNT(main_phases); p++)
			sum += or_zero(t->self[main_phases[p]][l]);
		t->self[NNTP_PO][l] = sum;
		rest -= sum;
	}
	t->self[NNTP_PO][NNTP_LA] = rest;
}

static void fill_table(struct nntp_table *t, const struct run_sums *sums, unsigned int loops,
		       bool strict, bool whole)
{
	memset(t, 0, sizeof(*t));
	for (unsigned int p = 0; p < NNTP_TABLE_PHASES; p++) {
		for (unsigned int l = 0; l < NNTP_TABLE_LAYERS; l++) {
			int64_t ns = 0;

			for (unsigned int i = 0; i < NNTP_LOOPS; i++) {
				/*
				 * the reference loses the time of loops without executions
				 */
				if (whole || loops & (1u << i))
					t->nodes[p][l] += sums->cells[i][l][p].nodes;
				if (loops & (1u << i))
					ns += sums->cells[i][l][p].ns;
			}
			t->total[p][l] = totals_known(l, p, (double)ns / 1e6);
		}
	}
	for (unsigned int l = 0; whole && l < NNTP_LA; l++) {
		double sum = 0;

		for (size_t p = 0; p < COUNT(main_phases); p++)
			sum += or_zero(t->total[main_phases[p]][l]);
		if (t->total[NNTP_PO][l] == 0)
			t->total[NNTP_PO][l] = sum;
	}
	for (unsigned int p = 0; p < NNTP_TABLE_PHASES; p++)
		finish_phase(t, p, strict);
	if (whole && strict)
		finish_overall_strictly(t);
}

void totals_of(const struct run_sums *sums, struct nntp_run *run)
{
	const unsigned int every = (1u << NNTP_LOOPS) - 1;
	bool warmup = sums->executions[NNTP_IN_WARMUP] > 0,
	     benchmark = sums->executions[NNTP_IN_BENCHMARK] > 0;

	memcpy(run->executions, sums->executions, sizeof(run->executions));
	run->has_loops = warmup && benchmark;
	/*
	 * With only one of the two loops, the reference has a single table.
	 */
	fill_table(&run->all, sums, run->strict || warmup || benchmark ? every : 1u << NNTP_IN_NONE,
		   run->strict, true);
	for (unsigned int i = NNTP_IN_WARMUP; run->has_loops && i < NNTP_LOOPS; i++)
		fill_table(&run->loops[i], sums, 1u << i, run->strict, false);
	run->executions_shown = run->has_loops ? sums->executions[NNTP_IN_BENCHMARK]
					       : sums->executions[NNTP_IN_NONE] +
							 sums->executions[NNTP_IN_WARMUP] +
							 sums->executions[NNTP_IN_BENCHMARK];
}

const struct nntp_table *per_execution_table(const struct nntp_run *run)
{
	return run->has_loops ? &run->loops[NNTP_IN_BENCHMARK] : &run->all;
}
