// SPDX-License-Identifier: Apache-2.0
#include "base/nnctl_base.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnutil_file.h"
#include "nnutil_text.h"

#define MAX_TABLE (16u << 20)

void *read_file(const char *path, size_t max, size_t *size)
{
	char *data;
	int ret = nnutil_read_file(path, max, &data, size);

	if (!ret)
		return data;
	if (ret == -EFBIG)
		complain("%s: larger than %zu MiB", path, max >> 20);
	else
		complain("%s: %s", path, strerror(-ret));
	return NULL;
}

int file_print(const char *path, void (*print)(FILE *f, const void *cookie), const void *cookie)
{
	FILE *f = fopen(path, "we");
	int error = f ? 0 : errno;

	if (f) {
		print(f, cookie);
		error = ferror(f) ? EIO : 0;
		if (fclose(f) && !error)
			error = errno;
	}
	if (!error)
		return 0;
	complain("%s: %s", path, strerror(error));
	return -1;
}

static size_t count_char(const char *s, const char *end, char c)
{
	size_t n = 0;

	for (; s < end; s++)
		n += *s == c;
	return n;
}

int tsv_read(struct tsv *t, const char *path, bool optional)
{
	char *line, *next, *cell, *tab;
	size_t size = 0, lines, n = 0, column;

	memset(t, 0, sizeof(*t));
	if (optional && access(path, F_OK))
		return 0;
	t->text = read_file(path, MAX_TABLE, &size);
	if (!t->text)
		return -1;
	t->columns = count_char(t->text, t->text + strcspn(t->text, "\n"), '\t') + 1;
	lines = count_char(t->text, t->text + size, '\n') + 1;
	t->cells = calloc(lines * t->columns, sizeof(*t->cells));
	if (!t->cells) {
		complain("%s: out of memory", path);
		tsv_free(t);
		return -1;
	}
	for (line = t->text; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		for (column = 0, cell = line; column < t->columns; column++) {
			t->cells[n * t->columns + column] = cell;
			tab = strchr(cell, '\t');
			if (tab)
				*tab = '\0';
			cell = tab ? tab + 1 : cell + strlen(cell);
		}
		n++;
	}
	t->rows = n ? n - 1 : 0;
	return 0;
}

void tsv_free(struct tsv *t)
{
	free(t->cells);
	free(t->text);
	memset(t, 0, sizeof(*t));
}

const char *tsv_get(const struct tsv *t, size_t row, const char *name)
{
	for (size_t c = 0; c < t->columns && row < t->rows; c++)
		if (!strcmp(t->cells[c], name))
			return t->cells[(row + 1) * t->columns + c];
	return "";
}

int64_t tsv_get_i64(const struct tsv *t, size_t row, const char *name)
{
	int64_t value = 0;

	nnutil_parse_i64(tsv_get(t, row, name), 10, INT64_MIN, INT64_MAX, &value);
	return value;
}

double tsv_get_double(const struct tsv *t, size_t row, const char *name)
{
	double value = 0;

	nnutil_parse_double(tsv_get(t, row, name), -DBL_MAX, DBL_MAX, &value);
	return value;
}
