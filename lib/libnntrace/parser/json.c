// SPDX-License-Identifier: Apache-2.0
/* Runs as JSON: the object of the reference, with keys in its order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nntp.h"

/* ---- strings ---- */

/* Bytes of the first UTF-8 character of @s; 0: it is malformed. */
static size_t utf8_len(const unsigned char *s, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80			 ? 1
		   : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		   : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						 : 0;
	uint32_t c;

	if (n <= 1)
		return n;
	if (n > len)
		return 0;
	c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}

void nntp_print_json_string(FILE *out, const char *text, size_t len)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	for (size_t i = 0; i < len;) {
		size_t n = utf8_len(s + i, len - i);

		if (!n)
			fputs("\\ufffd", out);
		else if (s[i] == '"' || s[i] == '\\')
			fprintf(out, "\\%c", s[i]);
		else if (s[i] < 0x20 || s[i] == 0x7f)
			fprintf(out, "\\u%04x", s[i]);
		else
			fwrite(s + i, 1, n, out);
		i += n ? n : 1;
	}
	fputc('"', out);
}

/* ---- numbers ---- */

/* The shortest text that gives the same number; always with a point. */
static void print_number(FILE *out, double ms)
{
	char text[64];

	if (isnan(ms)) {
		fputs("null", out);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, ms);
		if (strtod(text, NULL) == ms)
			break;
	}
	fputs(text, out);
	if (!strpbrk(text, ".e"))
		fputs(".0", out);
}

/* ---- objects ---- */

typedef double row_t[NNTP_TABLE_LAYERS + 1];

/* In order of their codes. */
static const unsigned int sorted_layers[] = { NNTP_LA, NNTP_LC, NNTP_LD, NNTP_LI, NNTP_LR, NNTP_LT };
static const unsigned int sorted_phases[] = { NNTP_PC, NNTP_PCO, NNTP_PE, NNTP_PI, NNTP_PIO,
					      NNTP_PO, NNTP_PP,	 NNTP_PR, NNTP_PT, NNTP_PTR };

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void indent(FILE *out, int depth)
{
	fprintf(out, "%*s", 2 * depth, "");
}

static const char *layer_name(unsigned int layer)
{
	return layer == NNTP_LT ? "LT" : nntp_layer_code(layer);
}

static void print_layers(FILE *out, int depth, const char *name, const double *row)
{
	indent(out, depth);
	fprintf(out, "\"%s\": {\n", name);
	for (size_t i = 0; i < COUNT(sorted_layers); i++) {
		indent(out, depth + 1);
		fprintf(out, "\"%s\": ", layer_name(sorted_layers[i]));
		print_number(out, row[sorted_layers[i]]);
		fputs(i + 1 < COUNT(sorted_layers) ? ",\n" : "\n", out);
	}
	indent(out, depth);
	fputc('}', out);
}

static void print_loop(FILE *out, const char *name, const row_t *rows)
{
	static const unsigned int phases[] = { NNTP_PCO, NNTP_PE, NNTP_PIO, NNTP_PR, NNTP_PTR };

	indent(out, 2);
	fprintf(out, "\"%s\": {\n", name);
	for (size_t i = 0; i < COUNT(phases); i++) {
		print_layers(out, 3, nntp_phase_code(phases[i]), rows[phases[i]]);
		fputs(i + 1 < COUNT(phases) ? ",\n" : "\n", out);
	}
	indent(out, 2);
	fputc('}', out);
}

/* @all, with the tables of loops among its phases. */
static void print_times(FILE *out, const char *name, const struct nntp_run *run, const row_t *all,
			bool self)
{
	indent(out, 1);
	fprintf(out, "\"%s\": {\n", name);
	if (run->has_loops) {
		print_loop(out, "PBM",
			   self ? run->loops[NNTP_IN_BENCHMARK].self
				: run->loops[NNTP_IN_BENCHMARK].total);
		fputs(",\n", out);
	}
	for (size_t i = 0; i < COUNT(sorted_phases); i++) {
		print_layers(out, 2, nntp_phase_code(sorted_phases[i]), all[sorted_phases[i]]);
		fputs(i + 1 < COUNT(sorted_phases) || run->has_loops ? ",\n" : "\n", out);
	}
	if (run->has_loops) {
		print_loop(out, "PWU",
			   self ? run->loops[NNTP_IN_WARMUP].self
				: run->loops[NNTP_IN_WARMUP].total);
		fputc('\n', out);
	}
	indent(out, 1);
	fputc('}', out);
}

static void print_counts(FILE *out, const struct nntp_run *run)
{
	static const unsigned int loops[] = { NNTP_IN_BENCHMARK, NNTP_IN_NONE, NNTP_IN_WARMUP };

	fputs("  \"execution_counts\": {\n", out);
	for (size_t i = 0; i < COUNT(loops); i++)
		fprintf(out, "    \"%s\": %llu%s\n", nntp_loop_code(loops[i]),
			(unsigned long long)run->executions[loops[i]],
			i + 1 < COUNT(loops) ? "," : "");
	fputs("  }", out);
}

/* The values that the text shows, by "LAYER_PHASE". */
static void print_template(FILE *out, const struct nntp_run *run, const row_t *shown,
			   const row_t *totals, bool per_execution)
{
	static const char *const names[] = { "PC",  "PE", "PEO", "PEp", "PI",
					     "PIO", "PO", "PP",	 "PR",	"PT" };
	static const unsigned int phases[] = { NNTP_PC,	 NNTP_PE, NNTP_PE, NNTP_PE, NNTP_PI,
					       NNTP_PIO, NNTP_PO, NNTP_PP, NNTP_PR, NNTP_PT };
	double n = run->executions_shown ? (double)run->executions_shown : NAN;
	bool first = true;

	fputs("  \"template_inputs\": {\n", out);
	for (size_t i = 0; i < COUNT(sorted_layers); i++) {
		unsigned int l = sorted_layers[i];

		for (size_t k = 0; k < COUNT(names); k++) {
			bool compute = !strcmp(names[k], "PEO"), percent = !strcmp(names[k], "PEp");
			double value = shown[phases[k]][l];

			if (percent && l == NNTP_LT)
				continue;
			if (compute)
				value -= shown[NNTP_PIO][l] + shown[NNTP_PR][l];
			if (percent)
				value = totals[NNTP_PE][NNTP_LT] == 0
						? NAN
						: value * 100 / totals[NNTP_PE][NNTP_LT];
			else if (per_execution && (phases[k] == NNTP_PE || phases[k] == NNTP_PIO ||
						   phases[k] == NNTP_PR))
				value /= n;
			fprintf(out, "%s    \"%s_%s\": ", first ? "" : ",\n", layer_name(l),
				names[k]);
			print_number(out, value);
			first = false;
		}
	}
	fputs("\n  }", out);
}

/* Rows of the execution are those of the benchmark when only that is shown. */
static void show_benchmark(row_t *rows, const row_t *benchmark)
{
	static const unsigned int phases[] = { NNTP_PE, NNTP_PIO, NNTP_PTR, NNTP_PCO, NNTP_PR };

	for (size_t i = 0; i < COUNT(phases); i++)
		memcpy(rows[phases[i]], benchmark[phases[i]], sizeof(row_t));
}

void nntp_print_json(FILE *out, const struct nntp_run *run, const struct nntp_format *format)
{
	const struct nntp_table *shown_table = format->per_execution ? per_execution_table(run)
								     : &run->all;
	row_t self[NNTP_TABLE_PHASES], total[NNTP_TABLE_PHASES], shown[NNTP_TABLE_PHASES];

	memcpy(self, run->all.self, sizeof(self));
	memcpy(total, run->all.total, sizeof(total));
	memcpy(shown, format->total_times ? total : self, sizeof(shown));
	if (format->per_execution && run->has_loops) {
		show_benchmark(shown, format->total_times ? shown_table->total : shown_table->self);
		/* the reference also writes them into its result */
		if (!run->strict)
			memcpy(format->total_times ? total : self, shown, sizeof(shown));
	}
	fputs("{\n", out);
	print_counts(out, run);
	fputs(",\n", out);
	print_times(out, "self_times", run, self, true);
	fputs(",\n  \"starting_mark\": ", out);
	nntp_print_json_string(out, run->title, run->title_len);
	fputs(",\n", out);
	print_template(out, run, shown, shown_table->total, format->per_execution);
	fputs(",\n", out);
	print_times(out, "times", run, total, false);
	fputs(",\n  \"version\": 1\n}\n", out);
}
