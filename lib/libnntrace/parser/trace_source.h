/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a trace, as often as they are wanted. */
#ifndef NNTP_TRACE_SOURCE_H
#define NNTP_TRACE_SOURCE_H

#include "line.h"
#include "nntrace_parse.h"

/** To the first line after the header, or of the file when it has none. 0 or -EIO, -ENOMEM. */
int source_rewind(struct nntp_source *s);
/** The next line, without its newline; valid until the next call. 1; 0 at the end; -EIO. */
int source_next(struct nntp_source *s, struct span *line, uint64_t *number);
/** Valid after source_rewind(). */
bool source_has_header(const struct nntp_source *s);
/** Bytes read since source_rewind() and of all. */
uint64_t source_position(const struct nntp_source *s);
uint64_t source_size(const struct nntp_source *s);

#endif
