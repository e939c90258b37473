// SPDX-License-Identifier: Apache-2.0
#include "certify/nnctl_certify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WHY_LINES 3
#define WHY_SIZE 400

/* The comments before a result, the newest last: they have the reason. */
struct comments {
	const char *lines[WHY_LINES];
	unsigned int count;
};

/* kselftest's harness reports progress in comments, too. */
static bool comment_is_progress(const char *text)
{
	static const char *const marks[] = { "RUN ",   "OK ",	 "FAIL ",  "Starting ",
					     "PASSED", "FAILED", "Totals:" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strncmp(text, marks[i], strlen(marks[i])))
			return true;
	return false;
}

static void comment_keep(struct comments *c, const char *line)
{
	const char *text = line + 1 + strspn(line + 1, " \t");

	if (!*text || comment_is_progress(text))
		return;
	if (c->count == WHY_LINES) {
		memmove(c->lines, c->lines + 1, sizeof(c->lines) - sizeof(c->lines[0]));
		c->count--;
	}
	c->lines[c->count++] = text;
}

static void tap_append(cJSON *list, const char *name, const char *why)
{
	cJSON *entry = cJSON_CreateObject();

	cJSON_AddStringToObject(entry, "case", name);
	cJSON_AddStringToObject(entry, "why", why);
	cJSON_AddItemToArray(list, entry);
}

static void failure_append(cJSON *list, const char *name, const struct comments *c)
{
	char why[WHY_SIZE] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < c->count && used < sizeof(why); i++)
		used += (size_t)snprintf(why + used, sizeof(why) - used, "%s%s", i ? "; " : "",
					 c->lines[i]);
	tap_append(list, name, why);
}

/* "3 - name # SKIP reason": cut into name and reason; NULL: there is no directive. */
static char *result_cut(char *text, char **name)
{
	char *mark = strstr(text, "# SKIP");

	text += strspn(text, " \t");
	text += strspn(text, "0123456789");
	text += strspn(text, " \t-");
	*name = text;
	if (!mark)
		return NULL;
	for (char *end = mark; end > text && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	*mark = '\0';
	mark += strlen("# SKIP");
	return mark + strspn(mark, " \t:-");
}

struct tap_counts tap_read(char *output, cJSON *failures, cJSON *skips)
{
	struct tap_counts counts = { 0 };
	struct comments comments = { 0 };
	char *rest = NULL;

	for (char *line = strtok_r(output, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const bool bad = !strncmp(line, "not ok ", 7);
		char *name, *reason;

		if (line[0] == '#') {
			comment_keep(&comments, line);
			continue;
		}
		if (!strncmp(line, "1..", 3)) {
			counts.planned = (unsigned int)strtoul(line + 3, NULL, 10);
			continue;
		}
		if (!bad && strncmp(line, "ok ", 3))
			continue;
		reason = result_cut(line + (bad ? 7 : 3), &name);
		if (bad) {
			counts.failed++;
			failure_append(failures, name, &comments);
		} else if (reason) {
			counts.skipped++;
			tap_append(skips, name, reason);
		} else {
			counts.passed++;
		}
		comments.count = 0;
	}
	return counts;
}
