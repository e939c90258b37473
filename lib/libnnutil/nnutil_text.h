/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of other processes, which end in a terminal. */
#ifndef NNUTIL_TEXT_H
#define NNUTIL_TEXT_H

/**
 * nnutil_text_clean() - make a text printable, in its place
 * @text: any bytes, a 0 at the end
 *
 * Each byte becomes '?' that is a control character, of no well-formed UTF-8, or of a character
 * that moves what is around it: a separator of lines, a mark of direction. The length is the same.
 */
void nnutil_text_clean(char *text);

#endif
