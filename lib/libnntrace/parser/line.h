/* SPDX-License-Identifier: Apache-2.0 */
/* A line of ftrace's text, taken apart. */
#ifndef NNTP_LINE_H
#define NNTP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const char *at;
	size_t len;
};

enum line_kind {
	LINE_OTHER, /* nothing that matters here */
	LINE_MARK, /* something written to trace_marker: @body is what */
	LINE_EVENT, /* a tracepoint "nnaccel_...": @name, @body */
	LINE_BAD, /* has a mark, or what looks like one, and cannot be taken apart */
};

struct line {
	struct span comm, name, body;
	int32_t tid;
	int32_t tgid; /* TGID_NONE: no such column; TGID_DASHES: "-----" in it */
	int64_t ns;
};

#define TGID_NONE (-1)
#define TGID_DASHES (-2)

/**
 * @text has no newline. Fields of @line point into it and are valid for LINE_MARK and LINE_EVENT.
 */
enum line_kind line_parse(struct span text, struct line *line);

/**
 * The number before the next '|' of "B|123|..." or at the end of "E|123"; -1 when there is none.
 */
int32_t line_mark_pid(struct span body);

/** Whether @text has @word in it. */
bool span_has(struct span text, const char *word);
bool span_is(struct span text, const char *word);

/**
 * "12.345678" at the start of @text, up to nine digits of fraction, to ns; false when it is no
 * time.
 */
bool parse_seconds(struct span text, int64_t *ns);

#endif
