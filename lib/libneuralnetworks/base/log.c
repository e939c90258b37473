// SPDX-License-Identifier: Apache-2.0
/* Log lines, and whose call of the API they are about. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"

static int log_limit = NNR_LOG_ERROR; /* the last level that is written; -1: none */
static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static __thread const char *call __attribute__((tls_model("initial-exec")));

static void write_line(const char *function, const char *text)
{
	/* one call a line, so that lines of several threads do not mix */
	fprintf(stderr, "nnapi: %s%s%s\n", function ? function : "", function ? ": " : "", text);
}

static void log_init(void)
{
	static const char *const names[] = { "off", "error", "warning", "info", "debug" };
	const char *wanted = getenv("NNAPI_LOG");
	char text[128];

	if (!wanted || !*wanted)
		return;
	for (int i = 0; i < 5; i++)
		if (!strcmp(wanted, names[i])) {
			log_limit = i - 1;
			return;
		}
	snprintf(text, sizeof(text),
		 "\"%.32s\" is no value for NNAPI_LOG (off, error, warning, info, debug), ignored",
		 wanted);
	write_line(NULL, text);
}

bool nnr_log_wanted(enum nnr_log_level level)
{
	pthread_once(&log_once, log_init);
	return (int)level <= log_limit;
}

/* Some lines say it themselves. */
static bool names_a_function(const char *text)
{
	return !strncmp(text, "ANeuralNetworks", 15) || !strncmp(text, "SL_ANeuralNetworks", 18) ||
	       !strncmp(text, "nnaccel", 7) || !strncmp(text, "AHardwareBuffer", 15);
}

void nnr_log(enum nnr_log_level level, const char *fmt, ...)
{
	char line[512];
	va_list args;

	if (!nnr_log_wanted(level))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	write_line(level > NNR_LOG_WARNING || names_a_function(line) ? NULL : call, line);
}

void nnr_log_refusal(const char *function, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	nnr_log(NNR_LOG_WARNING, "%s: %s", function, text);
}

/* ---- calls ---- */

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

const char *nnr_call_name(void)
{
	return call;
}

struct nnr_call nnr_call_begin(const char *function)
{
	struct nnr_call begun = { .outermost = !call && function };

	if (!begun.outermost)
		return begun;
	call = function;
	if (nnr_log_wanted(NNR_LOG_DEBUG))
		begun.start_ns = now();
	return begun;
}

void nnr_call_end(const struct nnr_call *begun)
{
	if (!begun->outermost)
		return;
	if (begun->start_ns)
		nnr_log(NNR_LOG_DEBUG, "%s: %.3f ms", call,
			(double)(now() - begun->start_ns) * 1e-6);
	call = NULL;
}
