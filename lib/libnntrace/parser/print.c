// SPDX-License-Identifier: Apache-2.0
/* The tables as text, in the exact layout of the reference, and as tab-separated values. */
#include <math.h>
#include <string.h>

#include "nntp.h"

static const char *const row_names[NNTP_TABLE_LAYERS + 1] = {
	[NNTP_LA] = "Application", [NNTP_LR] = "Runtime", [NNTP_LI] = "IPC",
	[NNTP_LD] = "Driver",	   [NNTP_LC] = "CPU",	  [NNTP_LT] = "Total",
};

/* Rows, top to bottom. */
static const unsigned int rows[] = { NNTP_LA, NNTP_LR, NNTP_LI, NNTP_LD, NNTP_LC, NNTP_LT };

#define NUM_ROWS (sizeof(rows) / sizeof(rows[0]))

typedef const double (*values_t)[NNTP_TABLE_LAYERS + 1];

static values_t values_of(const struct nntp_table *t, const struct nntp_format *format)
{
	return format->total_times ? t->total : t->self;
}

/* "12.34" right-aligned, with @suffix behind it; 0.00 is "-", an unknown value "n/a". */
static void print_cell(FILE *out, int width, double ms, const char *suffix)
{
	char text[400];

	snprintf(text, sizeof(text), "%.2f", ms);
	if (isnan(ms))
		strcpy(text, "n/a");
	else if (!strcmp(text, "0.00"))
		strcpy(text, "-");
	fprintf(out, "%*s%s", width, text, suffix);
}

/* The dash is in the column of the sign. */
static void print_percentage(FILE *out, double percent)
{
	char text[400];

	snprintf(text, sizeof(text), isnan(percent) ? "n/a%%" : "%.2f%%", percent);
	fprintf(out, "%14s\n", strcmp(text, "0.00%") ? text : "-");
}

static bool row_is_shown(values_t v, unsigned int layer)
{
	if (layer != NNTP_LC)
		return true;
	for (unsigned int p = 0; p < NNTP_TABLE_PHASES; p++)
		if (v[p][layer] > 0)
			return true;
	return false;
}

/* The phases between inputs and results. */
static double compute_of(values_t v, unsigned int layer)
{
	return v[NNTP_PE][layer] - v[NNTP_PIO][layer] - v[NNTP_PR][layer];
}

static void rule(FILE *out, int width)
{
	while (width--)
		fputc('=', out);
	fputc('\n', out);
}

static const char *heading(const struct nntp_format *format)
{
	return format->total_times ? "NNAPI timing summary (total time, ms wall-clock)"
				   : "NNAPI timing summary (self-times, ms wall-clock)";
}

static void print_phases(FILE *out, const struct nntp_run *run, const struct nntp_format *format)
{
	values_t v = values_of(&run->all, format);

	rule(out, 139);
	fprintf(out, "%s%63s\n", heading(format), "Execution");
	fputs("                                                           "
	      "----------------------------------------------------\n"
	      "              Initialization   Preparation   Compilation           I/O       Compute      Results"
	      "     Ex. total   Termination        Total\n"
	      "              --------------   -----------   -----------   -----------  ------------  -----------"
	      "   -----------   -----------   ----------\n",
	      out);
	for (size_t i = 0; i < NUM_ROWS; i++) {
		unsigned int l = rows[i];
		/*
		 * a column whose total is in the last row: unknown values are ignored
		 */
		const char *mark = l == NNTP_LT ? "*" : "";
		int less = l == NNTP_LT ? 1 : 0;

		if (!row_is_shown(v, l))
			continue;
		if (l == NNTP_LT)
			fputc('\n', out);
		fprintf(out, "%-14s", row_names[l]);
		print_cell(out, 14, v[NNTP_PI][l], mark);
		print_cell(out, 14 - less, v[NNTP_PP][l], mark);
		print_cell(out, 14 - less, v[NNTP_PC][l], mark);
		print_cell(out, 14 - less, v[NNTP_PIO][l], mark);
		print_cell(out, 14 - less, compute_of(v, l), mark);
		print_cell(out, 13 - less, v[NNTP_PR][l], mark);
		print_cell(out, 14 - less, v[NNTP_PE][l], mark);
		print_cell(out, 14 - less, v[NNTP_PT][l], mark);
		print_cell(out, 13 - less, v[NNTP_PO][l],
			   l == NNTP_LT || l == NNTP_LA ? "*\n" : "\n");
	}
	rule(out, 139);
	fputs("* This total ignores missing (n/a) values and thus is not necessarily consistent with the rest of "
	      "the numbers\n",
	      out);
}

static void print_executions(FILE *out, const struct nntp_run *run,
			     const struct nntp_format *format)
{
	values_t v = values_of(per_execution_table(run), format);
	values_t total = per_execution_table(run)->total;
	double n = run->executions_shown ? (double)run->executions_shown : NAN;

	rule(out, 80);
	fprintf(out, "%s%32s\n", heading(format), run->has_loops ? "Benchmark" : "Execution");
	fputs("              ------------------------------------------------------------------\n"
	      "                      I/O       Compute      Results         Total    Percentage\n"
	      "              -----------  ------------  -----------   -----------   -----------\n",
	      out);
	for (size_t i = 0; i < NUM_ROWS; i++) {
		unsigned int l = rows[i];
		const char *mark = l == NNTP_LT ? "*" : "";
		int less = l == NNTP_LT ? 1 : 0;

		if (!row_is_shown(values_of(&run->all, format), l))
			continue;
		if (l == NNTP_LT)
			fputc('\n', out);
		fprintf(out, "%-14s", row_names[l]);
		print_cell(out, 11, v[NNTP_PIO][l] / n, mark);
		print_cell(out, 14 - less, compute_of(v, l) / n, mark);
		print_cell(out, 13 - less, v[NNTP_PR][l] / n, mark);
		print_cell(out, 14 - less, v[NNTP_PE][l] / n, "");
		if (l == NNTP_LT)
			fprintf(out, "%14s\n", "100%");
		else
			print_percentage(out,
					 total[NNTP_PE][NNTP_LT] == 0
						 ? NAN
						 : v[NNTP_PE][l] * 100 / total[NNTP_PE][NNTP_LT]);
	}
	rule(out, 80);
	fputs("* This total ignores missing (n/a) values and thus is not necessarily consistent\n"
	      "  with the rest of the numbers\n",
	      out);
}

void nntp_print_table(FILE *out, const struct nntp_run *run, const struct nntp_format *format)
{
	fwrite(run->title, 1, run->title_len, out);
	fputs("\n\n", out);
	if (format->per_execution)
		print_executions(out, run, format);
	else
		print_phases(out, run, format);
}

/* ---- tab-separated ---- */

static void print_value(FILE *out, double ms)
{
	if (isnan(ms))
		fputs("\tnan", out);
	else
		fprintf(out, "\t%.6f", ms);
}

static void print_scope(FILE *out, unsigned int run, const char *scope, const struct nntp_table *t,
			bool whole)
{
	static const unsigned int phases[] = { NNTP_PO,	 NNTP_PI,  NNTP_PP,  NNTP_PC, NNTP_PE,
					       NNTP_PIO, NNTP_PTR, NNTP_PCO, NNTP_PR, NNTP_PT };

	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		unsigned int p = phases[i];

		if (!whole && (p < NNTP_PE || p > NNTP_PR))
			continue;
		for (size_t r = 0; r < NUM_ROWS; r++) {
			unsigned int l = rows[r];

			fprintf(out, "%u\t%s\t%s\t%s", run, scope,
				l == NNTP_LT ? "LT" : nntp_layer_code(l), nntp_phase_code(p));
			print_value(out, t->total[p][l]);
			print_value(out, t->self[p][l]);
			if (l == NNTP_LT)
				fputs("\t-\n", out);
			else
				fprintf(out, "\t%llu\n", (unsigned long long)t->nodes[p][l]);
		}
	}
}

void nntp_print_tsv(FILE *out, const struct nntp_run *run)
{
	fprintf(out, "#run\t%u\tcomplete\t", run->index);
	fwrite(run->title, 1, run->title_len, out);
	fprintf(out, "\n#executions\t%u\tPO=%llu\tPWU=%llu\tPBM=%llu\n", run->index,
		(unsigned long long)run->executions[NNTP_IN_NONE],
		(unsigned long long)run->executions[NNTP_IN_WARMUP],
		(unsigned long long)run->executions[NNTP_IN_BENCHMARK]);
	print_scope(out, run->index, "ALL", &run->all, true);
	for (unsigned int i = NNTP_IN_WARMUP; run->has_loops && i < NNTP_LOOPS; i++)
		print_scope(out, run->index, nntp_loop_code(i), &run->loops[i], false);
}

void nntp_print_tsv_threads(FILE *out, const struct nntp_run *run)
{
	for (size_t i = 0; i < run->num_threads; i++) {
		const struct nntp_thread_sums *t = &run->threads[i];

		for (size_t c = 0; c < t->count; c++)
			fprintf(out, "%u\t%d\t%d\t%s\t%s\t%s\t%s\t%.6f\t%llu\n", run->index, t->tid,
				t->tgid, t->driver ? "driver" : "app",
				nntp_loop_code(t->cells[c].loop),
				nntp_layer_code(t->cells[c].layer),
				nntp_phase_code(t->cells[c].phase),
				(double)t->cells[c].cell.ns / 1e6,
				(unsigned long long)t->cells[c].cell.nodes);
		for (size_t c = 0; c < t->num_others; c++)
			fprintf(out, "%u\t%d\t%d\t%s\t%s\t%s\t%s\t%.6f\t%llu\n", run->index, t->tid,
				t->tgid, t->driver ? "driver" : "app",
				nntp_loop_code(t->others[c].loop), t->others[c].layer,
				t->others[c].phase, (double)t->others[c].cell.ns / 1e6,
				(unsigned long long)t->others[c].cell.nodes);
	}
}
