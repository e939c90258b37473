/* SPDX-License-Identifier: Apache-2.0 */
/* Log lines, messages of refusals, names of result codes. */
#ifndef NNUTIL_LOG_H
#define NNUTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * nnutil_log.c: log lines of the NNAPI libraries: "nnapi: ..." on stderr. Each library has its own
 * copy of the state. Any thread.
 */

/**
 * NNAPI_LOG=off|error|warning|info|debug selects the levels (default: error). ERROR and WARNING say
 * why a call failed: ERROR if the system is the cause, WARNING if the caller is. INFO says what was
 * decided and why. DEBUG lists API calls and the settings that differ from the defaults.
 */
enum nnutil_log_level { NNUTIL_LOG_ERROR, NNUTIL_LOG_WARNING, NNUTIL_LOG_INFO, NNUTIL_LOG_DEBUG };
/** ERROR and WARNING lines begin with nnutil_call_name(), if there is one. */
void nnutil_log(enum nnutil_log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/**
 * A program with lines of its own: they begin with @name, and @level ("off" to "debug") decides,
 * not NNAPI_LOG. Before the first line and the first thread. 0; -EINVAL: no such level.
 */
int nnutil_log_program(const char *name, const char *level);
/** A WARNING that begins with @function: for libraries that do not use NNUTIL_CALL(). */
void nnutil_log_refusal(const char *function, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- the API call that a line is about ---- */

/**
 * The API function that this thread executes: the outermost one, if API functions are nested. A
 * thread that works for a call takes over its name. NULL: none.
 */
const char *nnutil_call_name(void);
struct nnutil_call {
	bool outermost;
	int64_t start_ns; /* 0: the duration is not logged */
};
struct nnutil_call nnutil_call_begin(const char *function);
void nnutil_call_end(const struct nnutil_call *call);
/** The call lasts until the end of the C scope. This is a declaration; an inner scope may repeat
 * it. */
#define NNUTIL_CALL(function)                                                                    \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"")            \
		const struct nnutil_call nnutil_this_call                                        \
		__attribute__((cleanup(nnutil_call_end), unused)) = nnutil_call_begin(function); \
	_Pragma("GCC diagnostic pop") _Static_assert(1, "ends with a semicolon")

/*
 * Limit of the lines that one source writes to a log: some at once, and more as
 * time passes.
 */

/** struct nnutil_log_rate - one writer's lines. One thread at a time. */
struct nnutil_log_rate {
	unsigned int at_once, per_second; /* constant */
	/* private */
	int64_t counted_ns;
	unsigned int left, dropped;
};

/** @now_ns: CLOCK_MONOTONIC. */
static inline void nnutil_log_rate_init(struct nnutil_log_rate *rate, unsigned int at_once,
					unsigned int per_second, int64_t now_ns)
{
	*rate = (struct nnutil_log_rate){ at_once, per_second, now_ns, at_once, 0 };
}

/**
 * nnutil_log_rate_take() - whether the next line is written
 * @rate: of who writes it
 * @now_ns: CLOCK_MONOTONIC
 * @dropped: set to how many lines before it were left out since the last one that was written
 *
 * Return: true: write it, and before it that @dropped lines are left out, if there are any. False:
 * leave it out.
 */
bool nnutil_log_rate_take(struct nnutil_log_rate *rate, int64_t now_ns, unsigned int *dropped);

/*
 * nnutil_refuse.c: one way to refuse an argument: the reason goes into the caller's text, the error
 * is the value.
 */

/**
 * Write the reason into @text (@size bytes; NULL or 0: no text) and return @error, so that a
 * check reads "return nnutil_refuse(text, size, -EINVAL, ...)". A reason that is too long is cut.
 */
__attribute__((format(printf, 4, 5))) int nnutil_refuse(char *text, size_t size, int error,
							const char *format, ...);
int nnutil_vrefuse(char *text, size_t size, int error, const char *format, va_list args);

/**
 * Name of NNAPI's result code (ANEURALNETWORKS_*) without its prefix, "BAD_DATA"; "unknown result":
 * it is none.
 */
const char *nnutil_result_name(int result);

#endif
