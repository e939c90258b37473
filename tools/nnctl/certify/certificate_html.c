// SPDX-License-Identifier: Apache-2.0
#include "certify/nnctl_certify.h"

#include <string.h>

#include "base/nnctl_base.h"
#include "probes/nnctl_probes.h"
#include "report/html_text.h"

static void page_head(FILE *f, const cJSON *c)
{
	const cJSON *device = cJSON_GetObjectItemCaseSensitive(c, "device");

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", f);
	html_text(f, json_text(device, "name"));
	fputs(" - nnctl certify</title>\n<style>\n"
	      ":root { color-scheme: light dark; }\n"
	      "body { font: 15px/1.4 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; }\n"
	      "table { border-collapse: collapse; }\n"
	      "td, th { padding: 2px 8px; text-align: right; white-space: nowrap; }\n"
	      ".wide { overflow-x: auto; } th { border-bottom: 1px solid; }\n"
	      ".name { text-align: left; } .why { text-align: left; white-space: normal; }\n"
	      ".passed { color: #2e7d32; } .failed { color: #c62828; font-weight: bold; }\n"
	      ".incomplete { color: #b26a00; } .none { color: #888; }\n"
	      "</style>\n</head>\n<body>\n<h1>",
	      f);
	html_text(f, json_text(device, "name"));
	fprintf(f, ": <span class=\"%s\">%s</span></h1>\n", json_text(c, "verdict"),
		json_text(c, "verdict"));
}

static void page_row(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<tr><td class=\"name\">%s</td><td class=\"why\">", name);
	html_text(f, text);
	fputs("</td></tr>\n", f);
}

static void page_summary(FILE *f, const cJSON *c, const char *digest)
{
	const cJSON *device = cJSON_GetObjectItemCaseSensitive(c, "device");
	const cJSON *machine = cJSON_GetObjectItemCaseSensitive(c, "machine");
	const cJSON *totals = cJSON_GetObjectItemCaseSensitive(c, "totals"), *reason;
	char text[160];

	fputs("<table id=\"summary\">\n", f);
	page_row(f, "device", json_text(c, "spec"));
	page_row(f, "version", json_text(device, "version"));
	page_row(f, "nnctl", json_text(c, "nnctl"));
	snprintf(text, sizeof(text), "%s, %s", json_text(machine, "kernel"),
		 json_text(machine, "architecture"));
	page_row(f, "machine", text);
	page_row(f, "date", json_text(c, "date"));
	snprintf(text, sizeof(text), "%.0f passed, %.0f failed, %.0f left out by the tests",
		 json_number(totals, "passed"), json_number(totals, "failed"),
		 json_number(totals, "skipped"));
	page_row(f, "cases", text);
	snprintf(text, sizeof(text), "%.0f of %.0f combinations of operation and type, %.0f failed",
		 json_number(totals, "combinations_supported"), json_number(totals, "combinations"),
		 json_number(totals, "combinations_failed"));
	page_row(f, "supported", text);
	if (json_text(c, "signed_off_by")[0])
		page_row(f, "signed off by", json_text(c, "signed_off_by"));
	page_row(f, "SHA-256 of the JSON", digest);
	fputs("</table>\n", f);
	if (!cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(c, "reasons")))
		return;
	fputs("<ul id=\"reasons\">\n", f);
	cJSON_ArrayForEach(reason, cJSON_GetObjectItemCaseSensitive(c, "reasons"))
	{
		fputs("<li>", f);
		html_text(f, cJSON_GetStringValue(reason));
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
}

static void page_coverage(FILE *f, const cJSON *c)
{
	static const char *const classes[] = {
		[CELL_NONE] = "none",
		[CELL_UNSUPPORTED] = "none",
		[CELL_PASSED] = "passed",
		[CELL_FAILED] = "failed",
	};
	const cJSON *operation;
	char text[48];

	fputs("<h2>Operations and types</h2>\n<p>Passed examples on all routes; <i>no</i>: the device does not support it; "
	      "-: NNAPI does not have it, or there is no example.</p>\n"
	      "<div class=\"wide\"><table id=\"coverage\">\n<tr><th class=\"name\">operation</th>",
	      f);
	for (size_t i = 0; i < PROBE_LISTED; i++)
		fprintf(f, "<th title=\"%s\">%s</th>", nnmodel_type_name(probe_listed[i]),
			probe_type_name(probe_listed[i]));
	fputs("</tr>\n", f);
	cJSON_ArrayForEach(operation, cJSON_GetObjectItemCaseSensitive(c, "coverage"))
	{
		fputs("<tr><td class=\"name\">", f);
		html_text(f, json_text(operation, "operation"));
		fputs("</td>", f);
		for (size_t i = 0; i < PROBE_LISTED; i++) {
			const enum coverage_cell cell =
				coverage_cell(operation, probe_listed[i], text, sizeof(text));

			fprintf(f, "<td class=\"%s\">%s</td>", classes[cell], text);
		}
		fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

static void page_steps(FILE *f, const cJSON *c)
{
	const cJSON *step;

	fputs("<h2>Tests</h2>\n<div class=\"wide\"><table id=\"steps\">\n<tr><th class=\"name\">group</th><th class=\"name\">test</th>"
	      "<th class=\"name\">route</th><th>passed</th><th>failed</th><th>left out</th><th>s</th></tr>\n",
	      f);
	cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(c, "steps"))
	{
		static const char *const names[] = { "group", "name", "route" };

		fputs("<tr>", f);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
			fputs("<td class=\"name\">", f);
			html_text(f, json_text(step, names[i]));
			fputs("</td>", f);
		}
		if (cJSON_HasObjectItem(step, "not_run")) {
			fputs("<td class=\"why\" colspan=\"4\">not run: ", f);
			html_text(f, json_text(step, "not_run"));
			fputs("</td></tr>\n", f);
			continue;
		}
		fprintf(f, "<td>%.0f</td><td%s>%.0f</td><td>%.0f</td><td>%.1f</td></tr>\n",
			json_number(step, "passed"),
			json_number(step, "failed") > 0 ? " class=\"failed\"" : "",
			json_number(step, "failed"), json_number(step, "skipped"),
			json_number(step, "seconds"));
	}
	fputs("</table></div>\n", f);
}

/* The cases of all steps that failed, or were left out. */
static void page_cases(FILE *f, const cJSON *c, const char *list, const char *title)
{
	const cJSON *step, *entry;
	bool any = false;

	cJSON_ArrayForEach(step, cJSON_GetObjectItemCaseSensitive(c, "steps"))
	{
		cJSON_ArrayForEach(entry, cJSON_GetObjectItemCaseSensitive(step, list))
		{
			if (!any)
				fprintf(f, "<h2>%s</h2>\n<table id=\"%s\">\n", title, list);
			any = true;
			fputs("<tr><td class=\"name\">", f);
			html_text(f, json_text(step, "name"));
			fputs("</td><td class=\"name\">", f);
			html_text(f, json_text(step, "route"));
			fputs("</td><td class=\"name\">", f);
			html_text(f, json_text(entry, "case"));
			fputs("</td><td class=\"why\">", f);
			html_text(f, json_text(entry, "why"));
			fputs("</td></tr>\n", f);
		}
	}
	if (any)
		fputs("</table>\n", f);
}

struct page {
	const cJSON *certificate;
	const char *digest;
};

static void page_print(FILE *f, const void *cookie)
{
	const struct page *page = cookie;
	const cJSON *c = page->certificate;

	page_head(f, c);
	page_summary(f, c, page->digest);
	page_coverage(f, c);
	page_cases(f, c, "failures", "Failed");
	page_steps(f, c);
	page_cases(f, c, "skips", "Left out by the tests");
	fputs("</body>\n</html>\n", f);
}

int certificate_html_write(const cJSON *c, const char *digest, const char *path)
{
	return file_print(path, page_print, &(struct page){ c, digest });
}
