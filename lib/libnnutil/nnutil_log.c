// SPDX-License-Identifier: Apache-2.0
/* Log lines, the API call that they are about, and a limit of them. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnutil_clock.h"
#include "nnutil_log.h"

static const char *const level_names[] = { "off", "error", "warning", "info", "debug" };
static const char *log_name = "nnapi"; /* what lines begin with */
static bool is_program; /* nnutil_log_program() has been called */
static int log_limit = NNUTIL_LOG_ERROR; /* the last level that is written; -1: none */
static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static __thread const char *call __attribute__((tls_model("initial-exec")));

static void write_line(const char *function, const char *text)
{
	/* one stdio call per line, so that lines of several threads do not mix */
	fprintf(stderr, "%s: %s%s%s\n", log_name, function ? function : "", function ? ": " : "",
		text);
}

static bool take_level(const char *name)
{
	for (int i = 0; i < (int)(sizeof(level_names) / sizeof(level_names[0])); i++)
		if (!strcmp(name, level_names[i])) {
			log_limit = i - 1;
			return true;
		}
	return false;
}

static void log_init(void)
{
	const char *wanted = getenv("NNAPI_LOG");
	char text[128];

	if (is_program || !wanted || !*wanted || take_level(wanted))
		return;
	snprintf(text, sizeof(text),
		 "NNAPI_LOG=\"%.32s\" ignored: use off, error, warning, info or debug", wanted);
	write_line(NULL, text);
}

int nnutil_log_program(const char *name, const char *level)
{
	if (!take_level(level))
		return -EINVAL;
	log_name = name;
	is_program = true;
	return 0;
}

/* Whether lines of @level are written. */
static bool log_wanted(enum nnutil_log_level level)
{
	pthread_once(&log_once, log_init);
	return (int)level <= log_limit;
}

void nnutil_log(enum nnutil_log_level level, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if (!log_wanted(level))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	write_line(level > NNUTIL_LOG_WARNING ? NULL : call, line);
}

void nnutil_log_refusal(const char *function, const char *fmt, ...)
{
	char text[256];
	va_list args;

	if (!log_wanted(NNUTIL_LOG_WARNING))
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	write_line(function, text);
}

/* ---- calls ---- */

const char *nnutil_call_name(void)
{
	return call;
}

struct nnutil_call nnutil_call_begin(const char *function)
{
	struct nnutil_call begun = { .outermost = !call && function };

	if (!begun.outermost)
		return begun;
	call = function;
	if (log_wanted(NNUTIL_LOG_DEBUG))
		begun.start_ns = nnutil_monotonic_ns();
	return begun;
}

void nnutil_call_end(const struct nnutil_call *begun)
{
	if (!begun->outermost)
		return;
	if (begun->start_ns)
		nnutil_log(NNUTIL_LOG_DEBUG, "%s: %.3f ms", call,
			   (double)(nnutil_monotonic_ns() - begun->start_ns) * 1e-6);
	call = NULL;
}

/* ---- a limit ---- */

bool nnutil_log_rate_take(struct nnutil_log_rate *rate, int64_t now_ns, unsigned int *dropped)
{
	const int64_t passed_ms = (now_ns - rate->counted_ns) / NNUTIL_NS_PER_MS;
	const int64_t more = passed_ms * rate->per_second / 1000;

	*dropped = 0;
	if (more > 0) {
		rate->left = more + rate->left > rate->at_once ? rate->at_once
							       : rate->left + (unsigned int)more;
		rate->counted_ns = now_ns;
	}
	if (!rate->left) {
		rate->dropped += rate->dropped < UINT32_MAX;
		return false;
	}
	rate->left--;
	*dropped = rate->dropped;
	rate->dropped = 0;
	return true;
}
