// SPDX-License-Identifier: Apache-2.0
#include "commands/nnctl_commands.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned int bad;

void say(enum verdict verdict, const char *fmt, ...)
{
	static const char *const marks[] = { "ok   ", "note ", "BAD  " };
	va_list ap;

	bad += verdict == BAD;
	fputs(marks[verdict], stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

void advise(const char *fmt, ...)
{
	va_list ap;

	fputs("       -> ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

unsigned int problems(void)
{
	return bad;
}
