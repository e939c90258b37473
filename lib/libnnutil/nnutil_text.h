/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of other processes, which end in a terminal. */
#ifndef NNUTIL_TEXT_H
#define NNUTIL_TEXT_H

#include <stddef.h>

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

#endif
