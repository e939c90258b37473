// SPDX-License-Identifier: Apache-2.0
/* Files, pages and pipes as lines of ftrace's text. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nntp.h"

#define BUFFER (1u << 20)
/* A longer line is cut: ftrace's are shorter than a page. */
#define MAX_LINE (BUFFER / 4)

/*
 * Either @fd, through @buffer, or the caller's @memory. Positions count from the start of the file.
 */
struct nntp_source {
	int fd;
	const char *memory;
	char *buffer;
	uint64_t size;
	uint64_t base; /* where in the file the buffer begins */
	size_t at, have; /* in the buffer or the memory */
	bool at_end; /* of the file: nothing comes after @have */
	bool skipping; /* the line read last was cut, its rest comes */
	uint64_t number; /* of the line read last */
	bool known, has_header; /* the next two are known, and not 0 */
	/* the first line after the header, and how many are before it */
	uint64_t start, start_number;
	bool ended;
};

static const char *text_of(const struct nntp_source *s)
{
	return s->memory ? s->memory : s->buffer;
}

/* Fill the buffer behind the bytes that are left in it. */
static int trace_source_fill(struct nntp_source *s)
{
	ssize_t n;

	if (s->at) {
		memmove(s->buffer, s->buffer + s->at, s->have - s->at);
		s->base += s->at;
		s->have -= s->at;
		s->at = 0;
	}
	do
		n = pread(s->fd, s->buffer + s->have, BUFFER - s->have, (off_t)(s->base + s->have));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -EIO;
	s->have += (size_t)n;
	s->at_end = n == 0;
	return 0;
}

/* A line whatever is in it. 1, 0 at the end, -EIO. */
static int raw_line(struct nntp_source *s, struct span *line)
{
	const char *from, *end;

	for (;;) {
		from = text_of(s) + s->at;
		end = s->have > s->at ? memchr(from, '\n', s->have - s->at) : NULL;
		if (s->skipping) {
			/* the rest of a line of which the start was returned */
			s->at = end ? s->at + (size_t)(end - from) + 1 : s->have;
			s->skipping = !end;
			if (end)
				continue;
		}
		if (end || s->at_end || s->have - s->at >= MAX_LINE)
			break;
		if (trace_source_fill(s))
			return -EIO;
	}
	if (!end && s->have == s->at)
		return 0;
	line->at = from;
	line->len = end ? (size_t)(end - from) : s->have - s->at;
	s->at += line->len + (end ? 1 : 0);
	s->skipping = !end;
	if (line->len > MAX_LINE)
		line->len = MAX_LINE;
	s->number++;
	return 1;
}

static void seek_to(struct nntp_source *s, uint64_t position, uint64_t number)
{
	s->number = number;
	s->ended = s->skipping = false;
	if (s->memory) {
		s->at = (size_t)position;
		return;
	}
	s->base = position;
	s->at = s->have = 0;
	s->at_end = false;
}

int source_rewind(struct nntp_source *s)
{
	struct span line;
	int ret;

	if (s->known) {
		seek_to(s, s->start, s->start_number);
		return 0;
	}
	seek_to(s, 0, 0);
	while ((ret = raw_line(s, &line)) > 0)
		if (line.len && line.at[0] == '#' && span_has(line, "TASK-PID") &&
		    span_has(line, "FUNCTION"))
			break;
	if (ret < 0)
		return ret;
	s->known = true;
	if (ret) {
		s->has_header = true;
		s->start = s->base + s->at;
		s->start_number = s->number;
	}
	seek_to(s, s->start, s->start_number);
	return 0;
}

int source_next(struct nntp_source *s, struct span *line, uint64_t *number)
{
	int ret = s->ended ? 0 : raw_line(s, line);

	if (ret <= 0)
		return ret;
	if (line->len >= 9 && memmem(line->at, line->len, "</script>", 9)) {
		s->ended = true;
		return 0;
	}
	*number = s->number;
	return 1;
}

bool source_has_header(const struct nntp_source *s)
{
	return s->has_header;
}

uint64_t source_position(const struct nntp_source *s)
{
	uint64_t at = s->base + s->at;

	/* a file that grows while it is read */
	return at < s->size ? at : s->size;
}

uint64_t source_size(const struct nntp_source *s)
{
	return s->size;
}

/* ---- opening ---- */

static int trace_source_fail(char *message, size_t size, int error, const char *what)
{
	snprintf(message, size, "%s: %s", what, strerror(-error));
	return error;
}

/* Everything of @fd in a file that has no name. */
static int spool(int fd, int *out)
{
	char block[65536];
	FILE *f = tmpfile();
	ssize_t n;
	int ret = 0;

	if (!f)
		return -errno;
	while ((n = read(fd, block, sizeof(block)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fwrite(block, 1, (size_t)n, f) != (size_t)n) {
			ret = -errno;
			break;
		}
	}
	if (!ret && fflush(f))
		ret = -errno;
	*out = ret ? -1 : fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
	if (!ret && *out < 0)
		ret = -errno;
	fclose(f);
	return ret;
}

static int text_of_dat(const char *path, int *out, char *message, size_t size)
{
	FILE *f = tmpfile();
	int ret;

	if (!f)
		return trace_source_fail(message, size, -errno, "temporary file");
	ret = dat_to_text(path, f, message, size);
	if (!ret) {
		*out = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
		if (*out < 0)
			ret = trace_source_fail(message, size, -errno, "temporary file");
	}
	fclose(f);
	return ret;
}

static bool is_dat(int fd)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char start[sizeof(magic) - 1];

	return pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
	       !memcmp(start, magic, sizeof(start));
}

/* Replace @fd by one that can be read from any position, as text. */
static int make_readable(const char *path, int *fd, struct stat *st, char *message, size_t size)
{
	int other = -1, ret;

	if (fstat(*fd, st))
		return trace_source_fail(message, size, -errno, path);
	if (S_ISDIR(st->st_mode))
		return trace_source_fail(message, size, -EISDIR, path);
	if (S_ISREG(st->st_mode) && !is_dat(*fd))
		return 0;
	if (S_ISREG(st->st_mode)) {
		ret = text_of_dat(path, &other, message, size);
		if (ret)
			return ret;
	} else {
		ret = spool(*fd, &other);
		if (ret)
			return trace_source_fail(message, size, ret, path);
	}
	close(*fd);
	*fd = other;
	return fstat(*fd, st) ? trace_source_fail(message, size, -errno, path) : 0;
}

int nntp_source_open(const char *path, struct nntp_source **source, char *message, size_t size)
{
	struct nntp_source *s;
	struct stat st;
	int fd, ret;

	fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : fcntl(0, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return trace_source_fail(message, size, -errno, path);
	ret = make_readable(path, &fd, &st, message, size);
	if (ret) {
		close(fd);
		return ret;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->buffer = malloc(BUFFER);
	if (!s || !s->buffer) {
		free(s);
		close(fd);
		return trace_source_fail(message, size, -ENOMEM, path);
	}
	s->fd = fd;
	s->size = (uint64_t)st.st_size;
	*source = s;
	return 0;
}

int nntp_source_memory(const void *text, size_t len, struct nntp_source **source)
{
	struct nntp_source *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	s->memory = len ? text : "";
	s->have = len;
	s->size = len;
	s->at_end = true;
	*source = s;
	return 0;
}

void nntp_source_close(struct nntp_source *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	free(s);
}
