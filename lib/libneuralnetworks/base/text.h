/* SPDX-License-Identifier: Apache-2.0 */
/* Text of configuration files: whole files, lines, lists. */
#ifndef NNR_TEXT_H
#define NNR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Read a file of at most @max bytes without waiting for the writer of a FIFO. 0 and *@text, the
 * caller's to free(), with a NUL behind @size bytes; or -errno. -EFBIG: the file is larger.
 */
int nnr_read_text(const char *path, size_t max, char **text, size_t *size);
/**
 * The next line of the text at *@position, its end made NUL. NULL: no more lines. *@zero: the line
 * has a zero byte inside.
 */
char *nnr_next_line(char **position, const char *end, bool *zero);
/**
 * Move *@item to the next item of a list separated by any of @separators. The item's length; 0 at
 * the end of the list. @previous: the length of the item before, 0 at first.
 */
size_t nnr_list_next(const char **item, size_t previous, const char *separators);

#endif
