// SPDX-License-Identifier: Apache-2.0
#include "trace/nnctl_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nnctl_base.h"

#define MAX_FILE ((size_t)4 << 30)

struct line {
	uint64_t us;
	size_t number; /* in all files: lines of equal time keep their order */
	const char *text;
	size_t len; /* without the newline */
};

struct merge {
	char **files;
	size_t num_files, max_files;
	struct line *lines;
	size_t num_lines, max_lines, broken;
	const char *header; /* of the first file */
	size_t header_len;
};

static int merge_grow(void **array, size_t count, size_t *max, size_t size)
{
	size_t want = *max ? *max * 2 : 256;
	void *more;

	if (count < *max)
		return 0;
	more = reallocarray(*array, want, size);
	if (!more)
		return -ENOMEM;
	*array = more;
	*max = want;
	return 0;
}

/* "... 12345.678901: tracing_mark_write: ..." */
static bool line_time(const char *text, size_t len, uint64_t *us)
{
	static const char word[] = ": tracing_mark_write: ";
	const char *at = memmem(text, len, word, sizeof(word) - 1), *p;
	uint64_t seconds = 0, micros = 0, unit = 1;

	if (!at || at - text < 8 || at[-7] != '.')
		return false;
	for (p = at - 6; p < at; p++) {
		if (*p < '0' || *p > '9')
			return false;
		micros = micros * 10 + (uint64_t)(*p - '0');
	}
	for (p = at - 8; p >= text && *p >= '0' && *p <= '9'; p--, unit *= 10) {
		if (unit > 1000000000000u)
			return false;
		seconds += unit * (uint64_t)(*p - '0');
	}
	*us = seconds * 1000000 + micros;
	return unit > 1;
}

static int add_lines(struct merge *m, const char *text, size_t size)
{
	const char *end = text + size, *next;
	bool comments = true;

	for (; text < end; text = next) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct line line = { .text = text, .number = m->num_lines };
		int ret;

		next = newline ? newline + 1 : end;
		line.len = (size_t)((newline ? newline : end) - text);
		if (line.len && text[0] == '#') {
			if (comments && m->num_files == 1)
				m->header_len = (size_t)(next - m->header);
			continue;
		}
		comments = false;
		/* the last line of a killed process may be incomplete */
		if (!newline || !line_time(line.text, line.len, &line.us)) {
			m->broken++;
			continue;
		}
		ret = merge_grow((void **)&m->lines, m->num_lines, &m->max_lines,
				 sizeof(*m->lines));
		if (ret)
			return ret;
		m->lines[m->num_lines++] = line;
	}
	return 0;
}

static int add_file(struct merge *m, const char *path)
{
	size_t size;
	char *text;
	int ret;

	ret = merge_grow((void **)&m->files, m->num_files, &m->max_files, sizeof(*m->files));
	if (ret)
		return ret;
	text = read_file(path, MAX_FILE, &size);
	if (!text)
		return -EIO;
	m->files[m->num_files++] = text;
	if (m->num_files == 1)
		m->header = text;
	return add_lines(m, text, size);
}

static int merge_compare(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	if (a->us != b->us)
		return a->us < b->us ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int write_out(struct merge *m, int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), ret = 0;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		ret = -errno;
		if (copy >= 0)
			close(copy);
		return ret;
	}
	if (m->num_lines)
		qsort(m->lines, m->num_lines, sizeof(*m->lines), merge_compare);
	fwrite(m->header, 1, m->header_len, out);
	for (size_t i = 0; i < m->num_lines; i++)
		fprintf(out, "%.*s\n", (int)m->lines[i].len, m->lines[i].text);
	if (ferror(out))
		ret = -EIO;
	if (fclose(out) && !ret)
		ret = -errno;
	return ret;
}

static int is_file(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int trace_merge(const char *dir, int out, size_t *marks, size_t *broken)
{
	struct merge m = { 0 };
	struct dirent **entries;
	char path[4096];
	int count, ret = 0;

	count = scandir(dir, &entries, is_file, alphasort);
	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (!ret)
			ret = add_file(&m, path);
		free(entries[i]);
	}
	free(entries);
	if (!ret)
		ret = write_out(&m, out);
	*marks = m.num_lines;
	*broken = m.broken;
	for (size_t i = 0; i < m.num_files; i++)
		free(m.files[i]);
	free(m.files);
	free(m.lines);
	return ret;
}
