// SPDX-License-Identifier: Apache-2.0
#include "report/html_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nnctl_base.h"
#include "report/html_text.h"
#include "roofline/nnctl_roofline.h"

/* Of a drawing, in its own units, with room for the names of the axes. */
#define WIDTH 760
#define HEIGHT 260
#define MARGIN 60
#define BARS 60
/* Bars that are nearer to the slowest runs than this quantile would hide the others. */
#define SHOWN_QUANTILE 0.99

static void print_head(FILE *f, const struct html_report *r)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", f);
	html_text(f, r->model);
	fputs(" - nnctl bench</title>\n<style>\n"
	      ":root { color-scheme: light dark; }\n"
	      "body { font: 15px/1.4 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
	      "table { border-collapse: collapse; }\n"
	      "td, th { padding: 2px 8px; text-align: right; white-space: nowrap; }\n"
	      /* in a narrow window the table and the drawings scroll, not the page */
	      ".wide { overflow-x: auto; } .wide > svg { min-width: 720px; }\n"
	      "th { border-bottom: 1px solid; } .name { text-align: left; }\n"
	      ".bar { fill: #3b6ea5; } .peak { stroke: #a53b3b; fill: none; } .mark { fill: #a53b3b; }\n"
	      "text { font: 12px sans-serif; fill: currentColor; } .axis { stroke: #888; }\n"
	      "</style>\n</head>\n<body>\n<h1>",
	      f);
	html_text(f, r->model);
	fputs("</h1>\n<p>On ", f);
	html_text(f, r->device);
	fprintf(f, ", %zu runs; nnctl " NNACCEL_VERSION ".</p>\n", r->runs);
}

static void print_row(FILE *f, const char *name, double ms)
{
	fprintf(f, "<tr><td class=\"name\">%s</td><td>%.3f ms</td></tr>\n", name, ms);
}

static void print_summary(FILE *f, const struct html_report *r)
{
	fputs("<h2>Latency</h2>\n<table id=\"latency\">\n", f);
	print_row(f, "median", r->median_ms);
	print_row(f, "p95", r->p95_ms);
	print_row(f, "p99", r->p99_ms);
	print_row(f, "least", r->runs ? r->ms[0] : 0);
	if (r->known) {
		print_row(f, "of a run: device", r->device_ms);
		print_row(f, "of a run: driver", r->driver_ms);
		print_row(f, "of a run: host", r->host_ms);
	}
	print_row(f, "preparation", r->prepare_ms);
	fputs("</table>\n", f);
}

static void svg_begin(FILE *f, const char *id, const char *label)
{
	fprintf(f,
		"<div class=\"wide\"><svg id=\"%s\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" width=\"100%%\">\n",
		id, WIDTH, HEIGHT, label);
	fprintf(f, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", MARGIN,
		HEIGHT - MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN);
	fprintf(f, "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", MARGIN,
		MARGIN / 3, MARGIN, HEIGHT - MARGIN);
}

static void svg_end(FILE *f)
{
	fputs("</svg></div>\n", f);
}

static void svg_text(FILE *f, double x, double y, const char *anchor, const char *text)
{
	fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	html_text(f, text);
	fputs("</text>\n", f);
}

/* ---- runs by their time ---- */

static void print_histogram(FILE *f, const struct html_report *r)
{
	const size_t shown = (size_t)(SHOWN_QUANTILE * (double)(r->runs - 1)) + 1;
	const double least = r->ms[0], most = r->ms[shown - 1];
	const double width = (double)(WIDTH - 2 * MARGIN) / BARS,
		     height = HEIGHT - MARGIN * 4 / 3.0;
	size_t counts[BARS] = { 0 }, largest = 1;
	char text[64];

	for (size_t i = 0; i < shown; i++) {
		const double part = most > least ? (r->ms[i] - least) / (most - least) : 0;
		const size_t bar = (size_t)fmin(part * BARS, BARS - 1);

		counts[bar]++;
		if (counts[bar] > largest)
			largest = counts[bar];
	}
	svg_begin(f, "histogram", "runs by their time");
	for (size_t i = 0; i < BARS; i++) {
		const double tall = height * (double)counts[i] / (double)largest;

		if (counts[i])
			fprintf(f,
				"<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
				MARGIN + (double)i * width, HEIGHT - MARGIN - tall, width - 1,
				tall);
	}
	snprintf(text, sizeof(text), "%.3f ms", least);
	svg_text(f, MARGIN, HEIGHT - MARGIN + 18, "start", text);
	snprintf(text, sizeof(text), "%.3f ms", most);
	svg_text(f, WIDTH - MARGIN, HEIGHT - MARGIN + 18, "end", text);
	snprintf(text, sizeof(text), "%zu", largest);
	svg_text(f, MARGIN - 6, MARGIN / 3.0 + 10, "end", text);
	snprintf(text, sizeof(text), "the fastest %zu of %zu runs", shown, r->runs);
	svg_text(f, WIDTH / 2.0, HEIGHT - MARGIN + 36, "middle", text);
	svg_end(f);
}

/* ---- operations ---- */

/* Of all operations, in us */
struct sums {
	double total, longest;
};

static struct sums sum_operations(const struct html_report *r)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < r->profile->count; i++) {
		const double us = roofline_row(&r->profile->ops[i], r->peak).us;

		sums.total += us;
		sums.longest = fmax(sums.longest, us);
	}
	return sums;
}

static void print_percent(FILE *f, double part)
{
	if (part > 0)
		fprintf(f, "<td>%.1f %%</td>", 100 * part);
	else
		fputs("<td>-</td>", f);
}

static void print_operation(FILE *f, const struct html_report *r, const struct profile_op *op,
			    const struct sums *sums)
{
	const struct roofline_row row = roofline_row(op, r->peak);

	fputs("<tr><td>", f);
	if (op->graph)
		fprintf(f, "%u.", op->graph);
	fprintf(f, "%u</td><td class=\"name\">", op->number);
	html_text(f, op->name);
	fputs("</td><td class=\"name\">", f);
	html_text(f, op->type);
	fprintf(f,
		"</td><td>%.2f</td><td class=\"name\"><svg width=\"100\" height=\"10\"><rect class=\"bar\" "
		"width=\"%.1f\" height=\"10\"/></svg></td>",
		row.us, sums->longest > 0 ? 100 * row.us / sums->longest : 0);
	print_percent(f, sums->total > 0 ? row.us / sums->total : 0);
	fprintf(f, "<td>%.3f</td><td>%.1f</td>", (double)op->macs / 1e6, row.gops);
	print_percent(f, row.of_peak);
	fprintf(f, "<td>%.1f</td>", row.gbs);
	print_percent(f, row.of_roof);
	fputs("</tr>\n", f);
}

static void print_operations(FILE *f, const struct html_report *r)
{
	const struct sums sums = sum_operations(r);

	fputs("<h2>Operations</h2>\n<div class=\"wide\"><table id=\"operations\">\n<tr><th></th><th class=\"name\">operation</th>"
	      "<th class=\"name\">type</th><th>us</th><th></th><th>share</th><th>MMAC</th><th>GOP/s</th>"
	      "<th>of peak</th><th>GB/s</th><th>of roof</th></tr>\n",
	      f);
	for (size_t i = 0; i < r->profile->count; i++)
		print_operation(f, r, &r->profile->ops[i], &sums);
	fputs("</table></div>\n", f);
}

/* ---- the roofline: both axes are logarithmic ---- */

struct axes {
	double x0, x1, y0, y1; /* log10 */
};

static double axes_x(const struct axes *a, double value)
{
	const double part = (log10(value) - a->x0) / (a->x1 - a->x0);

	return MARGIN + fmin(fmax(part, 0), 1) * (WIDTH - 2 * MARGIN);
}

static double axes_y(const struct axes *a, double value)
{
	const double part = (log10(value) - a->y0) / (a->y1 - a->y0);

	return HEIGHT - MARGIN - fmin(fmax(part, 0), 1) * (HEIGHT - MARGIN * 4 / 3.0);
}

/*
 * Up with the bytes until the multiply-adds are at their peak. The name is above the line, or below
 * it if another peak is higher: it may be near.
 */
static void print_roof(FILE *f, const struct axes *a, const struct peak *peak, double gops,
		       const char *name, bool below)
{
	const double ridge = gops / peak->read_gbs, begin = pow(10, a->x0);
	char text[64];

	if (!(gops > 0) || !(peak->read_gbs > 0))
		return;
	fprintf(f, "<polyline class=\"peak\" points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
		axes_x(a, begin), axes_y(a, begin * peak->read_gbs), axes_x(a, ridge),
		axes_y(a, gops), (double)WIDTH - MARGIN, axes_y(a, gops));
	snprintf(text, sizeof(text), "%s: %.0f GOP/s", name, gops);
	svg_text(f, WIDTH - MARGIN, axes_y(a, gops) + (below ? 14 : -4), "end", text);
}

static bool has_point(const struct profile_op *op)
{
	return op->macs && op->bytes && op->ns > 0;
}

static void print_roofline(FILE *f, const struct html_report *r)
{
	const bool float_higher = r->peak->float_gops > r->peak->int8_gops;
	const double most = fmax(fmax(r->peak->int8_gops, r->peak->float_gops), 1);
	const struct axes a = { -1, 4, log10(most) - 4, log10(most) + 0.2 };
	char text[96];

	fputs("<h2>Roofline</h2>\n<p>Operations with multiply-adds: their rate, over the operations for each byte "
	      "that they read or write.</p>\n",
	      f);
	svg_begin(f, "roofline", "rate of operations over their operations per byte");
	print_roof(f, &a, r->peak, r->peak->int8_gops, "int8", float_higher);
	print_roof(f, &a, r->peak, r->peak->float_gops, "float32", !float_higher);
	for (size_t i = 0; i < r->profile->count; i++) {
		const struct profile_op *op = &r->profile->ops[i];

		if (!has_point(op))
			continue;
		fprintf(f, "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>",
			axes_x(&a, 2 * (double)op->macs / (double)op->bytes),
			axes_y(&a, roofline_row(op, r->peak).gops));
		fprintf(f, "%u ", op->number);
		html_text(f, op->name);
		fputs("</title></circle>\n", f);
	}
	/* Only up to the peak: the axis' name is above it. */
	for (int decade = (int)ceil(a.y0); decade <= log10(most); decade++) {
		const double gops = pow(10, decade);

		snprintf(text, sizeof(text), "%g", gops);
		svg_text(f, MARGIN - 6, axes_y(&a, gops) + 4, "end", text);
	}
	svg_text(f, 0, MARGIN / 3.0 - 6, "start", "GOP/s");
	svg_text(f, MARGIN, HEIGHT - MARGIN + 18, "start", "0.1 op/byte");
	svg_text(f, WIDTH - MARGIN, HEIGHT - MARGIN + 18, "end", "10000 op/byte");
	snprintf(text, sizeof(text), "peaks of a core, %s", r->isa[0] ? r->isa : "not known");
	svg_text(f, WIDTH / 2.0, HEIGHT - MARGIN + 36, "middle", text);
	svg_end(f);
}

static void print_page(FILE *f, const void *cookie)
{
	const struct html_report *r = cookie;

	print_head(f, r);
	print_summary(f, r);
	if (r->runs)
		print_histogram(f, r);
	if (r->profile->count) {
		print_operations(f, r);
		print_roofline(f, r);
	}
	fputs("</body>\n</html>\n", f);
}

int html_report_write(const struct html_report *r, const char *path)
{
	return file_print(path, print_page, r);
}
