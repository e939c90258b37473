/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a line of ftrace's text. */
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
	LINE_OTHER, /* neither a mark nor an event of the driver */
	LINE_MARK, /* a mark, written to trace_marker: @body */
	LINE_EVENT, /* a tracepoint "nnaccel_...": @name, @body */
	LINE_BAD, /* contains a mark, or text like one, and is malformed */
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
 * The process id of "B|123|..." or "E|123"; -1: there is none.
 */
int32_t line_mark_pid(struct span body);

/** Whether @text contains @word. */
bool span_has(struct span text, const char *word);
bool span_is(struct span text, const char *word);

/**
 * Parse @text, "12.345678" with up to nine digits of fraction, to ns. False: it is not a time.
 */
bool parse_seconds(struct span text, int64_t *ns);

#endif
