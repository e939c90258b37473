// SPDX-License-Identifier: Apache-2.0
/*
 * Lines of ftrace's text: with and without the TGID column, from old and new kernels, and from
 * trace-cmd report.
 */
#include <stdio.h>
#include <string.h>

#include "nntp.h"
#include "nntrace_parse.h"

#define MARK_EVENT "tracing_mark_write:"
#define KERNEL_EVENT ": nnaccel_"

bool span_has(struct span text, const char *word)
{
	return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

bool span_is(struct span text, const char *word)
{
	return strlen(word) == text.len && !memcmp(text.at, word, text.len);
}

const char *nntp_printable(char *out, size_t size, const char *text, size_t len)
{
	size_t at = 0;

	for (size_t i = 0; i < len && at + 5 <= size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' || c == 0x7f)
			at += (size_t)snprintf(out + at, size - at, "\\x%02x", c);
		else
			out[at++] = (char)c;
	}
	if (size)
		out[at] = '\0';
	return out;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* Digits only, at most INT32_MAX. */
static bool parse_id(struct span text, int32_t *id)
{
	int64_t value = 0;

	if (!text.len || text.len > 10)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (!is_digit(text.at[i]))
			return false;
		value = value * 10 + (text.at[i] - '0');
	}
	if (value > INT32_MAX)
		return false;
	*id = (int32_t)value;
	return true;
}

bool parse_seconds(struct span text, int64_t *ns)
{
	int64_t whole = 0, part = 0;
	size_t i = 0, digits = 0;

	/* at most eleven digits: INT64_MAX ns are less than 10^10 s */
	for (; i < text.len && is_digit(text.at[i]); i++) {
		if (i == 11)
			return false;
		whole = whole * 10 + (text.at[i] - '0');
	}
	if (!i || whole > INT64_MAX / 4000000000ll || i + 1 >= text.len || text.at[i] != '.')
		return false;
	for (i++; i < text.len && is_digit(text.at[i]); i++, digits++)
		if (digits < 9)
			part = part * 10 + (text.at[i] - '0');
	if (!digits || i != text.len)
		return false;
	for (; digits < 9; digits++)
		part *= 10;
	*ns = whole * 1000000000ll + part;
	return true;
}

static struct span trim_end(struct span s)
{
	while (s.len && is_space(s.at[s.len - 1]))
		s.len--;
	return s;
}

static struct span trim_start(struct span s)
{
	while (s.len && is_space(s.at[0])) {
		s.at++;
		s.len--;
	}
	return s;
}

/* Cut the last word, which has no blank, off @s. */
static struct span cut_word(struct span *s)
{
	struct span word;
	size_t at = s->len;

	while (at && !is_space(s->at[at - 1]))
		at--;
	word = (struct span){ s->at + at, s->len - at };
	s->len = at;
	return word;
}

/*
 * "COMM-PID  (TGID)", where the second part may be missing. It is read from its end, because a
 * COMM may contain blanks, dashes and parentheses.
 */
static bool parse_task(struct span s, struct line *line)
{
	struct span id;
	size_t open;

	s = trim_end(s);
	line->tgid = TGID_NONE;
	if (s.len && s.at[s.len - 1] == ')') {
		for (open = s.len - 1; open && s.at[open] != '('; open--)
			;
		if (s.at[open] != '(' || !open)
			return false;
		id = trim_end(trim_start((struct span){ s.at + open + 1, s.len - open - 2 }));
		if (id.len && id.at[0] == '-')
			line->tgid = TGID_DASHES;
		else if (!parse_id(id, &line->tgid))
			return false;
		s = trim_end((struct span){ s.at, open });
	}
	for (open = s.len; open && is_digit(s.at[open - 1]); open--)
		;
	if (!open || s.at[open - 1] != '-' ||
	    !parse_id((struct span){ s.at + open, s.len - open }, &line->tid))
		return false;
	line->comm = trim_start((struct span){ s.at, open - 1 });
	return line->comm.len != 0;
}

/* "COMM-PID (TGID) [CPU] FLAGS SECONDS"; @head ends before the colon. */
static bool parse_head(struct span head, struct line *line)
{
	struct span word = cut_word(&head), task;

	if (!parse_seconds(word, &line->ns))
		return false;
	head = trim_end(head);
	/* flags, and other columns of some kernels, up to the processor */
	for (task = head; task.len; task = trim_end(task)) {
		word = cut_word(&task);
		if (word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
		    is_digit(word.at[1]))
			return parse_task(task, line);
	}
	/* no processor: the task is the longest head that can be read as one */
	for (task = head; task.len; task = trim_end(task)) {
		if (parse_task(task, line))
			return true;
		cut_word(&task);
	}
	return false;
}

/* The text before @event, which begins with its colon or, in trace-cmd, follows "print:". */
static bool head_of_mark(struct span text, const char *event, struct span *head)
{
	struct span s = trim_end((struct span){ text.at, (size_t)(event - text.at) });
	static const char print[] = ": print";

	if (!s.len || s.len == (size_t)(event - text.at) || s.at[s.len - 1] != ':')
		return false;
	s.len--;
	if (s.len > sizeof(print) - 1 &&
	    !memcmp(s.at + s.len - (sizeof(print) - 1), print, sizeof(print) - 1))
		s.len -= sizeof(print) - 1;
	*head = s;
	return true;
}

static enum line_kind parse_mark(struct span text, const char *event, struct line *line)
{
	struct span head, body;

	body.at = event + sizeof(MARK_EVENT) - 1;
	body.len = (size_t)(text.at + text.len - body.at);
	body = trim_start(body);
	while (body.len && body.at[body.len - 1] == '\r')
		body.len--;
	line->body = body;
	if (!body.len || (body.at[0] != 'B' && body.at[0] != 'E'))
		return span_has(body, "[NN_") || span_has(body, "HIDL::IDevice")    ? LINE_BAD
		       : head_of_mark(text, event, &head) && parse_head(head, line) ? LINE_MARK
										    : LINE_OTHER;
	if (!head_of_mark(text, event, &head) || !parse_head(head, line))
		return LINE_BAD;
	line->name = (struct span){ event, sizeof(MARK_EVENT) - 2 };
	return LINE_MARK;
}

enum line_kind line_parse(struct span text, struct line *line)
{
	const char *event = memmem(text.at, text.len, MARK_EVENT, sizeof(MARK_EVENT) - 1), *end;

	if (event)
		return parse_mark(text, event, line);
	event = memmem(text.at, text.len, KERNEL_EVENT, sizeof(KERNEL_EVENT) - 1);
	if (event) {
		if (!parse_head((struct span){ text.at, (size_t)(event - text.at) }, line))
			return LINE_OTHER;
		event += 2;
		end = memchr(event, ':', (size_t)(text.at + text.len - event));
		if (!end)
			return LINE_OTHER;
		line->name = (struct span){ event, (size_t)(end - event) };
		line->body = trim_start(
			(struct span){ end + 1, (size_t)(text.at + text.len - end - 1) });
		return LINE_EVENT;
	}
	if (span_has(text, "[NN_") || span_has(text, "HIDL::IDevice"))
		return LINE_BAD;
	return LINE_OTHER;
}

int32_t line_mark_pid(struct span body)
{
	const char *bar;
	int32_t id;

	if (body.len < 3 || body.at[1] != '|')
		return -1;
	body = (struct span){ body.at + 2, body.len - 2 };
	bar = memchr(body.at, '|', body.len);
	if (bar)
		body.len = (size_t)(bar - body.at);
	return parse_id(trim_end(body), &id) ? id : -1;
}
