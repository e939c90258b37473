// SPDX-License-Identifier: Apache-2.0
#include "base/nnctl_base.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "nnutil_clock.h"

static bool quiet;

void complain_quietly(bool on)
{
	quiet = on;
}

static void vcomplain(const char *fmt, va_list ap)
{
	if (quiet)
		return;
	fputs("nnctl: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vcomplain(fmt, ap);
	va_end(ap);
}

int usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vcomplain(fmt, ap);
	va_end(ap);
	return USAGE_ERROR;
}

void progress_start(struct progress *p, const char *what)
{
	p->what = what;
	p->start_ns = nnutil_monotonic_ns();
	p->shown_ns = 0;
}

void progress_update(struct progress *p, size_t done, size_t total)
{
	int64_t now = nnutil_monotonic_ns();

	if (now - p->start_ns < NNUTIL_NS_PER_S || now - p->shown_ns < 200 * NNUTIL_NS_PER_MS ||
	    !isatty(2))
		return;
	p->shown_ns = now;
	fprintf(stderr, "\r\033[K%s: %zu of %zu, %.0f s", p->what, done, total,
		(double)(now - p->start_ns) / 1e9);
}

void progress_end(struct progress *p)
{
	if (p->shown_ns)
		fputs("\r\033[K", stderr);
}
