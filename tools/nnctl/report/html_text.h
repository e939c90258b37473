/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NNCTL_HTML_TEXT_H
#define NNCTL_HTML_TEXT_H

#include <stdio.h>

/** Print @text as text of HTML or SVG, and as the value of an attribute in double quotes. */
void html_text(FILE *f, const char *text);

#endif
