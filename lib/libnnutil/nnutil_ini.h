/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration files of sections and keys:
 *
 *   # a comment
 *   [section argument]
 *   key = value
 *
 * Spaces around words do not count; the argument and the value may have spaces inside. What
 * sections and keys there are is the caller's matter. Any thread.
 */
#ifndef NNUTIL_INI_H
#define NNUTIL_INI_H

#include <stdbool.h>
#include <stddef.h>

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
