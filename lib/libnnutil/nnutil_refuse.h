/* SPDX-License-Identifier: Apache-2.0 */
/* One way to refuse an argument: the reason goes into the caller's text, the error is the value. */
#ifndef NNUTIL_REFUSE_H
#define NNUTIL_REFUSE_H

#include <stdarg.h>
#include <stddef.h>

/**
 * Write the reason into @text (@size bytes; NULL or 0: no text) and return @error, so that a
 * check reads "return nnutil_refuse(text, size, -EINVAL, ...)". A reason that is too long is cut.
 */
__attribute__((format(printf, 4, 5))) int nnutil_refuse(char *text, size_t size, int error,
							const char *format, ...);
int nnutil_vrefuse(char *text, size_t size, int error, const char *format, va_list args);

#endif
