/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of "nnctl doctor": what was found, and what to do. */
#ifndef NNCTL_FINDINGS_H
#define NNCTL_FINDINGS_H

enum verdict { GOOD, NOTE, BAD };

/** A line; BAD is counted. */
void say(enum verdict verdict, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** What to do about the line before. */
void advise(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** How many lines are BAD. */
unsigned int problems(void);

#endif
