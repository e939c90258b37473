/* SPDX-License-Identifier: Apache-2.0 */
/* Text: numbers, environment, files of settings. */
#ifndef NNUTIL_TEXT_H
#define NNUTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* nnutil_text.c: texts of other processes, which end in a terminal. */

/**
 * nnutil_text_clean() - make a text printable, in its place
 * @text: any bytes, a 0 at the end
 *
 * Each byte becomes '?' that is a control character, of no well-formed UTF-8, or of a character
 * that moves what is around it: a separator of lines, a mark of direction. The length is the same.
 */
void nnutil_text_clean(char *text);

/**
 * nnutil_text_copy() - copy a text, and make the copy printable
 * @to: at least one byte
 * @size: of @to
 * @from: any bytes; a 0 among them becomes '?'
 * @length: of @from; what does not fit is cut off
 */
void nnutil_text_copy(char *to, size_t size, const char *from, size_t length);

/*
 * nnutil_number.c: numbers in text from outside. The whole text must be the number: no leading
 * space, no sign where none can be, nothing behind it. All return 0, -EINVAL (not a number) or
 * -ERANGE (outside the limits); the value is only written with 0. The locale has no influence. Any
 * thread.
 */

/**
 * @base 10, 16 (with or without 0x), or 0: decimal, or hexadecimal with 0x. Limits are inclusive.
 */
int nnutil_parse_u64(const char *text, int base, uint64_t min, uint64_t max, uint64_t *value);
int nnutil_parse_i64(const char *text, int base, int64_t min, int64_t max, int64_t *value);
/** 0, no, false, off, or 1, yes, true, on, in capitals or not. */
int nnutil_parse_bool(const char *text, bool *value);
/** A finite number. */
int nnutil_parse_double(const char *text, double min, double max, double *value);

/**
 * For parsers that go through a longer text: parse the digits at *@text and advance it behind them.
 * As nnutil_parse_u64() otherwise.
 */
int nnutil_scan_u64(const char **text, int base, uint64_t min, uint64_t max, uint64_t *value);

/* nnutil_env.c: settings in the environment. */

/** Of a variable; NULL: it is not set, empty, or this program has more rights than its user. */
const char *nnutil_env_text(const char *name);
/**
 * A number from 1 to @max; @otherwise if it is not set, or is none, which gets a line in the log.
 */
uint64_t nnutil_env_number(const char *name, uint64_t max, uint64_t otherwise);
/** The same of a value for nnutil_parse_bool(). */
bool nnutil_env_bool(const char *name, bool otherwise);

/*
 * nnutil_ini.c: configuration files of sections and keys:
 *
 *   # a comment
 *   [section argument]
 *   key = value
 *
 * Spaces around words do not count; the argument and the value may have spaces inside. What
 * sections and keys there are is the caller's matter. Any thread.
 */

/** Largest file. */
#define NNUTIL_INI_MAX (1u << 20)

/** struct nnutil_ini_line - a line that says something; texts are valid during the call */
struct nnutil_ini_line {
	unsigned int number; /* from 1 */
	const char *section; /* that the line is in, or begins; "": before the first */
	const char *argument; /* of the section; "": it has none */
	const char *key; /* NULL: the line begins a section */
	const char *value; /* may be "" */
};

/** Take a line. 0, or -errno with @why (nnutil_refuse()), which ends the reading. */
typedef int (*nnutil_ini_take)(void *cookie, const struct nnutil_ini_line *line, char *why,
			       size_t size);

/**
 * nnutil_ini_parse() - go through the lines of a text
 * @name: of the file, in messages
 * @text: @size bytes and a NUL; is changed
 *
 * Return: 0; -EINVAL or the error of @take: @message says "NAME:LINE: why", or without a line
 * number if it is none's.
 */
int nnutil_ini_parse(const char *name, char *text, size_t size, nnutil_ini_take take, void *cookie,
		     char *message, size_t message_size);
/** The same of a file; also the errors of reading it, with @message. */
int nnutil_ini_read(const char *path, nnutil_ini_take take, void *cookie, char *message,
		    size_t message_size);

/**
 * The next of a value's words, which are separated by spaces or commas. Its bytes in @word, cut
 * with a 0 at the end; *@at goes behind it. False: there is no more, or (*@at is not at the end) it
 * is too long for @word.
 */
bool nnutil_ini_word(const char **at, char *word, size_t size);
/** "yes" or "no". 0; -EINVAL. */
int nnutil_ini_bool(const char *value, bool *result);

#endif
